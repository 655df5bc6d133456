"""A view as plain rows, for any Delta reader: no weights, no times, every row as often as it occurs.

After a push the delta is applied here, as one Delta commit: files that hold nothing but new rows are linked,
other new rows are appended, and files that hold deleted rows are written anew without them.  Which files
those are the log's statistics say, then the values of the column that tells rows apart best.  Readers see the
view before or after a push, never between.

Rewriting costs what the touched files hold.  If that is more than `LIMIT_ROWS`, the delta is left for the
next `replace` (which Spark does, off the critical path); until then the table is an earlier, consistent
state, and its time in the log says which.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from headwater.storage.delta_log import DataFile, DeltaLog, NewFile
from headwater.storage.parquet import write_parquet
from headwater.storage.statistics import FileStatistics
from headwater.storage.timeline import WEIGHT, new_file_name
from headwater.storage.zset import consolidate, expand

__all__ = ["LIMIT_ROWS", "publish", "publish_files", "read_published"]

LIMIT_ROWS = 1_500_000
SMALL_FILE_ROWS = 20_000
MANY_SMALL_FILES = 24


def publish(log: DeltaLog, delta: pa.Table, time: int) -> bool:
    """Apply a delta (rows and `_weight`). False if it would rewrite too much now."""
    snapshot = log.snapshot()
    if snapshot.time >= time:
        return True
    delta = consolidate(delta)
    inserted, deleted = _split(delta)
    touched = _touched(snapshot.files, deleted, log.schema())
    touched += _small_ones(snapshot.files, touched)
    if sum(file.rows for file in touched) > LIMIT_ROWS:
        return False
    rows = inserted
    if touched and not deleted.num_rows:
        rows = pa.concat_tables(
            [_read(touched, log.schema()), inserted.select(log.schema().names).cast(log.schema())]
        )
    elif touched:
        present = _read(touched, log.schema())
        ones = pa.repeat(pa.scalar(1, pa.int64()), present.num_rows)
        present = present.append_column(delta.schema.field(WEIGHT), ones)
        rows = expand(consolidate(pa.concat_tables([present, delta.cast(present.schema)])))
    added = [_written(log, rows, time)] if rows.num_rows else []
    return log.commit(time, added, touched)


def publish_files(log: DeltaLog, files: Sequence[DataFile], time: int) -> bool:
    """Take over files of a timeline that hold nothing but new rows, each once: no row is written again.

    The files are linked, so each table deletes its own name when it vacuums.  Their other columns (the
    weight) are not in the table's schema and no reader looks at them.  False if they cannot be taken as
    they are, or if it is time to merge small files.
    """
    snapshot = log.snapshot()
    if snapshot.time >= time:
        return True
    if not all(_plain(file) for file in files) or _small_ones(snapshot.files, ()):
        return False
    return log.commit(time, [_linked(log, file, time) for file in files])


def _plain(file: DataFile) -> bool:
    return file.minimum.get(WEIGHT) == 1 and file.maximum.get(WEIGHT) == 1


def _linked(log: DeltaLog, file: DataFile, time: int) -> NewFile:
    name = new_file_name(time)
    target = os.path.join(log.path, name)
    try:
        os.link(file.path, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file.path, target)
    own = set(log.schema().names)
    minimum, maximum, nulls = (
        {column: value for column, value in known.items() if column in own and value is not None}
        for known in (file.minimum, file.maximum, file.nulls)
    )
    return NewFile(name, FileStatistics(file.rows, minimum, maximum, nulls))


def read_published(log: DeltaLog) -> tuple[int, pa.Table]:
    """The view's rows and the time they are of."""
    snapshot = log.snapshot()
    return snapshot.time, _read(snapshot.files, log.schema())


def _split(delta: pa.Table) -> tuple[pa.Table, pa.Table]:
    weights = delta.column(WEIGHT)
    return expand(delta), delta.filter(pc.less(weights, 0)).drop_columns([WEIGHT])


def _written(log: DeltaLog, rows: pa.Table, time: int) -> NewFile:
    schema = log.schema()
    return write_parquet(log.path, new_file_name(time), rows.select(schema.names).cast(schema))


def _read(files: Sequence[DataFile], schema: pa.Schema) -> pa.Table:
    if not files:
        return schema.empty_table()
    return ds.dataset([file.path for file in files], schema=schema, format="parquet").to_table()


def _touched(files: Sequence[DataFile], deleted: pa.Table, schema: pa.Schema) -> list[DataFile]:
    """The files that may hold a deleted row."""
    if deleted.num_rows == 0:
        return []
    column = _telling(deleted)
    if column is None:
        return list(files)
    values = deleted.column(column)
    nulls = values.null_count > 0
    low, high = (value.as_py() for value in pc.min_max(values).values())
    wanted = pc.unique(values)
    near = [file for file in files if nulls or low is None or file.may_hold(column, low, high)]
    if sum(file.rows for file in near) > 2 * LIMIT_ROWS:
        return near  # looking closer would cost more than it can save
    return [file for file in near if _holds_any(file, schema, column, wanted)]


def _holds_any(file: DataFile, schema: pa.Schema, column: str, wanted: pa.Array) -> bool:
    values = (
        ds.dataset([file.path], schema=schema, format="parquet").to_table(columns=[column]).column(column)
    )
    return bool(pc.any(pc.is_in(values, value_set=wanted)).as_py())


def _telling(rows: pa.Table) -> str | None:
    """The column with most distinct values, among those that compare simply."""
    plain = [
        column.name
        for column in rows.schema
        if pa.types.is_integer(column.type)
        or pa.types.is_string(column.type)
        or pa.types.is_date(column.type)
        or pa.types.is_timestamp(column.type)
    ]
    return max(plain, key=lambda name: len(pc.unique(rows.column(name))), default=None)


def _small_ones(files: Sequence[DataFile], touched: Sequence[DataFile]) -> list[DataFile]:
    """Small files to merge along the way, once there are many: a reader should not open thousands."""
    taken = {file.relative for file in touched}
    small = [file for file in files if file.rows < SMALL_FILE_ROWS and file.relative not in taken]
    return small if len(small) >= MANY_SMALL_FILES else []
