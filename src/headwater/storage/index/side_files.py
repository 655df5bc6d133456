"""Files that stand beside a table's data files and can be made again from them.

    sources/orders/00000001763251200000000-3fa0c1d29e44.parquet
    sources/orders/_keys/00000001763251200000000-3fa0c1d29e44.parquet.7d1e09aa.keys

Data files never change, so neither do these.  One is written under another name, synced and then renamed: it
is there as a whole or not at all, and of two processes that make the same one the second replaces it by its
equal.  Delta readers ignore the folder, as they do all names that begin with an underscore.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable
from functools import lru_cache
from typing import BinaryIO

import pyarrow as pa

from headwater.storage.delta.data_files import DataFile
from headwater.storage.timeline import Timeline

__all__ = ["FOLDER", "LARGE_ROWS", "side_path", "sweep", "write_side"]

FOLDER = "_keys"
LARGE_ROWS = 20_000  # a data file with fewer rows is read whole sooner than its side files are made


def side_path(file: DataFile, kind: str, columns: pa.Schema) -> str:
    """The side file of a kind that holds something about these columns of a data file."""
    digest = _digest(columns)
    table = file.path.removesuffix(file.relative)
    return os.path.join(table, FOLDER, f"{_flat(file.relative)}.{digest}.{kind}")


def write_side(path: str, write: Callable[[BinaryIO], None]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    draft = f"{path}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        with open(draft, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def sweep(timeline: Timeline) -> int:
    """Delete the side files of data files that the timeline no longer has; returns how many."""
    folder = os.path.join(timeline.path, FOLDER)
    # Listed before the log is read: a file that is committed meanwhile keeps its side files.
    names = os.listdir(folder) if os.path.isdir(folder) else []
    present = {_flat(file.relative) for file in timeline.snapshot().files}
    gone = [name for name in names if name.partition(".parquet")[0] + ".parquet" not in present]
    for name in gone:
        os.unlink(os.path.join(folder, name))
    return len(gone)


@lru_cache(maxsize=1_000)
def _digest(columns: pa.Schema) -> str:
    identity = ", ".join(f"{column.name} {column.type}" for column in columns)
    return hashlib.sha256(identity.encode()).hexdigest()[:8]


def _flat(relative: str) -> str:
    return relative.replace("/", "~")
