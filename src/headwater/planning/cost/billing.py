"""What views cost, and who pays: arithmetic over the rows of the pushes and the audit.

A push costs the CPU-seconds it used at the price of its site, and the bytes it copied from another site.  It
may serve several views: its cost is split evenly among them.  A view also pays for the bytes it stores, for
as long as it stores them, and is paid a penalty for every late row.

**Late.**  A push that ends at `at` brings the changes of (after, until].  A change is late if it had waited
longer than the freshness when it reached the view.  The arrival of each change is not recorded, so arrivals
are assumed to be even over (after, until]; fractions of rows are rounded up, in the owner's favour.  Nothing
is owed before a promise began (the start of the run, the end of an added view's first computation).

Invariants: the lines of a bill add up to its total, however they are grouped; a period's bill is the
sum of the bills of its parts.  Cost: one pass over the rows.  CPU-seconds of a push are those of its Spark
tasks and its driver's thread.  What the processes of a run used besides is one more line, which belongs to no
view: `unattributed`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from headwater.model import Prices
from headwater.units import GB, HOUR, HOURS_PER_MONTH, SECOND

__all__ = [
    "KEPT_GAP", "MONTH", "UNATTRIBUTED", "Bill", "Costs", "Line", "PushRow", "SnapshotRow", "bill", "grouped",
    "hourly", "late_rows", "served", "with_processes",
]  # fmt: skip

MONTH = HOURS_PER_MONTH * HOUR
KEPT_GAP = 30 * SECOND  # snapshots come every five seconds; a longer gap means that nothing ran

UNATTRIBUTED = "unattributed: JVM, capture, compaction"
NOT_INCLUDED = "Not included: the storage of sources, and reads of the views."
NOT_COUNTED = (
    "Not included: the CPU of capture, of compaction and of the JVM's own threads, which was not recorded in"
    " this period; the storage of sources, and reads of the views."
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
    penalty: float | None = None  # dollars per late row; None: as the first snapshot after it says


class SnapshotRow(NamedTuple):
    """A view at an instant, as the audit saw it; or a stretch of snapshots with the same owner and site.

    A stretch counts in a period if it begins there, and must then end there.
    """

    at: int
    view: str
    owner: str
    site: str
    penalty: float  # at its end
    violated: int  # how often
    stored_bytes: int  # at its end
    until: int = 0  # the last snapshot of a stretch
    byte_time: float = 0.0  # bytes times microseconds stored, between its first and its last snapshot
    kept: int = 0  # microseconds of that during which the view was kept

    @property
    def end(self) -> int:
        return max(self.at, self.until)


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
        return Costs(*(getattr(self, cost.name) + getattr(other, cost.name) for cost in fields(Costs)))


def _elsewhere(sites: Sequence[str]) -> str:
    names = f"site{'s' if len(sites) > 1 else ''} {', '.join(sites)}"
    return (
        f"The Spark Connect servers of {names} are counted by the seconds that pushes took there; what they"
        " use besides is not known here."
    )


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
    processes: Mapping[str, float] = field(default_factory=dict)  # CPU-seconds by their own counters
    unattributed: Costs = Costs()  # what they used besides pushes
    elsewhere: tuple[str, ...] = ()  # sites whose Spark is a server with counters of its own

    @property
    def total(self) -> Costs:
        """Of all views."""
        return _sum(line.costs for line in self.lines)

    @property
    def whole(self) -> Costs:
        """With what belongs to no view: what the machine did."""
        return self.total + self.unattributed

    @property
    def not_included(self) -> str:
        left_out = NOT_INCLUDED if self.processes else NOT_COUNTED
        return f"{left_out} {_elsewhere(self.elsewhere)}" if self.elsewhere else left_out

    def spread(self) -> Bill:
        """The bill with the unattributed CPU paid by the lines, in proportion to theirs."""
        used = self.total.cpu_seconds
        if not used:
            return self
        lines = tuple(
            replace(line, costs=line.costs + _scaled(self.unattributed, line.costs.cpu_seconds / used))
            for line in self.lines
        )
        return replace(self, lines=lines, unattributed=Costs())


@dataclass(slots=True)
class _Ledger:
    """Costs by view and site, while they are added up."""

    costs: dict[tuple[str, str], Costs] = field(default_factory=dict)

    def charge(self, view: str, site: str, costs: Costs) -> None:
        self.costs[view, site] = self.costs.get((view, site), Costs()) + costs


def served(view: str, serves: str | None) -> tuple[str, ...]:
    """The views that a push worked for."""
    return tuple(name.strip() for name in serves.split(",") if name.strip()) if serves else (view,)


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
    """The bill of [since, until).  Snapshots from before `since` say what was stored and owned at its start.

    Views `present` in the project still store what they did at their last snapshot; others are assumed to
    have stored nothing since theirs.
    """
    ledger = _Ledger()
    histories = _histories(snapshots)
    inside = [push for push in pushes if since <= push.at < until]
    for (serves, site), used in _used(inside).items():
        _charge_use(ledger, serves, site, used, _price(prices, site))
    for push in inside:
        if push.late_rows:
            penalty = push.penalty
            if penalty is None:
                penalty = _penalty_at(histories.get(push.late_for, ()), push.at)
            dollars = push.late_rows * penalty
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
    histories: dict[str, list[SnapshotRow]] = {}
    for snapshot in sorted(snapshots, key=lambda row: row.at):
        histories.setdefault(snapshot.view, []).append(snapshot)
    return histories


def _price(prices: Mapping[str, Prices], site: str) -> Prices:
    return prices.get(site) or prices.get("default") or Prices()


def _used(pushes: Iterable[PushRow]) -> dict[tuple[tuple[str, ...], str], list[float]]:
    """CPU-seconds, bytes copied and rows of all pushes for the same views at the same site."""
    totals: dict[tuple[tuple[str, ...], str], list[float]] = {}
    for push in pushes:
        sums = totals.setdefault((push.serves, push.site), [0.0, 0, 0])
        sums[0] += push.cpu_seconds
        sums[1] += push.bytes_copied
        sums[2] += push.rows
    return totals


def _charge_use(
    ledger: _Ledger, serves: tuple[str, ...], site: str, used: Sequence[float], prices: Prices
) -> None:
    """Every view that was served pays the same part."""
    cpu_seconds, gb, rows = (total / len(serves) for total in (used[0], used[1] / GB, used[2]))
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
    """The penalty in the first snapshot after a push: a push is audited after it has ended."""
    if not history:
        return 0.0
    index = bisect_left(history, at, key=lambda row: row.end)
    return history[min(index, len(history) - 1)].penalty


def _kept(
    history: Sequence[SnapshotRow], prices: Mapping[str, Prices], since: int, until: int, present: bool
) -> Iterator[tuple[str, Costs]]:
    """What a view's snapshots say: violations in the period, hours kept, bytes stored until the next one."""
    for site in sorted({snapshot.site for snapshot in history}):
        violations, byte_time, kept = 0, 0.0, 0
        for snapshot, following in pairwise((*history, None)):
            if snapshot is None or snapshot.site != site:
                continue
            if since <= snapshot.at < until:
                violations += snapshot.violated
                byte_time += snapshot.byte_time
                kept += snapshot.kept
            end = following.at if following is not None else until if present else snapshot.end
            held = max(0, min(end, until) - max(snapshot.end, since))
            byte_time += snapshot.stored_bytes * held
            kept += held if following is not None and end - snapshot.end <= KEPT_GAP else 0
        months = byte_time / GB / MONTH
        dollars = months * float(_price(prices, site).gb_month)
        yield (
            site,
            Costs(storage=dollars, gb_months=months, violations=violations, view_hours=kept / HOUR),
        )


def with_processes(
    billed: Bill,
    processes: Mapping[str, float],
    pushes: Iterable[PushRow],
    here: Collection[str],
    price: Prices,
) -> Bill:
    """The bill with what a run's processes used, and how much of that no push accounts for.

    Pushes at sites that are not `here` ran in processes of their own.
    """
    pushed = sum(push.cpu_seconds for push in pushes if push.site in here)
    rest = max(0.0, sum(processes.values()) - pushed)
    costs = Costs(cpu=rest / 3600 * float(price.core_hour), cpu_seconds=rest)
    return replace(billed, processes=processes, unattributed=costs if processes else Costs())


def _scaled(costs: Costs, share: float) -> Costs:
    """The part of the CPU; nothing else is unattributed."""
    return Costs(cpu=costs.cpu * share, cpu_seconds=costs.cpu_seconds * share)


def grouped(whole: Bill, by: str) -> dict[str, Costs]:
    """The bill's costs by "view", "owner" or "site"; they add up to its total."""
    keyed = sorted(whole.lines, key=lambda line: str(getattr(line, by)))
    return {
        str(name): _sum(line.costs for line in lines)
        for name, lines in groupby(keyed, key=lambda line: getattr(line, by))
    }


def hourly(since: int, until: int, most: int = 48) -> list[tuple[int, int]]:
    """A period cut into parts of a round length for a picture: the shortest that gives about `most` parts."""
    lengths = [SECOND * seconds for seconds in (10, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400)]
    step = next((length for length in lengths if (until - since) <= length * most), lengths[-1])
    starts = range(since - since % step, until, step)
    return [(max(start, since), min(start + step, until)) for start in starts]


def _sum(costs: Iterable[Costs]) -> Costs:
    total = Costs()
    for cost in costs:
        total += cost
    return total
