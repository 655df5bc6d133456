"""The rows of a data file so that a few can be read by their position without reading the others.

Parquet has to decode a whole group of rows for any one of them.  Here rows stand as Arrow has them in memory,
in an IPC file that is mapped: reading a row touches the pages that it lies on.  The price is disk: nothing is
compressed.  Compressed in batches of 256 rows it was half the size and thirty times slower to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from headwater.storage.delta.data_files import DataFile
from headwater.storage.index.key_file import Positions
from headwater.storage.index.read_columns import read_columns
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.index.side_files import side_path, write_side

__all__ = ["RowFile", "open_row_file"]

BATCH_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class RowFile:
    reader: pa.ipc.RecordBatchFileReader
    batch_rows: int  # of all batches but the last

    def take(self, positions: Positions, names: Sequence[str]) -> pa.Table:
        """The rows at ascending positions, these columns."""
        schema = pa.schema([self.reader.schema.field(name) for name in names])
        numbers = positions // self.batch_rows
        batches = []
        for number in np.unique(numbers).tolist():
            inside = positions[numbers == number] - number * self.batch_rows
            batches.append(self.reader.get_batch(number).select(list(names)).take(pa.array(inside)))
        return pa.Table.from_batches(batches, schema)


MOST_OPEN = 256
_open: RecentlyUsed[str, RowFile] = RecentlyUsed(MOST_OPEN)


def open_row_file(file: DataFile, schema: pa.Schema) -> RowFile:
    """The row file of a data file with these columns, made if it is missing."""
    path = side_path(file, "rows", schema)
    return _open.get(path) or _open.put(path, _mapped(path) or _made(path, file, schema))


def _mapped(path: str) -> RowFile | None:
    """The file at `path`, if it is there and whole: an IPC file ends with what is needed to read it."""
    try:
        reader = pa.ipc.open_file(pa.memory_map(path))
        return RowFile(reader, reader.get_batch(0).num_rows)
    except (FileNotFoundError, pa.ArrowInvalid):
        return None


def _made(path: str, file: DataFile, schema: pa.Schema) -> RowFile:
    rows = read_columns(file, schema)
    write_side(path, lambda out: _write(out, rows))
    mapped = _mapped(path)
    if mapped is None:
        raise OSError(f"{path} does not hold rows")
    return mapped


def _write(out: BinaryIO, rows: pa.Table) -> None:
    with pa.ipc.new_file(out, rows.schema) as writer:
        writer.write_table(rows.combine_chunks(), max_chunksize=BATCH_ROWS)
