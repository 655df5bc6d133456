"""A trial: a policy's decision on a problem, tried with real tuples and compared with its prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headwater.errors import InputError
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.by_name import FRESH, Decision
from headwater.overload.joins.simulation.keys import DrawnKeys
from headwater.overload.joins.simulation.run import Counts, Run, poisson
from headwater.overload.joins.simulation.steady import Steady

__all__ = ["Trial", "step_for", "try_tuples"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What was counted. `stale` has a number for each set of tolerances, the problem's own first."""

    seconds: float
    predicted: float
    results: int
    stale: tuple[int, ...]
    kept_back: int
    probes: int

    @property
    def throughput(self) -> float:
        return self.results / self.seconds

    @property
    def error(self) -> float:
        """Simulated against predicted throughput, as a share of the prediction."""
        return self.throughput / self.predicted - 1.0 if self.predicted else 0.0


def step_for(plan: JoinPlan) -> float:
    """A step well below every stream's window, and never above a quarter second."""
    shortest = min(plan.window(stream) for stream in plan.streams)
    return min(0.25, max(0.005, shortest / 8))


def try_tuples(
    problem: Problem,
    decision: Decision,
    seconds: float,
    seed: int,
    watched: Sequence[Mapping[str, float]] = (),
) -> Trial:
    """Run Poisson arrivals through the plan from its steady state, and count.

    The problem's tolerances are watched, and others on request; they guard a decision that keeps results
    fresh.
    """
    plan = problem.plan
    for stream, rate in plan.rates.items():
        if rate is None:
            raise InputError(
                "HW722", f'stream "{stream}" has no rate: tuples cannot be drawn', hint="Give it a rate."
            )
    random = np.random.default_rng(seed)
    keys = DrawnKeys(plan, random)
    tolerances = [problem.tolerance, *watched]
    shelves = Steady(plan, decision.allocation, tolerances, keys, random).shelves()
    guard = 0 if decision.policy in FRESH and problem.tolerance else None
    run = Run(plan, shelves, poisson(plan, keys, random), keys, tolerances, random, guard)
    run.allow(decision.allocation.half_ways)
    run.advance(seconds, step_for(plan))
    return _trial(run.take_counts(), decision)


def _trial(counts: Counts, decision: Decision) -> Trial:
    stale = tuple(int(count) for count in counts.stale)
    predicted = decision.allocation.throughput
    return Trial(counts.seconds, predicted, counts.results, stale, counts.kept_back, counts.resources)
