"""Make files and folders outlast a power cut.

A file is durable once its bytes and the entry in its folder are both on the disk: each takes an fsync.
Whoever wrote the file may have closed it long ago (Spark, pyarrow, delta-rs): fsync flushes what the kernel
holds of it, whichever descriptor is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

__all__ = ["opened", "sync", "sync_files", "sync_parents"]


def sync(path: str) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_parents(path: str) -> None:
    """Make the entries of the folders above `path` durable, as far up as this user may read them."""
    while (above := os.path.dirname(os.path.abspath(path))) != path and os.access(above, os.R_OK):
        sync(above)
        path = above


def sync_files(folder: str, relative: Iterable[str]) -> None:
    """Make files below `folder` durable, with the folders between."""
    paths = [os.path.join(folder, name) for name in relative]
    for path in paths:
        sync(path)
    for below in sorted({os.path.dirname(path) for path in paths} - {folder}, reverse=True):
        sync(below)
    if paths:
        sync(folder)


@contextmanager
def opened(folder: str, wanted: bool = True) -> Iterator[int | None]:
    """A folder's descriptor, to sync it once a name has come into being: opening it cannot fail then."""
    if not wanted:
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
