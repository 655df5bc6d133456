"""What was recorded of a period: sums of its full hours, the rows themselves of what is left at its ends.

    |---- rows ----|======== sums of full hours ========|---- rows ----|
  since       hour_after(since)                    summed up to      until

Where every row counts by itself (`fine`), as for a period that is cut into minutes, the rows of all of it.
Either way the answer has the columns of the sums, in tables that cover one stretch of time after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from headwater.storage.records.hours import (
    AUDIT_HOURS,
    PUSH_HOURS,
    hour_after,
    push_sums,
    stretches,
    summed_up,
)
from headwater.storage.records.journal import AT, AUDIT, PUSHES, rows_by_file
from headwater.storage.warehouse import Warehouse
from headwater.units import HOUR

__all__ = ["FOREVER", "recorded_pushes", "recorded_stretches"]

FOREVER = 1 << 62


@dataclass(frozen=True, slots=True)
class _Recording:
    """A table, its sums, and how rows become either."""

    rows: str
    schema: pa.Schema
    sums: str
    sums_schema: pa.Schema
    add_up: Callable[[pa.Table], pa.Table]
    one_by_one: Callable[[pa.Table], pa.Table]


def recorded_stretches(
    warehouse: Warehouse, since: int = 0, until: int = FOREVER, fine: bool = False
) -> Iterator[pa.Table]:
    """The snapshots of [since, until) with the columns of AUDIT_HOURS."""
    return _recorded(warehouse, _SNAPSHOTS, since, until, fine)


def recorded_pushes(
    warehouse: Warehouse, since: int = 0, until: int = FOREVER, fine: bool = False
) -> Iterator[pa.Table]:
    """The pushes of [since, until) with the columns of PUSH_HOURS."""
    return _recorded(warehouse, _PUSHES, since, until, fine)


def _recorded(
    warehouse: Warehouse, recording: _Recording, since: int, until: int, fine: bool
) -> Iterator[pa.Table]:
    log, sums = warehouse.system(recording.rows), warehouse.system(recording.sums)
    first, last = hour_after(since), min(summed_up(sums), until - until % HOUR)
    if fine or last <= first:
        yield from _rows(recording, rows_by_file(log, recording.schema, since, until), fine)
        return
    yield from _rows(recording, rows_by_file(log, recording.schema, since, first), fine)
    yield from rows_by_file(sums, recording.sums_schema, first, last)
    yield from _rows(recording, rows_by_file(log, recording.schema, last, until), fine)


def _rows(recording: _Recording, tables: Iterator[pa.Table], fine: bool) -> Iterator[pa.Table]:
    return map(recording.one_by_one if fine else recording.add_up, tables)


def _each_snapshot(audit: pa.Table) -> pa.Table:
    """Every snapshot as a stretch of its own, which lasts no time."""
    whole = {"until": audit.column(AT), "byte_time": _constant(audit, 0.0), "kept": _constant(audit, 0)}
    return _with(audit, AUDIT_HOURS, whole | {"snapshots": _constant(audit, 1)})


def _each_push(pushes: pa.Table) -> pa.Table:
    return _with(pushes, PUSH_HOURS, {"pushes": _constant(pushes, 1)})


def _constant(table: pa.Table, value: float) -> pa.Array:
    return pa.repeat(pa.scalar(value), len(table))


def _with(rows: pa.Table, schema: pa.Schema, more: dict[str, pa.Array]) -> pa.Table:
    columns = [more[name] if name in more else rows.column(name) for name in schema.names]
    return pa.table(columns, names=schema.names).cast(schema)


_SNAPSHOTS = _Recording("audit", AUDIT, "audit_hours", AUDIT_HOURS, stretches, _each_snapshot)
_PUSHES = _Recording("pushes", PUSHES, "push_hours", PUSH_HOURS, push_sums, _each_push)
