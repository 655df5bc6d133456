"""What a power cut may take: writes and names that were never synced.

A file's content is safe once the file was synced, a name (created, linked, renamed or removed) once its folder
was.  What is not safe may be there or not, each by itself; of a content that is not safe, any first part.

On a journaling file system (ext4, XFS) syncing anything makes every earlier change of names safe: `journaled`.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Unsynced"]


@dataclass(frozen=True, slots=True)
class _Name:
    folder: str
    undo: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Content:
    path: str
    before: bytes


@dataclass(slots=True)
class Unsynced:
    noted: bool = True  # where no power is cut, nothing need be remembered
    journaled: bool = True
    changes: list[_Name | _Content] = field(default_factory=list)

    def wrote(self, path: str, before: bytes) -> None:
        if self.noted:
            self.changes.append(_Content(path, before))

    def named(self, path: str) -> None:
        """A name came into being."""
        if self.noted:
            self.changes.append(_Name(os.path.dirname(path), lambda: _remove(path)))

    def unnamed(self, path: str, content: bytes) -> None:
        """A name went, or was given to another content."""
        if self.noted:
            self.changes.append(_Name(os.path.dirname(path), lambda: _restore(path, content)))

    def synced(self, path: str) -> None:
        self.changes = [change for change in self.changes if not self._saved(change, path)]

    def _saved(self, change: _Name | _Content, path: str) -> bool:
        match change:
            case _Content(written):
                return written == path or _same_file(written, path)
            case _Name(folder):
                return self.journaled or folder == path

    def lose(self, chance: random.Random) -> None:
        """Undo some of what was not synced, the newest first."""
        for change in reversed(self.changes):
            if chance.random() < 0.5:
                match change:
                    case _Name(_, undo):
                        undo()
                    case _Content(path, before):
                        _cut(path, before, chance)
        self.changes.clear()


def _same_file(left: str, right: str) -> bool:
    """Linked names have one content."""
    return os.path.exists(left) and os.path.exists(right) and os.path.samefile(left, right)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def _restore(path: str, content: bytes) -> None:
    if os.path.isdir(os.path.dirname(path)):
        with open(path, "wb") as file:
            file.write(content)


def _cut(path: str, before: bytes, chance: random.Random) -> None:
    """Some first part of the content, or all that was there before."""
    if not os.path.isfile(path):
        return
    if before:
        content = before
    else:
        with open(path, "rb") as file:
            whole = file.read()
        content = whole[: chance.randrange(len(whole) + 1)] if chance.random() < 0.5 else b""
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()
