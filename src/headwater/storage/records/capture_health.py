"""What keeps captures from going on, written by a run for other processes to read.

The file `captures.json` in the warehouse is replaced whenever it would say something else.  It stays after
the run has ended: what could not be captured then still waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from headwater.storage.replace_text import replace_text

__all__ = ["CaptureHealth", "WaitingFile", "read_captures", "write_captures"]


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file that could not be read yet; it is tried again."""

    file: str
    reason: str
    since: int
    failures: int


@dataclass(frozen=True, slots=True)
class CaptureHealth:
    """What is wrong with the capture of a table, if anything."""

    error: str = ""
    waiting: tuple[WaitingFile, ...] = ()
    detail: str = ""  # the error in the words of the server, if there is one
    hint: str = ""  # what to do about it


def _path(root: str) -> str:
    return os.path.join(root, "captures.json")


def write_captures(root: str, health: Mapping[str, CaptureHealth]) -> None:
    """Replace the file, creating the warehouse folder if need be."""
    replace_text(_path(root), json.dumps({table: asdict(capture) for table, capture in health.items()}))


def read_captures(root: str) -> dict[str, CaptureHealth]:
    """What the last run said, by table; nothing if no run ever wrote it."""
    try:
        with open(_path(root), encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return {}
    return {
        table: CaptureHealth(
            entry["error"],
            tuple(WaitingFile(**waiting) for waiting in entry["waiting"]),
            entry.get("detail", ""),
            entry.get("hint", ""),
        )
        for table, entry in content.items()
    }
