"""May a view exist?  Only if a plan can keep its promise; then with the cheapest plan that does.

    refused    the fastest plan (DPT) is slower than the freshness: no plan can keep the promise.  Or the
               sites have no room left.  The critical path says why, edge by edge, and the smallest freshness
               that would be admitted says what to promise instead
    DPD        the cheapest plan keeps the promise
    between    it does not, but some plan that is cheaper than the fastest does: the cheapest of those.  The
               paper takes DPT here; the plans between come from the same run of the search
    DPT        no other plan that keeps the promise is cheaper than the fastest

The critical path is that of a push that carries SLACK * freshness seconds of changes, so a longer freshness
means a longer path, too, but one that grows more slowly as long as changes are handled faster than they come.

`tight` warns of a promise that is kept only just: while one push runs, the next changes wait, so a view is up
to two critical paths behind when pushes follow each other.

The smallest freshness F solves CP(fastest plan for F) = F.  For one plan CP - F changes sign once, and
bisection finds where; the fastest plan for that F may be another one, with a still smaller F, so the search
is repeated until F stays: a handful of rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.planning.cost.costs import Load, Path, longest, window
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.search import (
    Aim,
    PricedPlan,
    dollars_then_time,
    frontier,
    search,
    time_then_dollars,
)
from headwater.units import seconds_text

__all__ = ["Admission", "admit", "eased_promise", "refused", "smallest_freshness"]

LONGEST = timedelta(days=7)
ROUNDS = 8
EASED = 1.25  # of the smallest freshness that could be kept: room for sharing


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer, and the plan that it rests on (the fastest one if the view is refused)."""

    view: str
    admitted: bool
    chosen: str  # "DPD", "DPT" or "between"; "" if refused
    reason: str
    planned: PricedPlan
    cheapest: PricedPlan
    fastest: PricedPlan
    smallest: timedelta | None = None  # of a refused view: what would be admitted; None: nothing would be
    tight: bool = False

    @property
    def graph(self) -> PlanGraph:
        return self.planned.graph

    @property
    def critical_path(self) -> Path:
        return self.planned.critical_path

    @property
    def dollars_per_hour(self) -> float:
        """Alone, sharing nothing."""
        return self.planned.dollars


def admit(sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None) -> Admission:
    """Whether a view's promise can be kept, and how; `taken` is what is used of the sites already."""
    plans = frontier(sharing, situation, taken)
    fastest = min(plans, key=time_then_dollars)
    cheapest = min(plans, key=dollars_then_time)
    freshness = sharing.freshness.total_seconds()
    keeping = [plan for plan in plans if plan.critical_path.seconds <= freshness]
    best = min(keeping, key=dollars_then_time, default=fastest)
    if not keeping or best.price.lacking:
        smallest = smallest_freshness(sharing, situation, None if taken else fastest.graph)
        reason = (
            f"there is no room for it: {'; '.join(best.price.lacking)}"
            if keeping
            else _too_slow(sharing, fastest, smallest)
        )
        return Admission(sharing.view, False, "", reason, best, cheapest, fastest, smallest)
    chosen, reason = _chosen(best, cheapest, fastest, freshness)
    tight = 2 * best.critical_path.seconds > freshness
    return Admission(sharing.view, True, chosen, reason, best, cheapest, fastest, tight=tight)


def refused(admission: Admission, sharing: Sharing, situation: Situation, reason: str) -> Admission:
    """A view that could be kept by itself, refused for what is there already."""
    smallest = smallest_freshness(sharing, situation, admission.fastest.graph)
    return replace(admission, admitted=False, chosen="", reason=reason, smallest=smallest)


def eased_promise(sharing: Sharing, admission: Admission) -> Sharing:
    """The view with a promise that can be kept, if there is one."""
    if admission.admitted or admission.smallest is None:
        return sharing
    return replace(sharing, freshness=max(sharing.freshness, EASED * admission.smallest))


def _chosen(best: PricedPlan, cheapest: PricedPlan, fastest: PricedPlan, freshness: float) -> tuple[str, str]:
    path, within = f"{best.critical_path.seconds:.2f} s", f"its freshness of {seconds_text(freshness)}"
    if best is cheapest:
        return "DPD", f"the cheapest plan takes {path} of {within}"
    slow = f"the cheapest plan would take {cheapest.critical_path.seconds:.2f} s of {within}"
    if best is fastest:
        return "DPT", f"{slow}; the fastest keeps the promise, in {path}, and none that does is cheaper"
    dear = f"the fastest would cost ${fastest.dollars:.4f} an hour instead of ${best.dollars:.4f}"
    return "between", f"{slow}; this one takes {path}, and {dear}"


def _too_slow(sharing: Sharing, fastest: PricedPlan, smallest: timedelta | None) -> str:
    seconds, freshness = fastest.critical_path.seconds, sharing.freshness.total_seconds()
    instead = (
        "no freshness would be: changes come faster than they can be handled"
        if smallest is None
        else f"the smallest freshness that would be admitted is {seconds_text(smallest.total_seconds())}"
    )
    late = (
        f"even the fastest plan takes {seconds:.2f} s, longer than its freshness of {seconds_text(freshness)}"
    )
    return f"{late}; {instead}"


def smallest_freshness(
    sharing: Sharing, situation: Situation, fastest: PlanGraph | None = None
) -> timedelta | None:
    """The smallest freshness that some plan could keep, rounded up to hundredths of a second.

    `fastest` is the fastest plan for the view's own freshness, if the caller has it.
    """

    def least(trial: timedelta) -> timedelta | None:
        plan = search(replace(sharing, freshness=trial), situation, Aim.TIME)
        return _smallest_of(plan.graph, situation)

    first = least(sharing.freshness) if fastest is None else _smallest_of(fastest, situation)
    smallest = first or least(LONGEST)
    for _ in range(ROUNDS):
        smaller = least(smallest) if smallest is not None else None
        if smallest is None or smaller is None or smaller >= smallest:
            break
        smallest = smaller
    return smallest


def _smallest_of(graph: PlanGraph, situation: Situation) -> timedelta | None:
    """The least F with CP(graph, SLACK * F) <= F, by bisection.

    CP is convex and grows, so what is kept at LONGEST is kept from F on, and nothing below CP(0) is.
    """

    def is_kept(seconds: float) -> bool:
        return longest(graph, window(timedelta(seconds=seconds)), situation).seconds <= seconds

    if not is_kept(LONGEST.total_seconds()):
        return None
    low = longest(graph, 0.0, situation).seconds
    high = max(low, 0.001)
    while not is_kept(high):
        low, high = high, 2 * high
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if is_kept(middle) else (middle, high)
    return timedelta(seconds=math.ceil(high * 100 - 1e-6) / 100)
