"""The current rows of a source's timeline for given keys, without Spark.

Files that cannot hold a wanted key are skipped by the log's statistics.  In a small file the key columns are
read and compared, and further columns only if a key occurs.  A large file is asked through its side files
(storage/index): which rows have the hash of a wanted key, and what is in just those rows.  So looking up a
thousand keys costs about the same in a million rows and in ten million, and an insert of a new key reads no
row at all.

Data files never change, so neither do columns once read nor side files, whoever else writes; which files
belong to the timeline is asked of the Delta log every time.  All tables and threads of a process share one
budget for columns of small files; side files are mapped, so their memory is the system's to keep or drop.

Invariant: the answer equals the sum of all changes of the timeline whose key is wanted.
"""

from __future__ import annotations

import bisect
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.intake.codes import codes
from headwater.capture.intake.values import canonical
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.index.hashes import Hashes, can_hash, key_hashes
from headwater.storage.index.key_file import open_key_file
from headwater.storage.index.read_columns import read_columns
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.index.row_file import open_row_file
from headwater.storage.index.side_files import LARGE_ROWS
from headwater.storage.timeline import WEIGHT, Timeline, change_schema
from headwater.storage.zset import consolidate

__all__ = ["Current"]

logger = logging.getLogger(__name__)

BUDGET = 256 * 1024 * 1024  # bytes
_MANY = 200_000  # more wanted keys than this are not sorted to skip files

# Columns of small files by path and name, of all tables.
_columns: RecentlyUsed[tuple[str, str], pa.ChunkedArray] = RecentlyUsed(BUDGET, lambda column: column.nbytes)


@dataclass(slots=True)
class Current:
    """Looks up rows of one timeline."""

    timeline: Timeline
    large_rows: int = LARGE_ROWS  # rows from which a file is looked up through its side files

    def rows(self, wanted: pa.Table, keys: Sequence[str]) -> pa.Table:
        """The current rows (with `_weight`) whose `keys` occur in `wanted`."""
        return self._matching(wanted, keys, self.timeline.columns().names)

    def counts(self, wanted: pa.Table, keys: Sequence[str]) -> pa.Table:
        """How many rows there are now (`_weight`) for each of the wanted `keys`; without keys, in total."""
        if not keys:
            total = sum(self._weight(file) for file in self.timeline.snapshot().files)
            return pa.table({WEIGHT: pa.array([total], pa.int64())})
        return self._matching(wanted, keys, list(keys))

    def everything(self) -> pa.Table:
        """All current rows with their weights."""
        schema = change_schema(self.timeline.columns())
        parts = [_read(file, schema) for file in self.timeline.snapshot().files]
        return consolidate(pa.concat_tables(parts)) if parts else schema.empty_table()

    def _weight(self, file: DataFile) -> int:
        """The sum of a file's weights: from the log if all are equal."""
        weight = file.minimum.get(WEIGHT)
        if weight is not None and weight == file.maximum.get(WEIGHT):
            return int(weight) * file.rows
        column = self._columns_of(file, [WEIGHT], change_schema(self.timeline.columns())).column(WEIGHT)
        return int(pc.sum(column).as_py() or 0)

    def _matching(self, wanted: pa.Table, keys: Sequence[str], names: Sequence[str]) -> pa.Table:
        schema = change_schema(self.timeline.columns())
        result = pa.schema([schema.field(name) for name in [*names, WEIGHT]])
        if len(wanted) == 0:
            return result.empty_table()
        distinct = wanted.select(keys).group_by(list(keys)).aggregate([])
        hashes = _sorted_hashes(distinct, keys, schema)
        names = list(dict.fromkeys((*keys, *result.names)))
        possible, matches = [], []
        for file in self._candidates(distinct, keys):
            rows = None
            if hashes is not None and file.rows >= self.large_rows:
                rows = _hashed_rows(file, hashes, keys, names, schema)
            if rows is None:
                matches.append(self._scanned_rows(file, distinct, keys, result))
            else:
                possible.append(rows)
        if possible:  # compared all at once: a large table has many files, each with few of the rows
            rows = _canonical(pa.concat_tables(possible))
            matches.append(rows.take(_positions(rows, distinct, keys)).select(result.names))
        return consolidate(pa.concat_tables([result.empty_table(), *matches])).cast(result)

    def _scanned_rows(
        self, file: DataFile, distinct: pa.Table, keys: Sequence[str], result: pa.Schema
    ) -> pa.Table:
        """The changes of a small file whose keys are wanted."""
        schema = change_schema(self.timeline.columns())
        positions = _positions(self._columns_of(file, keys, schema), distinct, keys)
        if len(positions) == 0:
            return result.empty_table()
        return self._columns_of(file, result.names, schema).take(positions)

    def _candidates(self, distinct: pa.Table, keys: Sequence[str]) -> list[DataFile]:
        files = list(self.timeline.snapshot().files)
        for name in keys:
            column = distinct.column(name)
            if files and len(column) <= _MANY:
                files = _holding(files, name, column)
        return files

    def _columns_of(self, file: DataFile, names: Sequence[str], schema: pa.Schema) -> pa.Table:
        """Columns of a file, read if they are not remembered."""
        columns = {name: _columns.get((file.path, name)) for name in names}
        missing = [name for name, column in columns.items() if column is None]
        if missing:
            table = _read(file, pa.schema([schema.field(name) for name in missing]))
            for name in missing:
                columns[name] = _columns.put((file.path, name), table.column(name))
        return pa.table(
            [columns[name] for name in names], schema=pa.schema([schema.field(name) for name in names])
        )


def _read(file: DataFile, schema: pa.Schema) -> pa.Table:
    return _canonical(read_columns(file, schema))


def _sorted_hashes(distinct: pa.Table, keys: Sequence[str], schema: pa.Schema) -> Hashes | None:
    """The hashes of the wanted keys, in the types in which they are stored; None if those have none."""
    kinds = [pa.field(name, schema.field(name).type) for name in keys]
    if not all(can_hash(column.type) for column in kinds):
        return None
    return np.sort(key_hashes(distinct.select(keys).cast(pa.schema(kinds)), keys))


def _hashed_rows(
    file: DataFile, hashes: Hashes, keys: Sequence[str], names: Sequence[str], schema: pa.Schema
) -> pa.Table | None:
    """Columns of the rows whose keys have one of the hashes; None if there can be no side files."""
    try:
        positions = open_key_file(file, keys, schema).find(hashes)
        if len(positions) == 0:
            return pa.schema([schema.field(name) for name in names]).empty_table()
        return open_row_file(file, schema).take(positions, names)
    except OSError as error:
        logger.warning("%s is read whole: its side files cannot be made (%s)", file.path, error)
        return None


def _canonical(rows: pa.Table) -> pa.Table:
    """The rows with one form for equal floating-point values."""
    for number, column in enumerate(rows.schema):
        if pa.types.is_floating(column.type):
            chunks = [canonical(chunk) for chunk in rows.column(number).chunks]
            rows = rows.set_column(number, column, pa.chunked_array(chunks, column.type))
    return rows


def _positions(present: pa.Table, distinct: pa.Table, keys: Sequence[str]) -> Any:
    """Where in `present` a wanted key occurs: a cheap test column by column, then an exact one."""
    possible = np.ones(len(present), bool)
    for name in keys:
        values = distinct.column(name).combine_chunks()
        possible &= pc.is_in(present.column(name), value_set=values).to_numpy()
    positions = np.flatnonzero(possible)
    if len(keys) == 1 or len(positions) == 0:
        return positions
    # A column of the key may be NOT NULL on one side only; the two still compare.
    both = pa.concat_tables([distinct.select(keys), present.take(positions)], promote_options="default")
    numbers = codes(both, keys)
    return positions[np.isin(numbers[len(distinct) :], numbers[: len(distinct)])]


def _holding(files: list[DataFile], name: str, column: pa.ChunkedArray) -> list[DataFile]:
    """The files whose range of `name` contains one of the values."""
    try:
        values = [value for value in column.to_pylist() if value is not None]
    except (OverflowError, ValueError):
        return files  # a year that Python does not have
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
