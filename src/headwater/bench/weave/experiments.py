"""Run the optimizers: experiment 1 on all settings, in parallel; experiment 2; scale; one more query.

Every plan is timed from empty caches, as a user's first plan would be, so no optimizer profits from the
previous one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import perf_counter, process_time

from headwater.bench.weave.workloads import EXPERIMENT_2, Setting, generate
from headwater.planning.windows import Objective, Query, Weave, Workload, add_query, plan
from headwater.planning.windows.edges import forget_edges
from headwater.planning.windows.optimizers import OPTIMIZERS

__all__ = ["BEST", "Outcome", "experiment_1", "experiment_2", "one_more_query", "scale"]

BEST = {"best-total": Objective.TOTAL, "best-balanced": Objective.BALANCED}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an optimizer made of a workload. `cpu_seconds` excludes what other programs took."""

    setting: int
    seed: int
    optimizer: str
    total: float
    maximum: float
    seconds: float
    cpu_seconds: float


def experiment_1(
    settings: Sequence[Setting], seeds: int, advance: Callable[[], None], *, processes: int | None = None
) -> list[Outcome]:
    """Every optimizer on every setting and seed; `advance` is called after each workload."""
    jobs = [(number, setting, seed) for number, setting in enumerate(settings) for seed in range(seeds)]
    workers = processes or min(2, os.cpu_count() or 1)
    outcomes: list[Outcome] = []
    if workers == 1:
        for job in jobs:
            outcomes.extend(_compare(job))
            advance()
        return outcomes
    with ProcessPoolExecutor(workers) as pool:
        for compared in pool.map(_compare, jobs, chunksize=4):
            outcomes.extend(compared)
            advance()
    return outcomes


def _compare(job: tuple[int, Setting, int]) -> list[Outcome]:
    number, setting, seed = job
    workload = generate(setting, seed)
    outcomes = []
    for name in (*OPTIMIZERS, *BEST):
        planned, seconds, cpu_seconds = _timed(workload, name, seed)
        costs = planned.total_cost, planned.max_cost
        outcomes.append(Outcome(number, seed, name, *costs, seconds, cpu_seconds))
    return outcomes


def _timed(workload: Workload, name: str, seed: int) -> tuple[Weave, float, float]:
    forget_edges()
    started, cpu_started = perf_counter(), process_time()
    if name in BEST:
        planned = plan(workload, objective=BEST[name], seed=seed)
    else:
        planned = plan(workload, name, seed=seed)
    return planned, perf_counter() - started, process_time() - cpu_started


def experiment_2(seed: int = 0) -> dict[str, list[float]]:
    """The cost of each of four nodes, by optimizer."""
    workload = generate(EXPERIMENT_2, seed)
    plans = {name: _timed(workload, name, seed)[0] for name in (*OPTIMIZERS, *BEST)}
    return {name: [node.cost for node in planned.nodes] for name, planned in plans.items()}


def scale(queries: int, nodes: int) -> dict[str, float]:
    """How long `best` takes for very many queries."""
    setting = Setting(queries, nodes, 100.0, 60, 0, 100, False)
    return {name: _timed(generate(setting, 0), name, 0)[1] for name in BEST}


def one_more_query(queries: int) -> float:
    """The longest of ten additions of a query to a plan, from empty caches."""
    workload = generate(Setting(queries, 16, 100.0, 50, 0, 100, False), 0)
    planned = plan(workload)
    longest = 0.0
    for slide in range(7, 107, 10):
        forget_edges()
        started = perf_counter()
        add_query(planned, Query("one more", 5 * slide + 3, slide))
        longest = max(longest, perf_counter() - started)
    return longest
