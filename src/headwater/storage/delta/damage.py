"""What a power cut may have done to a table that was not made durable, as far as names and sizes tell."""

from __future__ import annotations

import os

from headwater.errors import HeadwaterError
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.log_commits import log_file

__all__ = ["damage"]


def damage(log: DeltaLog) -> str:
    """What is wrong with a stored table; nothing if it is whole, or if there is none.

    A commit may have survived without the files it names, or as an empty or torn file itself.  File systems
    record a file's length after its bytes, so a file of the right length is taken for whole.
    """
    if not log.exists():
        return ""
    try:
        snapshot = log.snapshot()
    except HeadwaterError as error:
        return f"{error.message}: {error.detail}" if error.detail else error.message
    if _size(log_file(log.path, snapshot.version)) == 0:
        return f"version {snapshot.version} of its log is empty"
    for file in snapshot.files:
        size = _size(file.path)
        if size is None:
            return f"{file.relative} is missing"
        if size != file.size:
            return f"{file.relative} has {size} of its {file.size} bytes"
    return ""


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None
