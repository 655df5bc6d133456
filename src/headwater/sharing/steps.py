"""What one more join costs in dollars and time: the inner step of the search, in plain numbers.

A state of the search is d(L) at site m: the delta of a join L of some inputs.  A step joins it with one more
input a, which lies at its home h, and gives d(L * a) at a site r.  The four cases of the paper's Figure 3:

    (a)  in place: dL goes to h, da goes to m, the halves go to r
    (b)  L is copied to h, and joined there
    (c)  a is copied to m, and joined there
    (d)  both are copied to r, and joined there

(b), (c) and (d) are one thing, both at a site z = h, m or r, and the result is then copied from z to r.  In
the last step of a plan z may be any site (`anywhere`): r is then the view's, and a cheaper or faster one may
do the work.  Before that any z is a possible r, so nothing is missed.

If dL is there at time T, d(L * a) is there at max(alpha, T + beta): alpha is the path of a's own changes and
beta the longer of the paths of L's.  So a step is four numbers, whatever plan made L, and the search adds and
compares numbers only; graphs are built at the end.  `tests/sharing/test_search.py` checks that what is added
up here is what the graph costs.

L is stored (applied) only where a half-way join reads its rows; the paper stores it wherever it arises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.sharing.costs import HOUR, MONTH
from headwater.sharing.graph import EdgeKind
from headwater.sharing.relations import Input, Relation
from headwater.sharing.situation import Situation
from headwater.sharing.sizes import Size

__all__ = ["Lies", "Pair", "Step", "Surroundings", "lies_as_base", "lies_as_made"]


class Step(NamedTuple):
    """One way to join: at a site `at`, or in place (-1)."""

    case: str
    at: int
    dollars: float  # per second
    alpha: float
    beta: float
    use: tuple[float, ...]  # cores and GB of each site; empty if no site is limited


class Lies(NamedTuple):
    """A side of a join where it lies: a source has all its rows there, filtered once they leave."""

    rate: float  # of the delta there
    rows: float
    size: Size  # of what is meant
    stored: bool  # its rows are there anyway


def lies_as_base(one: Input, situation: Situation) -> Lies:
    whole, meant = (
        situation.size(Relation((Input(one.name, one.relation),))),
        situation.size(Relation((one,))),
    )
    return Lies(whole.rate, whole.rows, meant, True)


def lies_as_made(relation: Relation, situation: Situation) -> Lies:
    size = situation.size(relation)
    return Lies(size.rate, size.rows, size, False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The sites by number, with their prices, and how many seconds of changes a push carries."""

    situation: Situation
    names: tuple[str, ...]
    seconds: float
    limited: bool
    core: tuple[float, ...] = field(init=False)
    disk: tuple[float, ...] = field(init=False)
    network: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        prices = [self.situation.sites[name].prices for name in self.names]
        object.__setattr__(self, "core", tuple(float(one.core_hour) / HOUR for one in prices))
        object.__setattr__(self, "disk", tuple(float(one.gb_month) / MONTH / 1e9 for one in prices))
        object.__setattr__(self, "network", tuple(float(one.gb_transfer) / 1e9 for one in prices))


class Account:
    """Adds up what the edges and vertices of a step cost."""

    __slots__ = ("around", "dollars", "use")

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.dollars = 0.0
        self.use = [0.0] * (2 * len(around.names)) if around.limited else []

    def edge(self, kind: EdgeKind, site: int, rate: float, scanned: float = 0.0) -> float:
        """Seconds of an edge; its CPU is paid."""
        around = self.around
        tuples = rate * around.seconds
        taken = around.situation.operators.seconds(kind, around.names[site], tuples, scanned)
        self.dollars += taken / around.seconds * around.core[site]
        if self.use:
            self.use[2 * site] += taken / around.seconds
        return taken

    def keep(self, site: int, size: Size, rate: float | None = None) -> None:
        """The disk of a relation, or of a delta of some rate."""
        rows = size.rows if rate is None else rate * self.around.situation.retention
        self.dollars += rows * size.bytes_per_row * self.around.disk[site]
        if self.use:
            self.use[2 * site + 1] += rows * size.bytes_per_row / 1e9

    def copy(self, source: int, target: int, size: Size, rate: float, read: float | None = None) -> float:
        """A delta copied between sites: seconds; CPU, network and disk are paid."""
        if source == target:
            return 0.0
        self.dollars += rate * size.bytes_per_row * self.around.network[source]
        self.keep(target, size, rate)
        return self.edge(EdgeKind.COPY, target, rate if read is None else max(read, rate))

    def bring(self, one: Lies, source: int, target: int, rows: bool) -> tuple[float, float]:
        """Seconds until the delta, and until the rows, of a side are at a site."""
        delta = self.copy(source, target, one.size, one.size.rate, one.rate)
        if not rows or (one.stored and source == target):
            return delta, delta
        self.keep(target, one.size)
        return delta, delta + self.edge(EdgeKind.APPLY, target, one.size.rate)


@dataclass(frozen=True, slots=True)
class Pair:
    """A join L and a further input a with its home and the time at which its delta is there."""

    around: Surroundings
    left: Lies
    right: Lies
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

    def steps(self, source: int, result: int, anywhere: bool = False) -> Iterator[Step]:
        """The cases for L at a site and the result at another, each once, without those that never pay."""
        others = range(len(self.around.names)) if anywhere else ()
        sites = dict.fromkeys((*others, result), "d") | {source: "c"} | {self.home: "b"}
        found = [self._at(case, source, site, result) for site, case in sites.items()]
        if source != self.home:
            found.append(self._in_place(source, result))
        return (one for one in found if not any(_better(other, one) for other in found if other is not one))

    def _in_place(self, source: int, result: int) -> Step:
        account, home = Account(self.around), self.home
        left_delta, _ = account.bring(self.left, source, home, rows=False)
        right_delta, _ = account.bring(self.right, home, source, rows=False)
        _, left_rows = account.bring(self.left, source, source, rows=True)
        first = self._by_left(account, home, self.left.size.rate, self.right.rows)
        second = self._by_right(account, source, self.right.size.rate, self.left.rows)
        first += account.copy(home, result, self.whole, self.by_left)
        second += account.copy(source, result, self.whole, self.by_right)
        last = self._union(account, result)
        alpha = self.ready + max(first, right_delta + second) + last
        beta = max(left_delta + first, left_rows + second) + last
        return Step("a", -1, account.dollars, alpha, beta, tuple(account.use))

    def _at(self, case: str, source: int, site: int, result: int) -> Step:
        account = Account(self.around)
        left_delta, left_rows = account.bring(self.left, source, site, rows=True)
        right_delta, right_rows = account.bring(self.right, self.home, site, rows=True)
        left, right = _there(self.left, source == site), _there(self.right, self.home == site)
        first = self._by_left(account, site, left[0], right[1])
        second = self._by_right(account, site, right[0], left[1])
        last = self._union(account, site)
        last += account.copy(site, result, self.whole, self.whole.rate)
        alpha = self.ready + max(right_rows + first, right_delta + second) + last
        beta = max(left_delta + first, left_rows + second) + last
        return Step(case, site, account.dollars, alpha, beta, tuple(account.use))

    def _by_left(self, account: Account, site: int, rate: float, rows: float) -> float:
        return self._half(account, site, self.by_left, rate, self.right_read * rows)

    def _by_right(self, account: Account, site: int, rate: float, rows: float) -> float:
        return self._half(account, site, self.by_right, rate, self.left_read * rows)

    def _half(self, account: Account, site: int, half: float, driving: float, rows: float) -> float:
        account.keep(site, self.whole, half)
        return account.edge(EdgeKind.JOIN, site, half, driving * self.around.seconds + rows)

    def _union(self, account: Account, site: int) -> float:
        account.keep(site, self.whole, self.whole.rate)
        return account.edge(EdgeKind.UNION, site, max(self.by_left, self.by_right, self.whole.rate))


def _there(one: Lies, at_home: bool) -> tuple[float, float]:
    """The rate of the delta and the rows of a side, as it lies or as a copy."""
    return (one.rate, one.rows) if at_home else (one.size.rate, one.size.rows)


def _better(one: Step, other: Step) -> bool:
    """Nowhere worse. Of two that are alike the one at the earlier site stays."""
    mine = (one.dollars, one.alpha, one.beta, *one.use)
    others = (other.dollars, other.alpha, other.beta, *other.use)
    return all(a <= b for a, b in zip(mine, others, strict=True)) and (
        mine != others or one.case < other.case
    )
