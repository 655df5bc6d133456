"""RETAIN INTERVAL: delete the rows of a source that have grown too old, as a change like any other.

It is committed in the source's turn, as writers commit, so no push has gone beyond its time, and views see it
as deletions.  A batch is bounded: of many old rows, the oldest go first.

KEEP DERIVED: views must not see it.  Then the deletions are dated back to a time that every reader has passed
(`read_up_to`): they are part of the source's state from now on, and of no delta that is still to be read.
Rows that some reader has not read yet wait.

Cost: the temporal column of the files that may hold old rows; then those rows.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.clock import Clock
from headwater.model import Table
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

__all__ = ["BATCH", "expire", "expire_batch"]

BATCH = 100_000
MOST_BATCHES = 10  # in one call

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def expire(
    warehouse: Warehouse, table: Table, clock: Clock, read_up_to: Callable[[str], int] = lambda _: BEGINNING
) -> int:
    """Delete rows that are too old; returns how many. What is left of very many goes the next time.

    `read_up_to` says which time every reader of a source has passed; with KEEP DERIVED it is asked.
    """
    passed = read_up_to(table.name) if table.retain.keep_derived else BEGINNING
    total = 0
    for _ in range(MOST_BATCHES):
        deleted = expire_batch(warehouse, table, clock, read_up_to=passed)
        total += deleted
        if not deleted:
            break
    return total


def expire_batch(
    warehouse: Warehouse, table: Table, clock: Clock, most: int = BATCH, read_up_to: int = BEGINNING
) -> int:
    """Delete about `most` of the oldest rows that are too old."""
    timeline = warehouse.source(table.name)
    if table.retain.keep_derived and read_up_to == BEGINNING:
        return 0
    if table.retain.window is None or not timeline.exists():
        return 0
    oldest = _oldest(timeline, table, _cutoff(timeline, table, clock), most)
    if oldest is None:
        return 0
    with warehouse.clock(table.name).turn() as turn:
        assert turn is not None
        rows = _rows(timeline, table.retain.column, oldest)
        if table.retain.keep_derived:
            return _forget(timeline, rows, oldest, most, min(read_up_to, timeline.time()))
        deleted = rows.slice(0, most) if len(rows) else rows
        if not len(deleted):
            return 0
        time = max(turn.take(clock.now()), timeline.time() + 1)
        timeline.append(_negated(deleted), time, note={"mode": "expired"})
        turn.store(time)
    return len(deleted)


def _forget(timeline: Timeline, live: pa.Table, oldest: pc.Expression, most: int, time: int) -> int:
    """Take back the rows that are there now and were as of `time`, as often as both say."""
    then = _positive(consolidate(timeline.read(timeline.as_of(time), None, oldest)))
    # min(a, b) = (a + b - |a - b|) / 2
    apart = _sum(then, _negated(live))
    distance = _weighted(apart, pc.abs(apart.column(WEIGHT)))
    twice = _sum(then, live, _negated(distance)).slice(0, most)
    if not len(twice):
        return 0
    rows = _weighted(twice, pc.divide(twice.column(WEIGHT), 2))
    return len(rows) if timeline.forget(_negated(rows), time) else 0


def _sum(*rows: pa.Table) -> pa.Table:
    """The sum of Z-sets, of which some may have columns NOT NULL that others have nullable."""
    return consolidate(pa.concat_tables(rows, promote_options="default"))


def _positive(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.greater(rows.column(WEIGHT), 0))


def _negated(rows: pa.Table) -> pa.Table:
    return _weighted(rows, pc.negate(rows.column(WEIGHT)))


def _weighted(rows: pa.Table, weights: pa.ChunkedArray) -> pa.Table:
    return rows.set_column(rows.column_names.index(WEIGHT), rows.schema.field(WEIGHT), weights)


def _cutoff(timeline: Timeline, table: Table, clock: Clock) -> Any:
    """Rows before it are too old: as a value of the column's type."""
    window = table.retain.window or timedelta()
    at = _EPOCH + timedelta(microseconds=clock.now()) - window
    kind = timeline.columns().field(table.retain.column).type
    if pa.types.is_date(kind):
        return at.date()
    return at if kind.tz is not None else at.replace(tzinfo=None)


def _oldest(timeline: Timeline, table: Table, cutoff: Any, most: int) -> pc.Expression | None:
    """What tells the oldest rows before the cutoff, about `most` of them; None if there are none."""
    column = table.retain.column
    old = pc.field(column) < pa.scalar(cutoff, timeline.columns().field(column).type)
    values = consolidate(timeline.read(_candidates(timeline, column, cutoff), [column], old))
    values = _positive(values).sort_by(column)
    if not len(values):
        return None
    enough = int(np.searchsorted(np.cumsum(values.column(WEIGHT).to_numpy()), most))
    return pc.field(column) <= values.column(column)[min(enough, len(values) - 1)]


def _rows(timeline: Timeline, column: str, condition: pc.Expression) -> pa.Table:
    """The rows that meet a condition now, with how often they occur."""
    part = Slice(timeline.snapshot().files, 0, timeline.time())
    net = consolidate(timeline.read(part, None, condition))
    return _positive(net).sort_by(column)


def _candidates(timeline: Timeline, column: str, cutoff: Any) -> Slice:
    """The files that may hold values before the cutoff."""
    first = date.min if not isinstance(cutoff, datetime) else datetime.min.replace(tzinfo=cutoff.tzinfo)
    files = tuple(file for file in timeline.snapshot().files if file.may_hold(column, first, cutoff))
    return Slice(files, 0, timeline.time())
