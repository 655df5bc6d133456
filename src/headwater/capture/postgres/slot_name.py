"""The name of the replication slot of this warehouse, kept in a small file of the warehouse.

Slots live in the server and outlast us, so a warehouse must know its own: a random part keeps two copies of a
project apart.  The name also stands in each table's log beside the position reached; giving up a name
(`renew`) is therefore all it takes to make every table forget its position and be compared with a new
snapshot, whatever the moment of a kill.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets

__all__ = ["SlotName"]


class SlotName:
    def __init__(self, root: str, project: str, database: str) -> None:
        self._project = re.sub(r"[^a-z0-9_]", "_", project.lower())[:32]
        digest = hashlib.sha256(database.encode()).hexdigest()[:12]
        self._path = os.path.join(root, "system", "postgres", f"{digest}.slot")

    def get(self) -> str:
        """The name, made at the first call."""
        found = self.known()
        return found if found is not None else self.renew()

    def known(self) -> str | None:
        try:
            with open(self._path, encoding="ascii") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def renew(self) -> str:
        """Give up the name for a new one."""
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        name = f"headwater_{self._project}_{secrets.token_hex(4)}"
        temporary = f"{self._path}.tmp"
        with open(temporary, "w", encoding="ascii") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self._path)
        return name

    def forget(self) -> None:
        if os.path.exists(self._path):
            os.remove(self._path)
