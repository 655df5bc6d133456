"""When not every state can be kept fresh: give some up, and take the most fresh results from the others.

A stale state makes stale results only where it is probed.  So a state may be given up: it is refreshed no
more, and no path may probe it.  In ((A join B) join C) join D the paths of A and B probe streams' own states
alone and stay fresh whatever happens; in (A join B) join (C join D) giving up AB stops C and D, and leaves A
and B with CD.

Tries every set of states to give up, smallest first, by one linear program each; at most 2 ** (k - 2) of
them, and beyond ten states only those that give up one more state at a time.  The paper stops at
"infeasible".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from headwater.overload.joins.allocation import Allocation, from_paths, nothing
from headwater.overload.joins.freshness import unreachable_tolerances
from headwater.overload.joins.linear_program import program, solve
from headwater.overload.joins.plan import Plan
from headwater.overload.joins.problem import Problem

__all__ = ["BestEffort", "best_effort"]


@dataclass(frozen=True, slots=True)
class BestEffort:
    """The states given up, and an allocation that keeps the others fresh and probes none of those."""

    given_up: tuple[str, ...]
    allocation: Allocation


def best_effort(problem: Problem) -> BestEffort:
    """The most fresh results that giving up states can save."""
    best = BestEffort(problem.plan.susceptible, nothing(problem.plan))
    for given_up in _choices(problem.plan.susceptible):
        allocation = _without(problem, given_up)
        if allocation is not None and allocation.throughput > best.allocation.throughput:
            best = BestEffort(given_up, allocation)
    return best


def _choices(states: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(states) > 10:
        return (states[:count] for count in range(len(states) + 1))
    return (chosen for count in range(len(states) + 1) for chosen in combinations(states, count))


def _without(problem: Problem, given_up: tuple[str, ...]) -> Allocation | None:
    """The optimum when some states are neither refreshed nor probed; None if the others cannot be kept."""
    plan = problem.plan
    # A state that keeps nothing delays nothing: an empty window takes it out of Lemma 1.
    emptied = {state: replace(plan.states[state], window=0.0) for state in given_up}
    refresh = {state: rate for state, rate in problem.refresh.items() if state not in given_up}
    reduced = Problem(plan.with_states(emptied), problem.resources, refresh, problem.tolerance)
    needed = {state: rate for state, rate in reduced.needed.items() if state not in given_up}
    if unreachable_tolerances(reduced.plan, problem.tolerance) or not all(map(np.isfinite, needed.values())):
        return None
    linear = program(plan, problem.resources, needed)
    solution = solve(replace(linear, most=np.where(_probing(plan, given_up), 0.0, linear.most)))
    if solution is None:
        return None
    values = dict(zip(plan.streams, solution.values.clip(0.0).tolist(), strict=True))
    return from_paths(plan, values)


def _probing(plan: Plan, given_up: tuple[str, ...]) -> list[bool]:
    """For each path, whether it probes a state that is given up."""
    return [any(hop.partner in given_up for hop in path.hops) for path in plan.paths]
