"""The audit and the pushes summed up, an hour at a time, so that status and bill need not read every row.

    audit_hours    stretches: the snapshots of a view within an hour, as long as its site and owner stay
    push_hours     the pushes of an hour for the same views at the same site
    last_pushes    of each view the newest push, and the newest one that did something

An hour is summed up once it is over; the same commit records up to when that was done, and what is later is
read from the rows themselves.  Sums add up: a period is the rows of its first and last hour, and the sums
of those between.  A thousand views have 17 million snapshots a day, and 24,000 stretches.

Doubt: a row that is recorded for an hour that has been summed up already (the clock was set back) is in its
table and not in the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.planning.cost.billing import KEPT_GAP
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.records.by_view import ordered_by_view, starts_and_ends
from headwater.storage.records.journal import AT, AUDIT, PUSHES, append_rows, day_of, files_between, read_rows
from headwater.storage.records.last_pushes import keep_last_pushes, last_pushes
from headwater.storage.warehouse import Warehouse
from headwater.units import HOUR

__all__ = [
    "AUDIT_HOURS", "PUSH_HOURS", "SUMMED_UP", "hour_after", "push_sums", "stretches", "sum_up", "summed_up",
]  # fmt: skip

SUMMED_UP = "headwater-summed-up"  # the transaction that records up to when a table was summed up
MOST_HOURS = 24  # in one call: a table of months that an older version left is summed up bit by bit

AUDIT_HOURS = pa.schema(
    [
        ("at", pa.int64()),  # of the first snapshot
        ("until", pa.int64()),  # of the last one
        ("view", pa.string()),
        ("owner", pa.string()),
        ("site", pa.string()),
        ("penalty", pa.float64()),  # dollars per late row, at the end
        ("stored_bytes", pa.int64()),  # at the end
        ("byte_time", pa.float64()),  # bytes times microseconds stored, from the first snapshot to the last
        ("kept", pa.int64()),  # microseconds of that without a gap
        ("snapshots", pa.int64()),
        ("violated", pa.int64()),
        ("pushes", pa.int64()),
        ("rows_moved", pa.int64()),
        ("cpu_seconds", pa.float64()),
        ("dollars", pa.float64()),
    ]
)

PUSH_HOURS = pa.schema(
    [
        ("at", pa.int64()),  # of the first push
        ("view", pa.string()),
        ("serves", pa.string()),
        ("site", pa.string()),
        ("penalty", pa.float64()),
        ("pushes", pa.int64()),
        ("cpu_seconds", pa.float64()),
        ("bytes_copied", pa.int64()),
        ("result_rows", pa.int64()),
        ("late_rows", pa.int64()),
    ]
)

_ADDED_UP = ("violated", "pushes", "rows_moved", "cpu_seconds", "dollars")


def hour_after(instant: int) -> int:
    """The first full hour at or after an instant."""
    return -(-instant // HOUR) * HOUR


def summed_up(sums: DeltaLog) -> int:
    """Up to when a table was summed up; 0 if it never was."""
    return (sums.transaction(SUMMED_UP) or 0) if sums.exists() else 0


def sum_up(warehouse: Warehouse, now: int) -> int:
    """Sum up the hours that are over; returns how many commits it took. Only the run may call this."""
    end = now - now % HOUR
    audit, pushes = warehouse.system("audit"), warehouse.system("pushes")
    done = _sum_up(audit, AUDIT, warehouse.system("audit_hours"), AUDIT_HOURS, stretches, end)
    last = warehouse.system("last_pushes")
    for until, rows in _days(pushes, PUSHES, summed_up(last), end, last_pushes):
        keep_last_pushes(last, rows, until, {SUMMED_UP: until})
        done += 1
    return done + _sum_up(pushes, PUSHES, warehouse.system("push_hours"), PUSH_HOURS, push_sums, end)


def _sum_up(
    log: DeltaLog,
    schema: pa.Schema,
    sums: DeltaLog,
    sums_schema: pa.Schema,
    add_up: Callable[[pa.Table], pa.Table],
    end: int,
) -> int:
    done = 0
    for until, rows in _days(log, schema, summed_up(sums), end, add_up):
        append_rows(sums, sums_schema, rows.to_pylist(), until, {SUMMED_UP: until})
        done += 1
    return done


def _days(
    log: DeltaLog, schema: pa.Schema, since: int, end: int, add_up: Callable[[pa.Table], pa.Table]
) -> Iterator[tuple[int, pa.Table]]:
    """The sums of the next full hours before `end`, day by day, each with the end of its last hour."""
    hours = islice(_hours(log, schema, since, end), MOST_HOURS)
    for _, of_day in groupby(hours, key=lambda hour: day_of(hour[0])):
        sums = [(hour + HOUR, add_up(rows)) for hour, rows in of_day]
        yield sums[-1][0], pa.concat_tables([table for _, table in sums])


def _hours(log: DeltaLog, schema: pa.Schema, since: int, end: int) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each full hour before `end` that has some, an hour in memory at a time."""
    while files := files_between(log, since, end):
        first = min(max(since, file.minimum.get(AT) or 0) for file in files)
        hour, since = first - first % HOUR, hour_after(first + 1)
        rows = read_rows(log, schema, hour, since)
        if len(rows):
            yield hour, rows


def stretches(audit: pa.Table) -> pa.Table:
    """The snapshots of each view added up, in the order of time, for as long as its site and owner stay."""
    if not len(audit):
        return AUDIT_HOURS.empty_table()
    ordered = ordered_by_view(audit)
    starts, ends = starts_and_ends(ordered, ("view", "site", "owner"))
    at = ordered.column(AT).to_numpy()
    stored = pc.fill_null(ordered.column("stored_bytes"), 0).to_numpy()
    within = np.ones(len(ordered), bool)
    within[ends] = False  # the time after the last snapshot of a stretch is not part of it
    held = np.where(within, np.append(np.diff(at), 0), 0)
    first, last = ordered.take(pa.array(starts)), ordered.take(pa.array(ends))
    columns = {
        "at": first.column(AT),
        "until": last.column(AT),
        **{name: last.column(name) for name in ("view", "owner", "site", "penalty", "stored_bytes")},
        "byte_time": np.add.reduceat(held * stored.astype(float), starts),
        "kept": np.add.reduceat(np.where(held <= KEPT_GAP, held, 0), starts),
        "snapshots": ends - starts + 1,
    }
    for name in _ADDED_UP:
        values = pc.fill_null(ordered.column(name).cast(AUDIT_HOURS.field(name).type), 0).to_numpy()
        columns[name] = np.add.reduceat(values, starts)
    return pa.table(columns).select(AUDIT_HOURS.names).cast(AUDIT_HOURS).sort_by(AT)


def push_sums(pushes: pa.Table) -> pa.Table:
    """Pushes for the same views at the same site, added up."""
    added_up = [(name, "sum") for name in ("cpu_seconds", "bytes_copied", "result_rows", "late_rows")]
    keys = ["view", "serves", "site", "penalty"]
    grouped = pushes.group_by(keys, use_threads=False).aggregate([*added_up, (AT, "min"), (AT, "count")])
    names = {"at_min": AT, "at_count": "pushes"} | {f"{name}_sum": name for name, _ in added_up}
    renamed = grouped.rename_columns([names.get(name, name) for name in grouped.column_names])
    return renamed.select(PUSH_HOURS.names).cast(PUSH_HOURS).sort_by(AT)
