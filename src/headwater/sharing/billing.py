"""What views cost, and who pays: arithmetic over the rows of the pushes and the audit.

A push costs the CPU-seconds it used at the price of its site, and the bytes it copied from another site.  It
may serve several views: its cost is split evenly among them ("shared vertices are split among those
served").  A view also pays for the bytes it keeps stored, for as long as they are, and is paid a penalty for
every late row.

**Late.**  A push that ends at `at` brings the changes of (after, until].  A change is late if it had waited
longer than the freshness when it reached the view.  When each of them arrived is not recorded, so arrivals
are taken as even over (after, until]; rows are counted whole, in the owner's favour.  Nothing is owed before
a promise began (the start of the run, the end of an added view's first computation).

Invariants: what the lines of a bill say adds up to its total, however it is grouped; a period's bill is the
sum of the bills of its parts.  Cost: one pass over the rows.  Doubt: CPU-seconds are what Spark's tasks and
the driver's thread used; see `NOT_INCLUDED`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby, pairwise
from typing import NamedTuple

from headwater.model import Prices

__all__ = [
    "KEPT_GAP", "MONTH", "NOT_INCLUDED", "Bill", "Costs", "Line", "PushRow", "SnapshotRow", "bill", "grouped",
    "hourly", "late_rows", "served",
]  # fmt: skip

SECOND = 1_000_000
HOUR = 3600 * SECOND
MONTH = 730 * HOUR  # a twelfth of a year
GB = 1_000_000_000
KEPT_GAP = 30 * SECOND  # snapshots come every five seconds; a longer gap means that nothing ran

NOT_INCLUDED = (
    "Not included: the CPU of capture, of compaction and of the JVM's own threads (what is counted is the"
    " pushes' Spark tasks and their driver), the storage of sources, and reads of the views."
)


class PushRow(NamedTuple):
    """A push, as the bill needs it: a tuple, because a day has hundreds of thousands."""

    at: int
    serves: tuple[str, ...]
    site: str
    cpu_seconds: float
    bytes_copied: int
    rows: int  # written by it
    late_rows: int = 0
    late_for: str = ""  # the view that these rows reached


class SnapshotRow(NamedTuple):
    """A view at an instant, as the audit saw it."""

    at: int
    view: str
    owner: str
    site: str
    penalty: float
    violated: bool
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class Costs:
    """Dollars by resource, and what they were paid for."""

    cpu: float = 0.0
    network: float = 0.0
    storage: float = 0.0
    penalty: float = 0.0
    cpu_seconds: float = 0.0
    gb_copied: float = 0.0
    gb_months: float = 0.0
    rows_moved: float = 0.0
    late_rows: int = 0
    violations: int = 0
    view_hours: float = 0.0  # the paper's sharing-hours: a view kept for an hour

    @property
    def resources(self) -> float:
        return self.cpu + self.network + self.storage

    @property
    def dollars(self) -> float:
        return self.resources + self.penalty

    def __add__(self, other: Costs) -> Costs:
        return Costs(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Costs)))


@dataclass(frozen=True, slots=True)
class Line:
    """What a view cost at a site."""

    view: str
    owner: str
    site: str
    costs: Costs


@dataclass(frozen=True, slots=True)
class Bill:
    since: int
    until: int
    lines: tuple[Line, ...] = ()

    @property
    def total(self) -> Costs:
        return _sum(line.costs for line in self.lines)


@dataclass(slots=True)
class _Ledger:
    """Costs by view and site, while they are gathered."""

    costs: dict[tuple[str, str], Costs] = field(default_factory=dict)

    def charge(self, view: str, site: str, costs: Costs) -> None:
        self.costs[view, site] = self.costs.get((view, site), Costs()) + costs


def served(view: str, serves: str | None) -> tuple[str, ...]:
    """The views that a push worked for."""
    return tuple(one.strip() for one in serves.split(",") if one.strip()) if serves else (view,)


def late_rows(rows: int, after: int, until: int, at: int, freshness: int, owed_since: int) -> int:
    """How many of a push's rows came later than promised; all instants in microseconds."""
    deadline = at - freshness  # what arrived before it is late
    if after <= 0 or until <= after or deadline <= max(after, owed_since):
        return 0
    return min(rows, math.ceil(rows * (deadline - after) / (until - after)))


def bill(
    pushes: Iterable[PushRow],
    snapshots: Sequence[SnapshotRow],
    prices: Mapping[str, Prices],
    since: int,
    until: int,
    present: frozenset[str] = frozenset(),
) -> Bill:
    """The bill of [since, until).  Snapshots from before `since` tell what was stored and owned at its start.

    Views `present` in the project still store what they stored at their last snapshot; of others, what they
    stored is taken to be gone since then.
    """
    ledger = _Ledger()
    histories = _histories(snapshots)
    inside = [push for push in pushes if since <= push.at < until]
    for (serves, site), used in _used(inside).items():
        _charge_use(ledger, serves, site, used, _price(prices, site))
    for push in inside:
        if push.late_rows:
            dollars = push.late_rows * _penalty_at(histories.get(push.late_for, ()), push.at)
            ledger.charge(push.late_for, push.site, Costs(penalty=dollars, late_rows=push.late_rows))
    for view, history in histories.items():
        for site, costs in _kept(history, prices, since, until, view in present):
            ledger.charge(view, site, costs)
    owners = {view: history[-1].owner for view, history in histories.items()}
    lines = [
        Line(view, owners.get(view, ""), site, costs)
        for (view, site), costs in sorted(ledger.costs.items())
        if costs != Costs()
    ]
    return Bill(since, until, tuple(lines))


def _histories(snapshots: Iterable[SnapshotRow]) -> dict[str, list[SnapshotRow]]:
    found: dict[str, list[SnapshotRow]] = {}
    for one in sorted(snapshots, key=lambda row: row.at):
        found.setdefault(one.view, []).append(one)
    return found


def _price(prices: Mapping[str, Prices], site: str) -> Prices:
    return prices.get(site) or prices.get("default") or Prices()


def _used(pushes: Iterable[PushRow]) -> dict[tuple[tuple[str, ...], str], list[float]]:
    """CPU-seconds, bytes copied and rows of all pushes for the same views at the same site."""
    found: dict[tuple[tuple[str, ...], str], list[float]] = {}
    for push in pushes:
        sums = found.setdefault((push.serves, push.site), [0.0, 0, 0])
        sums[0] += push.cpu_seconds
        sums[1] += push.bytes_copied
        sums[2] += push.rows
    return found


def _charge_use(
    ledger: _Ledger, serves: tuple[str, ...], site: str, used: Sequence[float], prices: Prices
) -> None:
    """Every view that was served pays the same part."""
    cpu_seconds, gb, rows = (one / len(serves) for one in (used[0], used[1] / GB, used[2]))
    part = Costs(
        cpu=cpu_seconds / 3600 * float(prices.core_hour),
        network=gb * float(prices.gb_transfer),
        cpu_seconds=cpu_seconds,
        gb_copied=gb,
        rows_moved=rows,
    )
    for view in serves:
        ledger.charge(view, site, part)


def _penalty_at(history: Sequence[SnapshotRow], at: int) -> float:
    """The penalty that the first snapshot after a push tells; a push is audited after it ended."""
    if not history:
        return 0.0
    index = bisect_left(history, at, key=lambda row: row.at)
    return history[min(index, len(history) - 1)].penalty


def _kept(
    history: Sequence[SnapshotRow], prices: Mapping[str, Prices], since: int, until: int, present: bool
) -> Iterator[tuple[str, Costs]]:
    """What a view's snapshots say: violations in the period, hours kept, bytes stored until the next one."""
    for site in sorted({one.site for one in history}):
        violations, byte_time, kept = 0, 0, 0
        for one, following in pairwise((*history, None)):
            if one is None or one.site != site:
                continue
            violations += since <= one.at < until and one.violated
            end = following.at if following is not None else until if present else one.at
            held = max(0, min(end, until) - max(one.at, since))
            byte_time += one.stored_bytes * held
            kept += held if following is not None and end - one.at <= KEPT_GAP else 0
        months = byte_time / GB / MONTH
        dollars = months * float(_price(prices, site).gb_month)
        yield (
            site,
            Costs(storage=dollars, gb_months=months, violations=violations, view_hours=kept / HOUR),
        )


def grouped(whole: Bill, by: str) -> dict[str, Costs]:
    """The bill's costs by "view", "owner" or "site"; they add up to its total."""
    keyed = sorted(whole.lines, key=lambda line: str(getattr(line, by)))
    return {
        str(name): _sum(line.costs for line in lines)
        for name, lines in groupby(keyed, key=lambda line: getattr(line, by))
    }


def hourly(since: int, until: int, most: int = 48) -> list[tuple[int, int]]:
    """A period cut into equal parts for a picture: hours, or shorter or longer ones to be 1 to `most`."""
    steps = [SECOND * one for one in (10, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400)]
    step = next((one for one in steps if (until - since) <= one * most), steps[-1])
    starts = range(since - since % step, until, step)
    return [(max(start, since), min(start + step, until)) for start in starts]


def _sum(costs: Iterable[Costs]) -> Costs:
    total = Costs()
    for one in costs:
        total += one
    return total
