"""Where in a data file the rows of a key are: the hashes of all its keys, sorted, each with its position.

    magic   rows   hashes: rows * 8 bytes, ascending   positions: rows * 4 bytes

The file is mapped into memory and searched in halves: a key touches a few pages, and what is in memory is the
system's to keep or drop.  Twelve bytes a row, written once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from headwater.storage.delta.data_files import DataFile
from headwater.storage.index.hashes import Hashes, key_hashes
from headwater.storage.index.read_columns import read_columns
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.index.side_files import side_path, write_side

__all__ = ["KeyFile", "Positions", "open_key_file"]

Positions = np.ndarray[Any, np.dtype[np.int64]]

_MAGIC = np.uint64(0x3130_5359_454B_5748)  # "HWKEYS01"
_HEADER = 16
_ROW = 12


@dataclass(frozen=True, slots=True)
class KeyFile:
    hashes: Hashes  # ascending
    positions: np.ndarray[Any, np.dtype[np.uint32]]

    def find(self, wanted: Hashes) -> Positions:
        """The positions of all rows that have one of the wanted hashes, ascending."""
        if len(self.hashes) == 0:
            return np.zeros(0, np.int64)
        first = np.searchsorted(self.hashes, wanted)
        there = self.hashes[np.minimum(first, len(self.hashes) - 1)] == wanted
        first = first[there]
        counts = np.searchsorted(self.hashes, wanted[there], "right") - first
        # The ranges first, first + 1, ... as one array.
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(self.positions[np.repeat(first, counts) + within].astype(np.int64))


MOST_OPEN = 256  # each holds two descriptors; a process may have a thousand or so
_open: RecentlyUsed[str, KeyFile] = RecentlyUsed(MOST_OPEN)


def open_key_file(file: DataFile, keys: Sequence[str], schema: pa.Schema) -> KeyFile:
    """The key file of these columns, made if it is missing. `schema`: the types that keys are compared in."""
    kinds = pa.schema([schema.field(name) for name in keys])
    path = side_path(file, "keys", kinds)
    return _open.get(path) or _open.put(path, _mapped(path, file.rows) or _made(path, file, kinds))


def _made(path: str, file: DataFile, kinds: pa.Schema) -> KeyFile:
    rows = read_columns(file, kinds)
    write_side(path, lambda out: _write(out, key_hashes(rows, kinds.names)))
    mapped = _mapped(path, file.rows)
    if mapped is None:
        raise OSError(f"{path} does not hold the keys of {file.rows} rows")
    return mapped


def _write(out: BinaryIO, hashes: Hashes) -> None:
    order = np.argsort(hashes)
    out.write(np.array([_MAGIC, len(hashes)], np.uint64).tobytes())
    out.write(hashes[order].tobytes())
    out.write(order.astype(np.uint32).tobytes())


def _mapped(path: str, rows: int) -> KeyFile | None:
    """The file at `path`, if it is there and whole."""
    try:
        if os.path.getsize(path) != _HEADER + rows * _ROW:
            return None
    except FileNotFoundError:
        return None
    words = np.memmap(path, np.uint64, "r", 0, (2 + rows,))
    if words[0] != _MAGIC or words[1] != rows:
        return None
    positions = np.memmap(path, np.uint32, "r", _HEADER + rows * 8, (rows,))
    return KeyFile(np.asarray(words)[2:], np.asarray(positions))
