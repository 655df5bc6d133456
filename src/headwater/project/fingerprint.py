"""Whether a project's files have changed since they were read."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["fingerprint"]


def fingerprint(folder: str) -> str:
    """A digest of headwater.yml and the SQL files; a file that cannot be read counts as absent."""
    digest = hashlib.sha256()
    for path in sorted([Path(folder) / "headwater.yml", *Path(folder).glob("*.sql")]):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
