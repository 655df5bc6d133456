"""What a source's timeline holds now for some keys, without Spark.

Files that cannot hold a wanted key are skipped by the log's statistics; of the others only the key columns
are read first, and further columns only of files where a key was found.  Data files never change, so columns
once read are kept in memory (up to `budget` bytes, oldest use first out) and stay right whoever else writes:
which files count is asked of the Delta log every time.

Invariant: the answer equals summing up all changes of the timeline whose key is wanted.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.capture.codes import codes
from headwater.capture.values import canonical
from headwater.storage.delta_log import DataFile
from headwater.storage.timeline import WEIGHT, Timeline, change_schema
from headwater.storage.zset import consolidate

__all__ = ["Current"]

BUDGET = 256 * 1024 * 1024
_MANY = 200_000  # more wanted keys than this are not sorted for pruning


@dataclass(slots=True)
class Current:
    """Looks rows of one timeline up. One writer's, not shared between threads."""

    timeline: Timeline
    budget: int = BUDGET
    _columns: OrderedDict[tuple[str, str], pa.ChunkedArray] = field(default_factory=OrderedDict, init=False)
    _bytes: int = field(default=0, init=False)

    def rows(self, wanted: pa.Table, keys: Sequence[str]) -> pa.Table:
        """The current rows (with `_weight`) whose `keys` occur in `wanted`."""
        return self._matching(wanted, keys, self.timeline.columns().names)

    def counts(self, wanted: pa.Table, keys: Sequence[str]) -> pa.Table:
        """How many rows there are now (`_weight`) for each of the wanted `keys`; without any, in all."""
        if not keys:
            total = sum(self._weight(file) for file in self.timeline.snapshot().files)
            return pa.table({WEIGHT: pa.array([total], pa.int64())})
        return self._matching(wanted, keys, list(keys))

    def everything(self) -> pa.Table:
        """All current rows with their weights."""
        schema = change_schema(self.timeline.columns())
        names = list(schema.names)
        parts = [self._read(file, names, schema) for file in self.timeline.snapshot().files]
        if not parts:
            return pa.schema([schema.field(name) for name in names]).empty_table()
        return consolidate(pa.concat_tables(parts))

    def _weight(self, file: DataFile) -> int:
        """The sum of a file's weights, from the log if all are equal."""
        weight = file.minimum.get(WEIGHT)
        if weight is not None and weight == file.maximum.get(WEIGHT):
            return int(weight) * file.rows
        column = self._read(file, [WEIGHT], change_schema(self.timeline.columns())).column(WEIGHT)
        return int(pc.sum(column).as_py() or 0)

    def _matching(self, wanted: pa.Table, keys: Sequence[str], names: Sequence[str]) -> pa.Table:
        schema = change_schema(self.timeline.columns())
        result = pa.schema([schema.field(name) for name in [*names, WEIGHT]])
        if len(wanted) == 0:
            return result.empty_table()
        distinct = wanted.select(keys).group_by(list(keys)).aggregate([])
        found = []
        for file in self._candidates(distinct, keys):
            positions = _positions(self._read(file, keys, schema), distinct, keys)
            if len(positions):
                found.append(self._read(file, [*names, WEIGHT], schema).take(positions))
        if not found:
            return result.empty_table()
        return consolidate(pa.concat_tables(found)).cast(result)

    def _candidates(self, distinct: pa.Table, keys: Sequence[str]) -> list[DataFile]:
        files = list(self.timeline.snapshot().files)
        for name in keys:
            column = distinct.column(name)
            if files and len(column) <= _MANY:
                files = _holding(files, name, column)
        return files

    def _read(self, file: DataFile, names: Sequence[str], schema: pa.Schema) -> pa.Table:
        missing = [name for name in dict.fromkeys(names) if (file.path, name) not in self._columns]
        fresh: dict[str, pa.ChunkedArray] = {}
        if missing:
            kinds = pa.schema([schema.field(name) for name in missing])
            table = pq.ParquetFile(file.path).read(columns=missing).select(missing).cast(kinds)
            fresh = {name: _canonical(table.column(name)) for name in missing}
        columns = [fresh[name] if name in fresh else self._use(file.path, name) for name in names]
        for name, column in fresh.items():
            self._keep(file.path, name, column)
        return pa.table(columns, schema=pa.schema([schema.field(name) for name in names]))

    def _use(self, path: str, name: str) -> pa.ChunkedArray:
        self._columns.move_to_end((path, name))
        return self._columns[path, name]

    def _keep(self, path: str, name: str, column: pa.ChunkedArray) -> None:
        self._columns[path, name] = column
        self._bytes += column.nbytes
        while self._bytes > self.budget and self._columns:
            self._bytes -= self._columns.popitem(last=False)[1].nbytes


def _canonical(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_floating(column.type):
        return column
    return pa.chunked_array([canonical(chunk) for chunk in column.chunks], column.type)


def _positions(present: pa.Table, distinct: pa.Table, keys: Sequence[str]) -> Any:
    """Where in `present` a wanted key stands: a cheap test column by column, then an exact one."""
    possible = np.ones(len(present), bool)
    for name in keys:
        values = distinct.column(name).combine_chunks()
        possible &= pc.is_in(present.column(name), value_set=values).to_numpy()
    positions = np.flatnonzero(possible)
    if len(keys) == 1 or len(positions) == 0:
        return positions
    # Declared NOT NULL on one side only, the columns of a key still compare.
    both = pa.concat_tables([distinct.select(keys), present.take(positions)], promote_options="default")
    numbers = codes(both, keys)
    return positions[np.isin(numbers[len(distinct) :], numbers[: len(distinct)])]


def _holding(files: list[DataFile], name: str, column: pa.ChunkedArray) -> list[DataFile]:
    """The files whose range of `name` holds one of the values."""
    values = [value for value in column.to_pylist() if value is not None]
    if any(value != value or isinstance(value, bytes) for value in values):
        return files  # NaN and binary have no range
    ordered = sorted(_plain(value) for value in values)
    null = column.null_count > 0
    return [file for file in files if _holds(file, name, ordered) or (null and file.nulls.get(name, 1))]


def _holds(file: DataFile, name: str, ordered: Sequence[Any]) -> bool:
    least, greatest = file.minimum.get(name), file.maximum.get(name)
    if least is None or greatest is None:
        return True
    position = bisect.bisect_left(ordered, _plain(least))
    return position < len(ordered) and bool(ordered[position] <= _plain(greatest))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value
