"""When not every state can be kept fresh: give states up, and take the most fresh results from the others.

A stale state makes stale results only where it is probed.  So a state may be given up: it is no longer
refreshed, and no tuple probes it; a path that would probe it stops there, and may still refresh the states
below.  In ((A join B) join C) join D the paths of A and B probe streams' own states only and always stay
fresh; in (A join B) join (C join D), giving up AB leaves A and B their results from CD, while C and D only
keep CD fresh.

Tries every set of states to give up, smallest first, with one linear program each: at most 2 ** (k - 2) of
them, and with more than ten states only sets that give up one more state at a time.  The paper stops at
"infeasible".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from headwater.overload.joins.model.allocation import Allocation, from_allowances, nothing
from headwater.overload.joins.model.join_plan import JoinPlan, Path
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.freshness import unreachable_tolerances
from headwater.overload.joins.policies.linear_program import Program, solve

__all__ = ["BestEffort", "best_effort"]


@dataclass(frozen=True, slots=True)
class BestEffort:
    """The states given up, and an allocation that keeps the others fresh and probes none of those."""

    given_up: tuple[str, ...]
    allocation: Allocation


def best_effort(problem: Problem) -> BestEffort:
    """The most fresh results that can be had by giving up states."""
    best = BestEffort(problem.plan.susceptible, nothing(problem.plan))
    for given_up in _subsets(problem.plan.susceptible):
        allocation = _without(problem, given_up)
        if allocation is not None and allocation.throughput > best.allocation.throughput:
            best = BestEffort(given_up, allocation)
    return best


def _subsets(states: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(states) > 10:
        return (states[:count] for count in range(len(states) + 1))
    return (subset for count in range(len(states) + 1) for subset in combinations(states, count))


def _without(problem: Problem, given_up: tuple[str, ...]) -> Allocation | None:
    """The optimum if `given_up` are neither refreshed nor probed; None if the others cannot be kept fresh."""
    plan = problem.plan
    # A state that holds nothing delays nothing: an empty window removes it from Lemma 1.
    emptied = {state: replace(plan.states[state], window=0.0) for state in given_up}
    refresh = {state: rate for state, rate in problem.refresh.items() if state not in given_up}
    reduced = Problem(plan.with_states(emptied), problem.resources, refresh, problem.tolerance)
    needed = {state: rate for state, rate in reduced.needed.items() if state not in given_up}
    if unreachable_tolerances(reduced.plan, problem.tolerance) or not all(map(np.isfinite, needed.values())):
        return None
    reaches = [_reach(path, given_up) for path in plan.paths]
    solution = solve(_program(plan, reaches, problem.resources, needed))
    if solution is None:
        return None
    allowances = {
        path.stream: tuple(
            max(0.0, float(entering)) * weight if hop < reach else 0.0
            for hop, weight in enumerate(path.weights)
        )
        for path, reach, entering in zip(plan.paths, reaches, solution.values, strict=True)
    }
    return from_allowances(plan, allowances)


def _reach(path: Path, given_up: tuple[str, ...]) -> int:
    """How many hops a path may make before it would probe a state that is given up."""
    stops = [index for index, hop in enumerate(path.hops) if hop.partner in given_up]
    return min(stops, default=len(path.hops))


def _program(plan: JoinPlan, reaches: list[int], resources: float, needed: Mapping[str, float]) -> Program:
    """The linear program over the tuples entering each path, which ends where its reach does."""
    complete = [reach == len(path.hops) for path, reach in zip(plan.paths, reaches, strict=True)]
    gains = [path.cardinalities[-1] if full else 0.0 for path, full in zip(plan.paths, complete, strict=True)]
    rows = [[sum(path.weights[:reach]) for path, reach in zip(plan.paths, reaches, strict=True)]]
    limits = [resources]
    for state in [name for name in plan.susceptible if needed.get(name, 0.0) > 0]:
        rows.append([-_sends(path, reach, state) for path, reach in zip(plan.paths, reaches, strict=True)])
        limits.append(-needed[state])
    most = [np.inf if path.rate is None else path.rate for path in plan.paths]
    most = [most_of if reach else 0.0 for most_of, reach in zip(most, reaches, strict=True)]
    return Program(-np.array(gains), np.array(rows), np.array(limits), np.array(most, dtype=np.float64))


def _sends(path: Path, reach: int, state: str) -> float:
    """Tuples into a state for each tuple entering the path; the last hop made still fills the state above."""
    return sum(
        weight
        for index, (hop, weight) in enumerate(zip(path.hops, path.weights, strict=True))
        if hop.own == state and 0 < index <= reach
    )
