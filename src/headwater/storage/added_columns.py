"""Columns added to a timeline that holds rows already.

A row stored before has the new column's default, as in PostgreSQL: NULL, or a constant.  At every earlier
time the relation is the same rows with one more column, so nothing that reads other columns notices.

    default NULL      one commit to the log: a file that lacks a column reads as NULL everywhere
    a constant        every file is written anew with the column, and replaced in the same commit as the
                      schema, so that any reader of the table sees the constant, with its statistics

Cost: a new constant reads and writes the stored rows once, file by file; NULL costs nothing.  The caller
holds the source's clock, so no change is captured meanwhile; a compaction that commits first wins, and the
files are written again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.storage.delta.data_files import DataFile, NewFile
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.timeline import TIME, WEIGHT, Timeline, at_time, change_schema, new_file_name

__all__ = ["AddedColumn", "add_columns"]


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """A new column, and the value that rows stored before have in it."""

    column: pa.Field
    default: pa.Scalar

    @property
    def constant(self) -> bool:
        return bool(self.default.is_valid)


def add_columns(timeline: Timeline, added: Sequence[AddedColumn]) -> None:
    """Add columns behind those that are stored. Only for who holds the relation's clock."""
    while not _added(timeline, added):
        pass


def _added(timeline: Timeline, added: Sequence[AddedColumn]) -> bool:
    snapshot = timeline.snapshot()
    columns = pa.schema([*timeline.columns(), *(addition.column for addition in added)])
    stored = change_schema(columns).append(timeline.log.schema().field(TIME))
    constant = any(addition.constant for addition in added)
    replaced = snapshot.files if constant else ()
    written = [_widened(timeline, file, columns, added) for file in replaced]
    if timeline.log.alter(stored, snapshot.version, written, replaced):
        return True
    for file in written:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(timeline.path, file.relative))
    return False


def _widened(timeline: Timeline, file: DataFile, columns: pa.Schema, added: Sequence[AddedColumn]) -> NewFile:
    time = int(file.minimum[TIME])
    defaults = {addition.column.name: addition.default for addition in added}
    rows = _file_columns(pq.ParquetFile(file.path), change_schema(columns), defaults)
    return at_time(write_parquet(timeline.path, new_file_name(time), rows), time)


def _file_columns(
    file: pq.ParquetFile, columns: pa.Schema, defaults: Mapping[str, pa.Scalar] | None = None
) -> pa.Table:
    """Columns of a data file; one that the file lacks is its default, or NULL."""
    present = [name for name in columns.names if name in file.schema_arrow.names]
    # Without any column a file has no rows, so one is always read.
    table = file.read(columns=present or [WEIGHT])

    def column(wanted: pa.Field) -> pa.ChunkedArray | pa.Array:
        if wanted.name in present:
            return table.column(wanted.name).cast(wanted.type)
        default = (defaults or {}).get(wanted.name, pa.scalar(None, wanted.type))
        return pa.repeat(default, table.num_rows)

    return pa.table([column(wanted) for wanted in columns], schema=columns)
