"""Small Delta tables that only grow: pushes, audit and what is summed up from them.

Rows are appended a few at a time, and the rows of a file are of one day (UTC): so `journal_files` can merge
small files day by day and drop old days whole, and a reader opens only the files of the period it asks for,
by the statistics in the log.  A table that an older version wrote has files that span days; they are read
like any other, and go when their last day does.  It lacks the newer columns, too: they read as null, and the
first append adds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files
from headwater.storage.timeline import new_file_name
from headwater.units import DAY

__all__ = [
    "AT", "AUDIT", "PROCESS_CPU", "PUSHES", "append_rows", "day_of", "files_between", "first_instant",
    "newest_rows", "read_rows", "rows_by_file",
]  # fmt: skip

SMALL = 500  # rows: files of a run that goes on, before they are merged
TOGETHER = 20_000  # rows

AT = "at"  # when a row was recorded, in microseconds

PUSHES = pa.schema(
    [
        ("at", pa.int64()),
        ("view", pa.string()),
        ("stage", pa.string()),
        ("mode", pa.string()),
        ("reason", pa.string()),
        ("after", pa.int64()),
        ("until", pa.int64()),
        ("changed_rows", pa.int64()),
        ("scanned_rows", pa.int64()),
        ("result_rows", pa.int64()),
        ("seconds", pa.float64()),
        ("predicted_seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("spark_jobs", pa.int64()),
        ("attempt", pa.int64()),
        ("error", pa.string()),
        ("site", pa.string()),  # where it ran
        ("serves", pa.string()),  # the views it worked for, with commas; none: `view` alone
        ("bytes_copied", pa.int64()),  # from another site
        ("action", pa.string()),  # pushes of one Spark action share it
        ("late_rows", pa.int64()),  # rows that reached the view later than promised
        ("actions_before", pa.int64()),  # of its kind that the same Spark had run: the first ones are slow
        ("penalty", pa.float64()),  # dollars per late row, as promised when it ended
        ("trace", pa.string()),  # the error with its traceback
    ]
)

AUDIT = pa.schema(
    [
        ("at", pa.int64()),
        ("view", pa.string()),
        ("time", pa.int64()),
        ("staleness_s", pa.float64()),
        ("freshness_s", pa.float64()),
        ("violated", pa.bool_()),
        ("rows", pa.int64()),
        ("pushes", pa.int64()),
        ("rows_moved", pa.int64()),
        ("cpu_seconds", pa.float64()),
        ("dollars", pa.float64()),
        ("owner", pa.string()),
        ("site", pa.string()),
        ("penalty", pa.float64()),  # dollars per late row
        ("stored_bytes", pa.int64()),
    ]
)

# What the processes of a run used: this one, and the JVM that it started.
PROCESS_CPU = pa.schema([("at", pa.int64()), ("process", pa.string()), ("cpu_seconds", pa.float64())])


def day_of(instant: int) -> int:
    """The number of the day (UTC) of an instant."""
    return instant // DAY


def append_rows(
    log: DeltaLog,
    schema: pa.Schema,
    rows: Sequence[Mapping[str, Any]],
    now: int,
    transactions: Mapping[str, int] | None = None,
) -> None:
    """Add rows in one commit, a file for each day; `transactions` are reached by the same commit."""
    if not rows and not transactions:
        return
    if not log.exists():
        log.create(schema)
    log.widen(schema)
    time = max(now, log.time() + 1)
    by_day = groupby(sorted(rows, key=lambda row: row[AT]), key=lambda row: day_of(row[AT]))
    files = [
        write_parquet(log.path, new_file_name(time), pa.Table.from_pylist(list(of_day), schema=schema))
        for _, of_day in by_day
    ]
    log.commit(time, files, transactions=transactions)


def files_between(
    log: DeltaLog, since: int = 0, until: int | None = None, column: str = AT
) -> list[DataFile]:
    """The files that may hold rows of [since, until), oldest first."""
    last = (1 << 62) if until is None else until - 1
    if last < since or not log.exists():
        return []
    files = [file for file in log.snapshot().files if file.may_hold(column, since, last)]
    return sorted(files, key=lambda file: (file.maximum.get(column) or 0, file.minimum.get(column) or 0))


def first_instant(log: DeltaLog) -> int | None:
    """The instant of the oldest row, as the log's statistics have it."""
    files = files_between(log)
    return min((file.minimum.get(AT) or 0 for file in files), default=None)


def rows_by_file(
    log: DeltaLog,
    schema: pa.Schema,
    since: int = 0,
    until: int | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[pa.Table]:
    """The rows of [since, until) file by file, small neighbours together: nobody needs more in memory."""
    for small, files in _runs(files_between(log, since, until)):
        if small:
            rows = pa.concat_tables(_between(_small_file(file.path, schema), since, until) for file in files)
            yield rows if columns is None else rows.select(list(columns))
        else:
            yield _read(files, schema, columns, _within(since, until))


def _runs(files: Sequence[DataFile]) -> Iterator[tuple[bool, list[DataFile]]]:
    """Each large file by itself; small ones that follow each other together, some thousand rows at a time."""
    waiting: list[DataFile] = []
    for file in files:
        if file.rows > SMALL:
            yield from [(True, waiting)] if waiting else []
            yield False, [file]
            waiting = []
            continue
        waiting.append(file)
        if sum(each.rows for each in waiting) > TOGETHER:
            yield True, waiting
            waiting = []
    yield from [(True, waiting)] if waiting else []


def read_rows(
    log: DeltaLog,
    schema: pa.Schema,
    since: int = 0,
    until: int | None = None,
    columns: Sequence[str] | None = None,
    where: pc.Expression | None = None,
) -> pa.Table:
    """The rows of [since, until) that meet a condition, oldest first."""
    condition = _within(since, until) if where is None else _within(since, until) & where
    return _read(files_between(log, since, until), schema, columns, condition).sort_by(AT)


def newest_rows(
    log: DeltaLog,
    schema: pa.Schema,
    enough: int,
    where: pc.Expression,
    since: int = 0,
    until: int | None = None,
) -> pa.Table:
    """The newest rows that meet a condition, oldest first: as many files back as it takes to have enough."""
    chosen: list[pa.Table] = []
    where = where & _within(since, until)
    for file in reversed(files_between(log, since, until)):
        chosen.append(_read([file], schema, None, where))
        if sum(len(part) for part in chosen) >= enough:
            break
    rows = pa.concat_tables(chosen).sort_by(AT) if chosen else schema.empty_table()
    return rows.slice(max(0, len(rows) - enough))


@lru_cache(maxsize=1024)
def _small_file(path: str, schema: pa.Schema) -> pa.Table:
    """A file's rows. Files never change, so a server that is asked every few seconds reads each once."""
    return read_files([path], schema)


def _between(rows: pa.Table, since: int, until: int | None) -> pa.Table:
    """The rows of [since, until); the same table if that is all of them."""
    at = rows.column(AT)
    inside = pc.greater_equal(at, since)
    if until is not None:
        inside = pc.and_(inside, pc.less(at, until))
    return rows if pc.all(inside).as_py() else rows.filter(inside)


def _within(since: int, until: int | None) -> pc.Expression:
    return (pc.field(AT) >= since) & (pc.field(AT) < until) if until is not None else pc.field(AT) >= since


def _read(
    files: Sequence[DataFile], schema: pa.Schema, columns: Sequence[str] | None, where: pc.Expression
) -> pa.Table:
    """The rows that meet a condition; columns that a file lacks read as null."""
    names = list(columns) if columns is not None else schema.names
    if not files:
        return pa.schema([schema.field(name) for name in names]).empty_table()
    return read_files([file.path for file in files], schema, names, where)
