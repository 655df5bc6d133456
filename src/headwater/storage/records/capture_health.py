"""What keeps captures from going on, written by a run for other processes to read.

The file `captures.json` in the warehouse is replaced whenever it would say something else.  It stays after
the run has ended: what could not be captured then still waits.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headwater.storage.replace_text import replace_text

__all__ = ["CaptureHealth", "WaitingFile", "read_captures", "write_captures"]

logger = logging.getLogger(__name__)


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
    """What the last run said, by table; nothing if no run ever wrote it, or what it wrote is damaged."""
    try:
        with open(_path(root), encoding="utf-8") as file:
            return {table: _health(entry) for table, entry in json.load(file).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, KeyError, TypeError):
        logger.warning("%s cannot be read; a run writes it anew", _path(root), exc_info=True)
        return {}


def _health(entry: Mapping[str, Any]) -> CaptureHealth:
    waiting = tuple(WaitingFile(**file) for file in entry["waiting"])
    return CaptureHealth(entry["error"], waiting, entry.get("detail", ""), entry.get("hint", ""))
