"""When freshness cannot be kept: which demand is too high, and how much more CPU would suffice.

Processing every arrival is the best that can be done for all states at once.  So a demand that even this
does not meet is beyond any CPU and is reported alone; otherwise the cheapest cover says what would suffice,
and the demands that bind in it are the ones to relax.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.freshness import staleness_bound, unreachable_tolerances
from headwater.overload.joins.policies.linear_program import cheapest_cover

__all__ = ["Cover", "Shortage", "cover_of"]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why freshness cannot be kept. `more_resources` is None if no CPU would suffice: too little arrives."""

    states: tuple[str, ...]
    tolerances: tuple[str, ...]
    resources_needed: float | None
    more_resources: float | None

    @property
    def message(self) -> str:
        what = ", ".join(
            [f'the tolerance of stream "{stream}"' for stream in self.tolerances]
            or [f'the refresh rate of state "{state}"' for state in self.states]
        )
        if self.more_resources is None or self.resources_needed is None:
            return f"{what} cannot be kept with any resources: too little arrives"
        return (
            f"{what} cannot be kept: {self.resources_needed:.6g} probes a second would do, "
            f"{self.more_resources:.6g} more than there are"
        )


@dataclass(frozen=True, slots=True)
class Cover:
    """The least resources for freshness, by path; or the shortage that rules it out."""

    resources: dict[str, float]
    shortage: Shortage | None

    @property
    def total(self) -> float:
        return sum(self.resources.values())


def cover_of(problem: Problem) -> Cover:
    """The cheapest way to meet all refresh rates of a problem, or why there is none."""
    beyond = _beyond_any_cpu(problem)
    if beyond:
        return Cover({}, Shortage(beyond, _strictest(problem, beyond), None, None))
    cheapest = cheapest_cover(problem.plan, problem.needed)
    if cheapest is None:  # within rounding of what arrives
        states = tuple(state for state, rate in problem.needed.items() if rate > 0)
        return Cover({}, Shortage(states, _strictest(problem, states), None, None))
    resources, binding = cheapest
    cover = Cover(resources, None)
    if cover.total <= problem.resources * (1 + _ROUNDING):
        return cover
    more = cover.total - problem.resources
    return Cover(resources, Shortage(binding, _strictest(problem, binding), cover.total, more))


def _beyond_any_cpu(problem: Problem) -> tuple[str, ...]:
    late = unreachable_tolerances(problem.plan, problem.tolerance)
    behind = {state for stream in late for state in _states_of(problem.plan, stream)}
    for state, rate in problem.needed.items():
        if rate > _most(problem.plan, state) * (1 + _ROUNDING):
            behind.add(state)
    return tuple(state for state in problem.needed if state in behind)


def _most(plan: JoinPlan, state: str) -> float:
    """Tuples per second into a state if every arrival is processed."""
    total = 0.0
    for path in plan.paths:
        rate = float("inf") if path.rate is None else path.rate
        for hop, weight in zip(path.hops, path.weights, strict=True):
            if hop.own == state and weight > 0:
                total += rate * weight
    return total


def _states_of(plan: JoinPlan, stream: str) -> tuple[str, ...]:
    return tuple(hop.own for path in plan.paths if path.stream == stream for hop in path.hops[1:])


def _strictest(problem: Problem, states: tuple[str, ...]) -> tuple[str, ...]:
    """The streams through one of the states whose tolerance the needed rates use up."""
    late = set(unreachable_tolerances(problem.plan, problem.tolerance))
    return tuple(
        stream
        for stream, seconds in problem.tolerance.items()
        if set(_states_of(problem.plan, stream)) & set(states)
        and (stream in late or staleness_bound(problem.plan, stream, problem.needed) >= seconds * (1 - 1e-6))
    )
