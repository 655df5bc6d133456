"""A push that failed because a disk was full says so, instead of what Spark says of a task.

Spark's message has the cause as far as it comes from the process's own JVM; a Spark Connect server keeps it
to itself, so there the disk is asked.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection

from headwater.capture.storage_errors import NO_SPACE, failed_storage
from headwater.errors.error import first_line

__all__ = ["full_disk_behind"]

NOT_WRITTEN = "TASK_WRITE_FAILED"
LITTLE_ROOM = 1 << 20  # bytes


def full_disk_behind(error: Exception, roots: Collection[str]) -> Exception:
    """What an error of a push means if a disk under `roots` is full; else the error itself."""
    text = str(error)
    if NO_SPACE not in text and not (NOT_WRITTEN in text and any(map(_is_full, roots))):
        return error
    return failed_storage("views cannot be written", ", ".join(roots), first_line(text), full=True)


def _is_full(root: str) -> bool:
    try:
        return shutil.disk_usage(root).free < LITTLE_ROOM
    except OSError:
        return False
