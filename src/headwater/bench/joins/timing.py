"""How long deciding takes, for 3 to 20 streams, and how far JAQPOT stays behind the optimum there.

Refresh rates are given, 1 to 50 % of what full processing would bring in, and resources are 1.1 to 3 times
the least that meet them, so that covers overlap and greedy can err; productivities lie between a half and
four, so that the longest paths stay within numerical resolution.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from headwater.bench.joins.resources import Progress
from headwater.overload.joins import (
    JoinPlan,
    Node,
    Problem,
    State,
    Warm,
    bushy,
    cover_of,
    decide,
    linear,
    saturation,
)

__all__ = ["measure_timing"]

LETTERS = "ABCDEFGHIJKLMNOPQRST"


def measure_timing(counts: tuple[int, ...], repeats: int, progress: Progress) -> dict[str, Any]:
    """Milliseconds of each decision by shape and number of streams, medians; and JAQPOT's gap."""
    answer: dict[str, Any] = {"streams": list(counts), "shapes": {}}
    for shape, make in (("linear", linear), ("bushy", bushy)):
        progress(f"optimizer time: {shape}")
        random = np.random.default_rng(20)
        rows = [_row(make(*LETTERS[:count]), random, repeats) for count in counts]
        answer["shapes"][shape] = {key: [row[key] for row in rows] for key in rows[0]}
        answer["shapes"][shape]["jaqpot_exponent"] = _exponent(
            counts, answer["shapes"][shape]["jaqpot_greedy_ms"]
        )
    return answer


def _problem(tree: Node, random: np.random.Generator) -> Problem:
    plan = JoinPlan(tree, {}, {})
    sizes = {own: float(random.integers(200, 5000)) for own in plan.siblings}
    states = {own: State(size, float(random.uniform(0.5, 4.0)) / size) for own, size in sizes.items()}
    plan = JoinPlan(tree, {stream: float(random.uniform(300, 1200)) for stream in plan.streams}, states)
    most = decide(Problem(plan, saturation(plan)[0]), "optimal").allocation.entering
    refresh = {
        state: float(np.exp(random.uniform(np.log(0.01), np.log(0.5)))) * rate for state, rate in most.items()
    }
    least = cover_of(Problem(plan, saturation(plan)[0], refresh)).total
    return Problem(plan, float(random.uniform(1.1, 3.0)) * least, refresh)


def _row(tree: Node, random: np.random.Generator, repeats: int) -> dict[str, float]:
    problems = [_problem(tree, random) for _ in range(repeats)]
    times = [_times(problem) for problem in problems]
    row = {name: float(np.median([timed[name] for timed in times])) for name in times[0]}
    gaps = [gap for gap in map(_gap, problems) if gap is not None]
    return row | {"gap_mean": float(np.mean(gaps)), "gap_largest": float(np.max(gaps)), "feasible": len(gaps)}


def _times(problem: Problem) -> dict[str, float]:
    warm = Warm()
    warm.resources(problem.plan, problem.resources, problem.needed)
    drifted = problem.resources * 1.001
    return {
        "jaqpot_ms": _milliseconds(lambda: decide(problem, "jaqpot")),
        "jaqpot_greedy_ms": _milliseconds(lambda: _greedy(problem)),
        "optimal_ms": _milliseconds(lambda: decide(problem, "optimal")),
        "warm_ms": _milliseconds(lambda: warm.resources(problem.plan, drifted, problem.needed)),
    }


def _gap(problem: Problem) -> float | None:
    best, jaqpot = decide(problem, "optimal"), decide(problem, "jaqpot")
    if not best.feasible or not best.allocation.throughput:
        return None
    return 1 - jaqpot.allocation.throughput / best.allocation.throughput


def _greedy(problem: Problem) -> None:
    """JAQPOT as in the paper: the greedy cover, then GrePP, with no check against the exact cover."""
    from headwater.overload.joins import greedy_cover, grepp

    # A fresh plan, so that deriving its paths is part of what is timed.
    plan = JoinPlan(problem.plan.tree, problem.plan.rates, problem.plan.states)
    cover = greedy_cover(plan, problem.needed) or {}
    grepp(plan, max(0.0, problem.resources - sum(cover.values())), cover)


def _milliseconds(work: Any) -> float:
    """The best of three: the machine may be busy with other things."""
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best * 1000


def _exponent(counts: tuple[int, ...], milliseconds: list[float]) -> float:
    """The power of the number of streams that the time grows with."""
    return float(np.polyfit(np.log(counts), np.log(milliseconds), 1)[0])
