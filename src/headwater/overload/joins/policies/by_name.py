"""All policies by name, and the decision each takes on a problem.

`optimal` and `jaqpot` keep results fresh or say that it is impossible; the others ignore freshness, and their
decision says whether results happen to be fresh.  If freshness cannot be kept, `optimal` and `jaqpot` allot
nothing: stale results are useless.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from headwater.errors import InputError, did_you_mean
from headwater.overload.joins.model.allocation import Allocation, from_paths, nothing
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.cover import greedy_cover
from headwater.overload.joins.policies.grepp import grepp
from headwater.overload.joins.policies.half_way import equal, equal_best, global_ratio, selectivity_best
from headwater.overload.joins.policies.infeasible import Cover, Shortage, cover_of
from headwater.overload.joins.policies.linear_program import Warm

__all__ = ["FRESH", "POLICIES", "Decision", "decide"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy does with a problem. `shortage` says why no policy can keep results fresh."""

    policy: str
    feasible: bool
    allocation: Allocation
    resources_for_freshness: float
    shortage: Shortage | None = None
    cover: str = ""


def _meets(problem: Problem, allocation: Allocation) -> bool:
    """Whether enough tuples enter every state."""
    return all(
        _entering(problem.plan, allocation, state) >= rate * (1 - 1e-9)
        for state, rate in problem.needed.items()
    )


def _entering(plan: JoinPlan, allocation: Allocation, state: str) -> float:
    if state in allocation.entering:
        return allocation.entering[state]
    rate = plan.rates[state]
    return float("inf") if rate is None else rate


def _blind(rule: Callable[[JoinPlan, float], Allocation]) -> Callable[[str, Problem, Warm | None], Decision]:
    """A policy that ignores freshness."""

    def policy(name: str, problem: Problem, warm: Warm | None) -> Decision:
        allocation = rule(problem.plan, problem.resources)
        fresh = _meets(problem, allocation)
        return Decision(name, fresh, allocation, 0.0, None if fresh else cover_of(problem).shortage)

    return policy


def _refused(name: str, problem: Problem, cover: Cover) -> Decision:
    return Decision(name, False, nothing(problem.plan), cover.total, cover.shortage)


def _optimal(name: str, problem: Problem, warm: Warm | None) -> Decision:
    cover = cover_of(problem)
    if cover.shortage is not None:
        return _refused(name, problem, cover)
    resources = (warm or Warm()).resources(problem.plan, problem.resources, problem.needed)
    # At the very edge the cover fits within rounding and the program does not: the cover is the answer.
    allocation = from_paths(problem.plan, cover.resources if resources is None else resources)
    return Decision(name, True, allocation, cover.total, cover="exact")


def _jaqpot(name: str, problem: Problem, warm: Warm | None) -> Decision:
    """Cover first, then GrePP with what is left.

    If the greedy cover does not fit but a cheaper one does, the cheaper one is used: the paper claims an
    allocation whenever one exists, which greedy alone cannot guarantee.
    """
    cover, kind = _greedy_cover(problem), "greedy"
    if cover is None:
        exact = cover_of(problem)
        if exact.shortage is not None:
            return _refused(name, problem, exact)
        cover, kind = exact.resources, "exact"
    spent = sum(cover.values())
    allocation = from_paths(problem.plan, grepp(problem.plan, max(0.0, problem.resources - spent), cover))
    return Decision(name, True, allocation, spent, cover=kind)


def _greedy_cover(problem: Problem) -> dict[str, float] | None:
    """The greedy cover, if there is one and the resources suffice for it."""
    for state, rate in problem.needed.items():
        arriving = problem.plan.rates.get(state)
        if not isfinite(rate) or (arriving is not None and arriving < rate):
            return None
    cover = greedy_cover(problem.plan, problem.needed)
    return cover if cover is not None and sum(cover.values()) <= problem.resources * (1 + 1e-9) else None


def _grepp(plan: JoinPlan, resources: float) -> Allocation:
    return from_paths(plan, grepp(plan, resources))


POLICIES: Mapping[str, Callable[[str, Problem, Warm | None], Decision]] = {
    "equal": _blind(equal),
    "global-ratio": _blind(global_ratio),
    "equal-best": _blind(equal_best),
    "selectivity-best": _blind(selectivity_best),
    "grepp": _blind(_grepp),
    "jaqpot": _jaqpot,
    "optimal": _optimal,
}
FRESH = frozenset({"jaqpot", "optimal"})


def decide(problem: Problem, policy: str = "optimal", warm: Warm | None = None) -> Decision:
    """The decision of a policy; `warm` carries the last optimum from call to call."""
    if policy not in POLICIES:
        hint = did_you_mean(policy, POLICIES) or f"Choose one of {', '.join(POLICIES)}."
        raise InputError("HW701", f'there is no policy "{policy}"', hint=hint)
    return POLICIES[policy](policy, problem, warm)
