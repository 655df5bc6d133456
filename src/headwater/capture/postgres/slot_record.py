"""What a warehouse knows about its replication slot, in a small file: the slot's name and how far it may
be.

A slot lives in the server and outlasts a run, so a warehouse must remember its own; a random part
distinguishes two copies of a project.  The name is also part of each table's log, beside the position
reached.  Replacing the name (`renew`) is therefore enough to make every table forget its position and be
compared with a new snapshot, even if a process is killed just then.

The file is written, and synced to the disk, before the slot is advanced.  So in one warehouse

    the slot's position      <=  `advanced`
    a table's own position   >=  its mark, the position it had when the slot was last advanced

After a power cut, or once a warehouse has been restored from a backup, the slot may be ahead of the file,
or the file ahead of a table: what the server has discarded since is missing, and only a new snapshot brings
it back.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from headwater.storage.delta.durable import sync

__all__ = ["Mark", "Note", "Record", "SlotRecord"]

MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class Mark:
    """A table when the slot was last advanced: its position, and the types of its columns.

    `types` are PostgreSQL's, by its names; `declared` those of the project.
    """

    position: int
    types: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened to the capture and that a user should know, also after the run."""

    at: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    slot: str
    advanced: int | None = None  # the slot was never advanced further than this
    marks: Mapping[str, Mark] = field(default_factory=dict)
    missed: tuple[str, ...] = ()  # tables that left the stream: only a new snapshot brings them back
    notes: tuple[Note, ...] = ()


class SlotRecord:
    """The record of one database's slot."""

    def __init__(self, root: str, project: str, database: str) -> None:
        self._project = re.sub(r"[^a-z0-9_]", "_", project.lower())[:32]
        digest = hashlib.sha256(database.encode()).hexdigest()[:12]
        self._path = os.path.join(root, "system", "postgres", f"{digest}.slot")

    def read(self) -> Record | None:
        """The record as stored; None if there is none, or its slot was dropped."""
        content = self._content()
        return content if content is not None and content.slot else None

    def notes(self) -> tuple[Note, ...]:
        content = self._content()
        return () if content is None else content.notes

    def get(self) -> Record:
        """The stored record, or that of a slot yet to be created."""
        return self.read() or self.renew()

    def renew(self) -> Record:
        """Choose a new name: no table has a position in that slot."""
        name = f"headwater_{self._project}_{secrets.token_hex(4)}"
        return self._store(Record(name, notes=self.notes()))

    def advance(self, position: int, marks: Mapping[str, Mark], missed: Iterable[str] = ()) -> None:
        """Record that the slot is going to be advanced to `position`, and how the tables are."""
        self._store(replace(self.get(), advanced=position, marks=marks, missed=tuple(sorted(missed))))

    def miss(self, tables: Iterable[str]) -> None:
        """Record the tables that need a new snapshot."""
        self._store(replace(self.get(), missed=tuple(sorted(tables))))

    def note(self, note: Note) -> None:
        self._store(replace(self.get(), notes=(*self.notes(), note)[-MOST_NOTES:]))

    def forget(self) -> None:
        """Forget the slot, which was dropped; the notes stay."""
        if self._content() is not None:
            self._store(Record("", notes=self.notes()))

    def _content(self) -> Record | None:
        try:
            with open(self._path, encoding="utf-8") as file:
                text = file.read().strip()
        except FileNotFoundError:
            return None
        return _parsed(json.loads(text)) if text.startswith("{") else Record(text)

    def _store(self, record: Record) -> Record:
        folder = os.path.dirname(self._path)
        os.makedirs(folder, exist_ok=True)
        temporary = f"{self._path}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(asdict(record), file)
        sync(temporary)
        os.replace(temporary, self._path)
        sync(folder)
        return record


def _parsed(content: Mapping[str, Any]) -> Record:
    return Record(
        content["slot"],
        content["advanced"],
        {table: Mark(**mark) for table, mark in content["marks"].items()},
        tuple(content["missed"]),
        tuple(Note(**note) for note in content["notes"]),
    )
