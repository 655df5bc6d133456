"""What one more join costs in dollars and time: the inner step of the search, in plain numbers.

A state of the search is d(L) at site m: the delta of a join L of some inputs.  An extension joins it with one
more input a, which is at its home h, and gives d(L * a) at a site r.  Three of the four cases of the paper's
Figure 3 are offered:

    (b)  L is copied to h, and joined there
    (c)  a is copied to m, and joined there
    (d)  both are copied to r, and joined there

They are one thing: both sides at a site z = h, m or r, and the result then copied from z to r.  In the last
join of a plan z may be any site (`anywhere`): r is then the view's, and a cheaper or faster one may do the
work.  Before that any z is a possible r, so nothing is missed.

Case (a), in place, sends each delta to the other side's rows and makes the two halves at two sites.  What
is stored here are timelines, and a timeline is a relation and its delta at once: a replica of a delta is a
replica of its relation.  So (a) would store the replicas of (b) and those of (c), and save nothing
(docs/sharing.md).

If dL is there at time T, d(L * a) is there at max(alpha, T + beta): alpha is the path of a's own changes and
beta the longer of the paths of L's.  So an extension is a few numbers, whatever plan made L, and the search
adds and compares numbers only; graphs are built at the end.  `tests/planning/test_search.py` checks that what
is added up here is what the graph costs.

L is stored (applied) only where a half-way join reads its rows; the paper stores it wherever it arises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.planning.cost.costs import HOUR, MONTH
from headwater.planning.facts.situation import Situation
from headwater.planning.facts.sizes import Size
from headwater.planning.graph.graph import EdgeKind
from headwater.planning.relations.relations import Input, Relation

__all__ = ["Extension", "NumberedSites", "Pair", "Side", "joined_side", "source_side"]


class Extension(NamedTuple):
    """One way to join a further input: both sides at a site."""

    case: str  # of Figure 3
    at: int
    dollars: float  # per second
    alpha: float
    beta: float
    use: tuple[float, ...]  # cores and GB of each site; empty if no site is limited


class Side(NamedTuple):
    """A side of a join where it is now: a source has all its rows there, and is filtered when it leaves."""

    rate: float  # of the delta there
    rows: float
    size: Size  # of what is meant
    stored: bool  # its rows are there anyway


def source_side(input: Input, situation: Situation) -> Side:
    """A source at its home."""
    whole = situation.size(Relation((Input(input.name, input.relation),)))
    return Side(whole.rate, whole.rows, situation.size(Relation((input,))), stored=True)


def joined_side(relation: Relation, situation: Situation) -> Side:
    """A join that the plan makes."""
    size = situation.size(relation)
    return Side(size.rate, size.rows, size, stored=False)


@dataclass(frozen=True, slots=True)
class NumberedSites:
    """The sites by number, with their prices, and how many seconds of changes a push carries."""

    situation: Situation
    names: tuple[str, ...]
    seconds: float
    limited: bool
    core: tuple[float, ...] = field(init=False)
    disk: tuple[float, ...] = field(init=False)
    network: tuple[float, ...] = field(init=False)
    speeds: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        speeds = self.situation.operators.speeds
        object.__setattr__(self, "speeds", tuple(speeds.get(name, 1.0) for name in self.names))
        prices = [self.situation.sites[name].prices for name in self.names]
        object.__setattr__(self, "core", tuple(float(price.core_hour) / HOUR for price in prices))
        object.__setattr__(self, "disk", tuple(float(price.gb_month) / MONTH / 1e9 for price in prices))
        object.__setattr__(self, "network", tuple(float(price.gb_transfer) / 1e9 for price in prices))


class Account:
    """Adds up what the edges and vertices of an extension cost."""

    __slots__ = ("dollars", "sites", "use")

    def __init__(self, sites: NumberedSites) -> None:
        self.sites = sites
        self.dollars = 0.0
        self.use = [0.0] * (2 * len(sites.names)) if sites.limited else []

    def edge(self, kind: EdgeKind, site: int, rate: float, scanned: float = 0.0) -> float:
        """Seconds of an edge; its CPU is paid."""
        sites = self.sites
        model, tuples = sites.situation.operators.models[kind], rate * sites.seconds
        # As Operators.seconds says it: a search asks a hundred thousand times, and knows its sites by number.
        taken = (model.fixed + model.per_tuple * tuples + model.per_scanned * scanned) / sites.speeds[site]
        self.dollars += taken / sites.seconds * sites.core[site]
        if self.use:
            self.use[2 * site] += taken / sites.seconds
        return taken

    def keep(self, site: int, size: Size, rate: float | None = None) -> None:
        """The disk of a relation, or of a delta of that rate."""
        rows = size.rows if rate is None else rate * self.sites.situation.retention
        self.dollars += rows * size.bytes_per_row * self.sites.disk[site]
        if self.use:
            self.use[2 * site + 1] += rows * size.bytes_per_row / 1e9

    def copy(self, source: int, target: int, size: Size, rate: float, read: float | None = None) -> float:
        """A delta copied between sites: seconds; CPU, network and disk are paid."""
        if source == target:
            return 0.0
        self.dollars += rate * size.bytes_per_row * self.sites.network[source]
        self.keep(target, size, rate)
        return self.edge(EdgeKind.COPY, target, rate if read is None else max(read, rate))

    def bring(self, side: Side, source: int, target: int) -> tuple[float, float]:
        """Seconds until the delta, and until the rows, of a side are at a site."""
        delta = self.copy(source, target, side.size, side.size.rate, side.rate)
        if side.stored and source == target:
            return delta, delta
        self.keep(target, side.size)
        return delta, delta + self.edge(EdgeKind.APPLY, target, side.size.rate)


@dataclass(frozen=True, slots=True)
class Pair:
    """A join L and a further input a with its home and the time at which its delta is there."""

    sites: NumberedSites
    left: Side
    right: Side
    home: int
    ready: float
    whole: Size
    left_read: float = 1.0  # the part of L that is read to join a's changes, and the other way round
    right_read: float = 1.0
    by_left: float = field(init=False)  # changes per second of the half that L's delta drives
    by_right: float = field(init=False)

    def __post_init__(self) -> None:
        for name, driving in (("by_left", self.left.size), ("by_right", self.right.size)):
            rate = driving.rate * self.whole.rows / driving.rows if driving.rows > 0 else 0.0
            object.__setattr__(self, name, rate)

    def extensions(self, source: int, result: int, anywhere: bool = False) -> Iterator[Extension]:
        """The cases for L at a site and the result at another, each once, without those that never pay."""
        others = range(len(self.sites.names)) if anywhere else ()
        cases = dict.fromkeys((*others, result), "d") | {source: "c"} | {self.home: "b"}
        options = [self._joined_at(case, source, site, result) for site, case in cases.items()]
        return (
            option
            for option in options
            if not any(_beats(other, option) for other in options if other is not option)
        )

    def _joined_at(self, case: str, source: int, site: int, result: int) -> Extension:
        account = Account(self.sites)
        left_delta, left_rows = account.bring(self.left, source, site)
        right_delta, right_rows = account.bring(self.right, self.home, site)
        left, right = _read_of(self.left, source == site), _read_of(self.right, self.home == site)
        first = self._half(account, site, self.by_left, left[0], self.right_read * right[1])
        second = self._half(account, site, self.by_right, right[0], self.left_read * left[1])
        last = self._union(account, site)
        last += account.copy(site, result, self.whole, self.whole.rate)
        alpha = self.ready + max(right_rows + first, right_delta + second) + last
        beta = max(left_delta + first, left_rows + second) + last
        return Extension(case, site, account.dollars, alpha, beta, tuple(account.use))

    def _half(self, account: Account, site: int, rate: float, driving: float, rows: float) -> float:
        account.keep(site, self.whole, rate)
        return account.edge(EdgeKind.JOIN, site, rate, driving * self.sites.seconds + rows)

    def _union(self, account: Account, site: int) -> float:
        account.keep(site, self.whole, self.whole.rate)
        return account.edge(EdgeKind.UNION, site, max(self.by_left, self.by_right, self.whole.rate))


def _read_of(side: Side, at_home: bool) -> tuple[float, float]:
    """The rate of the delta and the rows that a join reads of a side, at its home or as a copy."""
    return (side.rate, side.rows) if at_home else (side.size.rate, side.size.rows)


def _beats(option: Extension, other: Extension) -> bool:
    """Nowhere worse. Of two that are alike the one of the earlier case stays."""
    costs = (option.dollars, option.alpha, option.beta, *option.use)
    other_costs = (other.dollars, other.alpha, other.beta, *other.use)
    return all(a <= b for a, b in zip(costs, other_costs, strict=True)) and (
        costs != other_costs or option.case < other.case
    )
