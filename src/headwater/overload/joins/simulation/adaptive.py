"""Real tuples under the adaptation loop, while the streams change.

Phases are join plans with the time each begins: the streams follow the phase, the loop sees only samples.
Every `period` seconds the loop gets a sample and may set new allowances.  It knows the first phase from the
start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headwater.overload.joins.adaptation.adapt import Loop, start, step
from headwater.overload.joins.adaptation.monitor import Sample
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.by_name import FRESH
from headwater.overload.joins.simulation.keys import DrawnKeys
from headwater.overload.joins.simulation.run import Counts, Run, poisson
from headwater.overload.joins.simulation.steady import Steady
from headwater.overload.joins.simulation.trial import step_for

__all__ = ["Phase", "Tick", "run_adaptive", "sample_of"]


@dataclass(frozen=True, slots=True)
class Phase:
    begins: float
    plan: JoinPlan


@dataclass(frozen=True, slots=True)
class Tick:
    """One period: when it ended, what it yielded, and the loop as it then was."""

    at: float
    results: int
    stale: int
    kept_back: int
    loop: Loop


def sample_of(counts: Counts) -> Sample:
    """Counts as a sample for the monitor."""
    # What the guard kept back was produced: the predicted throughput includes it.
    results = counts.results + counts.kept_back
    return Sample(counts.seconds, results, counts.resources, counts.arrivals, counts.pairs, counts.matches)


def run_adaptive(
    problem: Problem,
    policy: str,
    phases: Sequence[Phase],
    seconds: float,
    seed: int,
    *,
    period: float = 5.0,
    adapting: bool = True,
) -> list[Tick]:
    """Run a policy through the phases, with or without adaptation."""
    loop = start(problem, policy)
    run = _run(problem, loop, seed)
    ticks: list[Tick] = []
    while run.now < seconds - 1e-9:
        _enter_phase(run, phases)
        run.advance(period, step_for(problem.plan))
        counts = run.take_counts()
        if adapting:
            changed = step(loop, sample_of(counts))
            if changed.decision is not loop.decision:
                run.allow(changed.decision.allocation.half_ways)
            loop = changed
        ticks.append(Tick(run.now, counts.results, int(counts.stale[0]), counts.kept_back, loop))
    return ticks


def _run(problem: Problem, loop: Loop, seed: int) -> Run:
    random = np.random.default_rng(seed)
    keys = DrawnKeys(problem.plan, random)
    tolerances: list[Mapping[str, float]] = [problem.tolerance]
    shelves = Steady(problem.plan, loop.decision.allocation, tolerances, keys, random).shelves()
    guard = 0 if loop.decision.policy in FRESH and problem.tolerance else None
    run = Run(problem.plan, shelves, poisson(problem.plan, keys, random), keys, tolerances, random, guard)
    run.allow(loop.decision.allocation.half_ways)
    return run


def _enter_phase(run: Run, phases: Sequence[Phase]) -> None:
    """New tuples get the keys and rates of the current phase."""
    plan = [phase.plan for phase in phases if phase.begins <= run.now + 1e-9][-1]
    keys = DrawnKeys(plan, run.random)
    run.keys, run.arrivals = keys, poisson(plan, keys, run.random)
