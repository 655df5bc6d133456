"""The sum of changes that do not fit into memory: rows are spread over buckets on disk, and each is summed
alone.

Equal rows fall into the same bucket, so the sums of the buckets together are the sum of everything.  This
is how a table is compared with a new snapshot of it (its stored changes count negatively, what is left is
the difference) and how a TRUNCATE retracts all rows.  Up to `ROWS_IN_MEMORY` rows stay in memory; beyond
that, memory is bounded by those and by the largest bucket, a 128th of the rows unless very many rows are
equal.

A row's bucket follows from its key if the table has one, else from all columns but those of floating or
nested types (0.0 equals -0.0, and has other bytes).
"""

from __future__ import annotations

import os
import shutil
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.storage.delta.reading import parquet_files
from headwater.storage.timeline import WEIGHT, Timeline, change_schema
from headwater.storage.zset import consolidate

__all__ = ["Buckets", "stored_changes", "weighted"]

BUCKETS = 128
ROWS_IN_MEMORY = 200_000
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - 7)  # the upper 7 bits: 128 buckets

Numbers = np.ndarray[Any, np.dtype[np.uint64]]


class Buckets:
    """Changes (rows and `_weight`) to be summed. `scratch`: a folder of its own, removed by `close`."""

    def __init__(self, schema: pa.Schema, key: Sequence[str], scratch: str) -> None:
        self._schema = schema
        self._columns = _spreading(schema, key)
        self._scratch = os.path.join(scratch, f"buckets-{uuid.uuid4().hex}")
        self._held: list[pa.Table] = []
        self._rows = 0
        self._files: dict[int, tuple[pa.OSFile, pa.RecordBatchStreamWriter]] = {}

    def add(self, changes: pa.Table) -> None:
        self._held.append(changes.select(self._schema.names).cast(self._schema))
        self._rows += len(changes)
        if self._rows > ROWS_IN_MEMORY:
            self._spread()

    def sums(self) -> Iterator[pa.Table]:
        """What does not cancel, a bucket at a time; every row occurs once."""
        if not self._files:
            if self._held:
                yield consolidate(pa.concat_tables(self._held))
            return
        self._spread()
        for file, writer in self._files.values():
            writer.close()
            file.close()
        for bucket in sorted(self._files):
            with pa.OSFile(self._path(bucket)) as file, pa.ipc.open_stream(file) as stream:
                yield consolidate(stream.read_all())

    def close(self) -> None:
        for file, writer in self._files.values():
            if not file.closed:
                writer.close()
                file.close()
        self._files = {}
        self._held = []
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _spread(self) -> None:
        rows = pa.concat_tables(self._held) if self._held else self._schema.empty_table()
        self._held, self._rows = [], 0
        numbers = _bucket_of(rows, self._columns)
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(BUCKETS + 1))
        ordered = rows.take(pa.array(order))
        for bucket in range(BUCKETS):
            first, after = int(ends[bucket]), int(ends[bucket + 1])
            if first < after:
                self._writer(bucket).write_table(ordered.slice(first, after - first))

    def _writer(self, bucket: int) -> pa.RecordBatchStreamWriter:
        if bucket not in self._files:
            os.makedirs(self._scratch, exist_ok=True)
            file = pa.OSFile(self._path(bucket), "wb")
            self._files[bucket] = (file, pa.ipc.new_stream(file, self._schema))
        return self._files[bucket][1]

    def _path(self, bucket: int) -> str:
        return os.path.join(self._scratch, f"{bucket}.arrow")


def stored_changes(timeline: Timeline, sign: int, rows: int = 100_000) -> Iterator[pa.Table]:
    """All changes of a timeline in batches, their weights multiplied by `sign`."""
    schema = change_schema(timeline.columns())
    for file in timeline.snapshot().files:
        # With the schema given, a column that was added after the file was written reads as NULL.
        stored = parquet_files([file.path], schema)
        for batch in stored.to_batches(batch_size=rows, batch_readahead=1, fragment_readahead=1):
            changes = pa.Table.from_batches([batch], schema)
            yield weighted(changes, pa.array(changes.column(WEIGHT).to_numpy() * sign))


def weighted(rows: pa.Table, weights: pa.Array) -> pa.Table:
    """Rows with these weights in place of any they have."""
    plain = rows.drop_columns([WEIGHT]) if WEIGHT in rows.column_names else rows
    return plain.append_column(pa.field(WEIGHT, pa.int64(), nullable=False), weights)


def _spreading(schema: pa.Schema, key: Iterable[str]) -> list[str]:
    usable = [
        field.name for field in schema
        if field.name != WEIGHT
        and not pa.types.is_floating(field.type)
        and not pa.types.is_nested(field.type)
    ]  # fmt: skip
    return [name for name in key if name in usable] or usable


def _bucket_of(rows: pa.Table, columns: Sequence[str]) -> Numbers:
    numbers: Numbers = np.zeros(len(rows), np.uint64)
    for name in columns:
        numbers = (numbers + _number_of(rows.column(name))) * _MIX
        numbers ^= numbers >> np.uint64(29)
    return (numbers * _MIX) >> _SHIFT


def _number_of(column: pa.ChunkedArray) -> Numbers:
    """A number for each value, equal for equal ones."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.int64()).fill_null(0).to_numpy().astype(np.uint64)
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary if pa.types.is_binary(kind) else encoded.dictionary.cast(pa.string())
    sums = [zlib.crc32(value if isinstance(value, bytes) else value.encode()) for value in texts.to_pylist()]
    values = np.array([0, *sums], np.uint64)
    return values[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1]
