"""A view as plain rows, for any Delta reader: no weights, no times, every row as often as it occurs.

After a push the delta is applied here, as one Delta commit: files that hold nothing but new rows are linked,
other new rows are appended, and files that hold deleted rows are rewritten without them.  The log's
statistics narrow down which files those are, then the values of the most selective column.  Readers see the
view before or after a push, never between.

Rewriting costs what the touched files hold.  If that is more than `LIMIT_ROWS`, the delta is left for
`republish` (engine/push/publishing.py), which Spark does off the critical path; until then the table is an
earlier, consistent state, and its time in the log says which.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.delta.data_files import DataFile, NewFile, Snapshot
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files
from headwater.storage.delta.statistics import START, FileStatistics, is_window
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.timeline import WEIGHT, new_file_name
from headwater.storage.zset import consolidate, expand

__all__ = [
    "LIMIT_ROWS",
    "all_linked",
    "publish",
    "publish_files",
    "read_published",
    "replace_all",
    "rows_of",
    "write_rows",
]

LIMIT_ROWS = 1_500_000
SMALL_FILE_ROWS = 20_000
MANY_SMALL_FILES = 24
FEWEST_SETTLED = 1_000  # rows of windows that are over, in a file of their own


def publish(log: DeltaLog, delta: pa.Table, time: int, fresh: FreshRows | None = None) -> bool:
    """Apply a delta (rows and `_weight`). False if it would rewrite too much now.

    `fresh`: rows that this process has written, which then need not be read.
    """
    snapshot = log.snapshot()
    if snapshot.time >= time:
        return True
    schema = snapshot.schema
    deleted = delta.filter(pc.less(delta.column(WEIGHT), 0)).drop_columns([WEIGHT])
    touched = _touched(snapshot.files, deleted, schema)
    touched += _mergeable(snapshot.files, touched)
    if sum(file.rows for file in touched) > LIMIT_ROWS:
        return False
    present = _present(touched, schema, fresh)
    if deleted.num_rows:
        ones = pa.repeat(pa.scalar(1, pa.int64()), present.num_rows)
        present = present.append_column(delta.schema.field(WEIGHT), ones)
        delta = delta.select(present.column_names).cast(present.schema)
        rows = expand(consolidate(pa.concat_tables([present, delta])))
    else:
        rows = pa.concat_tables([present, expand(delta).select(schema.names).cast(schema)])
    parts = [part.select(schema.names).cast(schema) for part in _by_windows(rows, delta)]
    written = [(file, part) for part in parts for file in write_rows(log, part, schema, time)]
    if fresh is not None and rows.num_rows <= SMALL_FILE_ROWS:
        fresh.remember({os.path.join(log.path, file.relative): part for file, part in written})
    return log.commit(time, [file for file, _ in written], touched, after=snapshot.time)


def replace_all(
    log: DeltaLog, files: Sequence[NewFile], columns: pa.Schema, description: str, time: int
) -> bool:
    """Make these files all that the table holds, in one commit; False if it has reached the time before.

    If the table is not there, or was made for another definition of the view, it gets this one in the same
    commit.
    """
    snapshot = log.snapshot()
    if snapshot.description == description:
        return log.commit(time, files, snapshot.files, after=snapshot.time)
    log.replace(columns, description, time, files)
    return True


def publish_files(log: DeltaLog, files: Sequence[DataFile], time: int) -> bool:
    """Add files of a timeline that hold nothing but new rows, each once; no row is written again.

    The files are linked, so each table deletes its own name when it vacuums.  Their extra columns (the
    weight) are not in the table's schema and no reader looks at them.  False if they cannot be used as they
    are, or if it is time to merge small files.
    """
    snapshot = log.snapshot()
    if snapshot.time >= time:
        return True
    if _mergeable(snapshot.files, ()):
        return False
    links = all_linked(log, files, snapshot.schema, time)
    return links is not None and log.commit(time, links, after=snapshot.time)


def all_linked(
    log: DeltaLog, files: Sequence[DataFile], columns: pa.Schema, time: int
) -> list[NewFile] | None:
    """The files, linked into the table's folder; None if some of their rows are not there just once."""
    if not all(_plain(file) for file in files):
        return None
    os.makedirs(log.path, exist_ok=True)
    return [_linked(log, file, columns, time) for file in files]


def _plain(file: DataFile) -> bool:
    return file.minimum.get(WEIGHT) == 1 and file.maximum.get(WEIGHT) == 1


def _linked(log: DeltaLog, file: DataFile, columns: pa.Schema, time: int) -> NewFile:
    name = new_file_name(time)
    target = os.path.join(log.path, name)
    try:
        os.link(file.path, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file.path, target)
    own = set(columns.names)
    minimum, maximum, nulls = (
        {column: value for column, value in statistics.items() if column in own and value is not None}
        for statistics in (file.minimum, file.maximum, file.nulls)
    )
    return NewFile(name, FileStatistics(file.rows, minimum, maximum, nulls))


def read_published(log: DeltaLog) -> tuple[int, pa.Table]:
    """The view's rows and the time they are of."""
    snapshot = log.snapshot()
    return snapshot.time, rows_of(snapshot)


def rows_of(snapshot: Snapshot) -> pa.Table:
    """The rows of a plain table as it was looked at."""
    return _read(snapshot.files, snapshot.schema)


def write_rows(log: DeltaLog, rows: pa.Table, columns: pa.Schema, time: int) -> list[NewFile]:
    """The rows as a file in the table's folder, not yet committed; none without rows."""
    if not rows.num_rows:
        return []
    return [write_parquet(log.path, new_file_name(time), rows.select(columns.names).cast(columns))]


def _present(files: Sequence[DataFile], schema: pa.Schema, fresh: FreshRows | None) -> pa.Table:
    known = None if fresh is None else fresh.of((file.path for file in files), schema.names)
    return _read(files, schema) if known is None else known


def _read(files: Sequence[DataFile], schema: pa.Schema) -> pa.Table:
    if not files:
        return schema.empty_table()
    return read_files([file.path for file in files], schema)


def _touched(files: Sequence[DataFile], deleted: pa.Table, schema: pa.Schema) -> list[DataFile]:
    """The files that may hold a deleted row."""
    if deleted.num_rows == 0:
        return []
    files = _around_windows(files, deleted)
    column = _most_selective(deleted)
    if column is None or sum(file.rows for file in files) <= SMALL_FILE_ROWS:
        return list(files)  # to look closer costs as much as to write them anew
    values = deleted.column(column)
    nulls = values.null_count > 0
    bounds = _bounds(values)
    wanted = pc.unique(values)
    candidates = [file for file in files if nulls or bounds is None or file.may_hold(column, *bounds)]
    if sum(file.rows for file in candidates) > 2 * LIMIT_ROWS:
        return candidates  # looking closer would cost more than it can save
    return [file for file in candidates if _holds_any(file, schema, column, wanted)]


def _around_windows(files: Sequence[DataFile], deleted: pa.Table) -> list[DataFile]:
    """Windows that change are the last ones: the log knows where the windows of a file start."""
    left = list(files)
    for column in deleted.schema:
        if is_window(column.type) and not deleted.column(column.name).null_count:
            span = _bounds(pc.struct_field(deleted.column(column.name), START))
            left = [file for file in left if span is None or file.may_hold(f"{column.name}.{START}", *span)]
    return left


def _by_windows(rows: pa.Table, delta: pa.Table) -> list[pa.Table]:
    """The rows; those in windows before all that change apart, once they are most: they are written once."""
    for column in delta.schema:
        if is_window(column.type) and not delta.column(column.name).null_count:
            span = _bounds(pc.struct_field(delta.column(column.name), START))
            starts = pc.struct_field(rows.column(column.name), START)
            if span is None:
                continue
            over = pc.fill_null(pc.less(starts, pa.scalar(span[0], starts.type)), False)
            settled = rows.filter(over)
            if settled.num_rows >= max(FEWEST_SETTLED, rows.num_rows - settled.num_rows):
                return [settled, rows.filter(pc.invert(over))]
    return [rows]


def _bounds(values: pa.ChunkedArray) -> tuple[Any, Any] | None:
    """The least and the greatest value; None if there is none, or Python cannot hold one (a far year)."""
    try:
        least, greatest = (value.as_py() for value in pc.min_max(values).values())
    except (OverflowError, ValueError):
        return None
    return None if least is None else (least, greatest)


def _holds_any(file: DataFile, schema: pa.Schema, column: str, wanted: pa.Array) -> bool:
    values = read_files([file.path], schema, [column]).column(column)
    return bool(pc.any(pc.is_in(values, value_set=wanted)).as_py())


def _most_selective(rows: pa.Table) -> str | None:
    """The column with most distinct values, among those of simple types."""
    plain = [
        column.name
        for column in rows.schema
        if pa.types.is_integer(column.type)
        or pa.types.is_string(column.type)
        or pa.types.is_date(column.type)
        or pa.types.is_timestamp(column.type)
    ]
    return max(plain, key=lambda name: len(pc.unique(rows.column(name))), default=None)


def _mergeable(files: Sequence[DataFile], touched: Sequence[DataFile]) -> list[DataFile]:
    """Small files to merge with the touched ones once there are many: a reader should not open thousands."""
    taken = {file.relative for file in touched}
    small = [file for file in files if file.rows < SMALL_FILE_ROWS and file.relative not in taken]
    return small if len(small) >= MANY_SMALL_FILES else []
