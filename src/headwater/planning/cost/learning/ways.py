"""Two ways of refreshing a view, its delta or a recompute as a whole, by what each really took.

    expected  =  median of (measured / what the operators say)  *  what the operators say now  +  publishing

Measured are core-seconds: the CPU that Spark's tasks used, or the seconds of the action where planning and
waiting were more.  Publishing is what the view's plain table took after the last refresh of that kind.

The way that is taken is measured with every push.  The other is not, so what is known of it fades: it is
believed to have become cheaper by one in a hundred with every refresh, until it is tried again.  A way that
costs twice as much is tried every 90 refreshes or so, one that costs four times as much every 160; what costs
more than that, or would take a good part of the view's promise, is not tried.

What the operators say of a recompute that was never measured is corrected by those of other views, which
are queries of the same Spark over the same machine: where they took half of what was said, so will this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from statistics import median

from headwater.algebra.stages.stage import Kept, Stage
from headwater.planning.cost.refresh import MARGIN, Choice

__all__ = ["Refresh", "Way", "Ways", "choose_way", "usual_recompute"]

KEEP = 3  # measurements of a way
FADING = 0.99
KNOWN = 6  # pushes by the delta, after which it is known what they cost: the first find a cold Spark
TRIES = 2  # of a recompute that was never measured: the first compiles its code
WORTH_TRYING = 1.25  # times the delta's cost, as the operators say
MOST = 4.0  # times the cost of the way that is taken: what was measured to cost more is not tried again
PART_OF_PROMISE = 0.2  # a recompute that is tried may be expected to take so much of it
REBUILT = 0.7  # so much cheaper must the delta be where hidden stages have to be computed anew for it
OTHERS = 2  # views whose recomputes say what another one will take
UNMEASURED = 0.5  # and a recompute, as the operators say, where too little was measured
LEAST = 1e-3  # seconds


@dataclass(frozen=True, slots=True)
class Refresh:
    """A view's next refresh, in rows."""

    kept: Kept
    whole: Stage  # the view as one stage
    changed: Mapping[str, int]  # of the relations that the view reads
    sizes: Mapping[str, int]  # of these, and of its stages
    emptied: bool = False  # its hidden stages hold nothing
    promise: float = inf  # seconds


@dataclass(frozen=True, slots=True)
class Way:
    """What is known of one way. Immutable."""

    ratios: tuple[float, ...] = ()  # measured over what the operators said, the last of them
    ago: int = 0  # refreshes the other way since
    publishing: float = 0.0

    def measured(self, operators: float, core_seconds: float) -> Way:
        ratio = core_seconds / max(operators, LEAST)
        return replace(self, ratios=(*self.ratios, ratio)[-KEEP:], ago=0)

    def faded(self) -> Way:
        return replace(self, ago=self.ago + 1)

    def taken(self, operators: float) -> float:
        return float((median(self.ratios) if self.ratios else 1.0) * operators + self.publishing)

    def expected(self, operators: float, other: float) -> float:
        """`other`: what the other way takes; of one that takes many times as much nothing fades."""
        taken = self.taken(operators)
        return taken * FADING**self.ago if taken <= MOST * other else taken


@dataclass(frozen=True, slots=True)
class Ways:
    """What is known of both ways of a view."""

    delta: Way = Way()
    whole: Way = Way()

    @property
    def recomputed(self) -> bool:
        """Whether it was recomputed the last time."""
        return bool(self.whole.ratios) and self.delta.ago > 0

    def learn(self, whole: bool, operators: float, core_seconds: float) -> Ways:
        if whole:
            return Ways(self.delta.faded(), self.whole.measured(operators, core_seconds))
        return Ways(self.delta.measured(operators, core_seconds), self.whole.faded())

    def published(self, seconds: float) -> Ways:
        """What publishing took, after the refresh that was learnt last."""
        if self.recomputed:
            return replace(self, whole=replace(self.whole, publishing=seconds))
        return replace(self, delta=replace(self.delta, publishing=seconds))


def usual_recompute(ways: Iterable[Ways]) -> float:
    """Measured over what the operators said, of the views whose recompute is known."""
    known = [median(view.whole.ratios) for view in ways if len(view.whole.ratios) >= TRIES]
    return median(known) if len(known) >= OTHERS else 1.0


def choose_way(
    ways: Ways, delta: float, whole: float, emptied: bool, promise: float = inf, usual: float = 1.0
) -> Choice:
    """By what the operators say of either way. The one that was taken last is left for a clear gain only.

    `usual`: what a recompute takes, over what the operators say, where it was never measured.
    """
    whole = whole if ways.whole.ratios else whole * usual
    by_delta = ways.delta.expected(delta, ways.whole.taken(whole))
    anew = ways.whole.expected(whole, ways.delta.taken(delta))
    both = f"a recompute of the view is expected to take {anew:.2f} core-seconds, its delta {by_delta:.2f}"
    if ways.recomputed:
        if len(ways.whole.ratios) < TRIES and anew <= WORTH_TRYING * by_delta:
            return Choice(True, f"{both}: tried once more")
        return Choice(by_delta >= (REBUILT if emptied else MARGIN) * anew, both)
    if not ways.whole.ratios and ways.whole.ago < KNOWN:
        return Choice(whole < UNMEASURED * delta, both)
    if not ways.whole.ratios:
        tried = ways.whole.taken(whole) < min(WORTH_TRYING * by_delta, PART_OF_PROMISE * promise)
        return Choice(tried, f"{both}: tried, as it was never measured" if tried else both)
    return Choice(anew < MARGIN * by_delta, both)
