"""Refresh a ranking: read the partitions, merge, and swap the places in one transaction with their time.

The windows that are ranked end with the newest epoch and with the one before it, for readers whose clock is
behind.  Counters of epochs that no such window holds are over: they are dropped with their places.  A change
that comes later for an epoch that is over counts for nobody, and goes with the next refresh.

How many counters a partition may read is bounded; there are as many partitions as that takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.algebra.expressions.facts import parameters_of
from headwater.algebra.expressions.tree import Column
from headwater.bounds.plans.evaluate import evaluate
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.store import Interval, RangeRead
from headwater.serve.store.layout import StoredRanking
from headwater.serve.store.moments import moments
from headwater.serve.store.protocol import KeptStore, Row, Snapshot, Writing
from headwater.serve.store.rankings.partitions import Partition, merged, placed, read_partition
from headwater.serve.store.rankings.ranked_view import BUCKETS, RankedView
from headwater.serve.store.rankings.record import REFRESHES, Refresh, last_refresh, row_of

__all__ = ["PERIOD", "SERIAL_ROWS", "ReadParts", "is_due", "read_here", "refresh"]

PERIOD = timedelta(minutes=1)
SERIAL_ROWS = 10_000  # counters that one partition may read: about a second
_DROPPED_AT_ONCE = 20_000
_SOME = 5_000

Places = dict[tuple[Any, ...], Row]
Buckets = Sequence[range]
ReadParts = Callable[[StoredRanking, Sequence[Any], Buckets], Sequence[Partition]]


def is_due(ranking: StoredRanking, last: Refresh | None, time_of_data: int, now: int, settle: bool) -> bool:
    """After a period, if there is anything new: changes, or a window that moves by itself.

    `settle`: nobody will come again after this, so what has changed is refreshed now.
    """
    if last is None:
        return True
    changed = last.time < time_of_data or _moves(ranking.view)
    return changed and (settle or now - last.at >= PERIOD // timedelta(microseconds=1))


def refresh(
    store: KeptStore,
    ranking: StoredRanking,
    as_of: int,
    now: int,
    read: ReadParts,
    on_spark: bool = False,
    count: int | None = None,
) -> Refresh:
    """Rank the newest windows anew; `count`: in how many partitions, else as many as the bound takes."""
    began = time.perf_counter()
    with store.snapshot() as snapshot:
        last = last_refresh(snapshot, ranking.table.id)
        ends = _ends(snapshot, ranking, now)
    parts = count or _partitions(last)
    partitions = read(ranking, ends, _buckets(parts))
    while count is None and parts < BUCKETS and max(part.rows for part in partitions) > SERIAL_ROWS:
        parts *= 2  # more counters than at the last refresh
        partitions = read(ranking, ends, _buckets(parts))
    rows: Places = {_key(ranking, row): row for row in placed(ranking.view, merged(partitions))}
    horizon = min(ranking.view.window(ends[-1])) if ends else None
    done = Refresh(
        ranking.table.id, ranking.view.name, as_of, now, 0.0, len(partitions),
        sum(part.rows for part in partitions), max(part.rows for part in partitions), SERIAL_ROWS,
        ends[0] if ends else None, horizon, len(rows), on_spark,
    )  # fmt: skip
    return _swap(store, ranking, rows, done, began)


def read_here(store: KeptStore) -> ReadParts:
    """Read partitions in this process, one after the other."""

    def read(ranking: StoredRanking, ends: Sequence[Any], parts: Buckets) -> Sequence[Partition]:
        with store.snapshot() as snapshot:
            return [read_partition(snapshot, ranking.names, ranking.view, ends, part) for part in parts]

    return read


def _moves(view: RankedView) -> bool:
    """Does its window end with the moment, and not with what a reader says?"""
    return all(name.startswith("$") for name in parameters_of(view.now))


def _ends(snapshot: Snapshot, ranking: StoredRanking, now: int) -> list[Any]:
    """The last epochs of the windows to rank, the newest first; none if nothing was counted."""
    view = ranking.view
    newest = evaluate(view.now, {}, moments(now)) if _moves(view) else _newest(snapshot, ranking, now)
    return [] if newest is None else [newest, newest - view.step]


def _newest(snapshot: Snapshot, ranking: StoredRanking, now: int) -> Any:
    """The newest epoch that is counted, and not in the future."""
    last = _by_epoch(snapshot, ranking, None, reverse=True)
    if last and isinstance(last[0][ranking.view.epoch], datetime):
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=now)
        last = _by_epoch(snapshot, ranking, Interval(high=at), reverse=True)
    return last[0][ranking.view.epoch] if last else None


def _by_epoch(
    snapshot: Snapshot,
    ranking: StoredRanking,
    interval: Interval | None,
    reverse: bool = False,
    most: int = 1,
) -> Sequence[Row]:
    key = ranking.view.catalog[ranking.view.counters].key
    primary = Index(ranking.counters, tuple(IndexPart(Column(name)) for name in key), primary=True)
    interval = interval or Interval()
    return snapshot.scan(RangeRead(primary, (), interval, reverse, most, table=ranking.counters))


def _partitions(last: Refresh | None) -> int:
    """Twice as many as the counters of the last refresh would need: hashing is not even, and they grow."""
    parts = 1
    while last is not None and parts < BUCKETS and parts * SERIAL_ROWS < 2 * last.rows:
        parts *= 2
    return parts


def _buckets(parts: int) -> list[range]:
    edges = [BUCKETS * place // parts for place in range(parts + 1)]
    return [range(first, stop) for first, stop in zip(edges, edges[1:], strict=False)]


def _key(ranking: StoredRanking, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ranking.table.key)


def _swap(store: KeptStore, ranking: StoredRanking, rows: Places, done: Refresh, began: float) -> Refresh:
    """New places for old, in one transaction: whoever reads sees one refresh or the other."""
    with store.transaction() as writing:
        for old in [row for _, row in writing.rows(ranking.table.id)]:
            if rows.get(_key(ranking, old)) == old:
                del rows[_key(ranking, old)]
            elif _key(ranking, old) not in rows:
                writing.delete(ranking.table.id, old)
        for row in rows.values():
            writing.put(ranking.table.id, row)
        if done.horizon is not None:
            _drop_over(writing, ranking, done.horizon)
        done = Refresh(**{**row_of(done), "seconds": round(time.perf_counter() - began, 6)})
        writing.put(REFRESHES.id, row_of(done))
        writing.mark_ready([ranking.table.id, REFRESHES.id])
    return done


def _drop_over(writing: Writing, ranking: StoredRanking, horizon: Any) -> None:
    """Drop counters of epochs that are over; what is too much at once goes with the next refreshes."""
    for row in _over(writing, ranking, horizon):
        writing.delete(ranking.counters, row)


def _over(writing: Writing, ranking: StoredRanking, horizon: Any) -> Iterator[Row]:
    before = Interval(high=horizon, high_open=True)
    for _ in range(_DROPPED_AT_ONCE // _SOME):
        batch = list(_by_epoch(writing, ranking, before, most=_SOME))
        yield from batch
        if len(batch) < _SOME:
            return
