"""Figure 6: selectivities change twice within ten minutes; which policies notice, and what they yield.

The three joins have selectivities 0.01, 0.01, 0.05 for three minutes, then 0.03, 0.03, 0.05 for four, then
0.03, 0.03, 0.1.  Resources are 30 % of saturation at the start and tolerances 1.5 windows.  The paper does
not give its rates and windows; these are from Table 3, with small intermediate windows so that the
tolerances can be met.
"""

from __future__ import annotations

from typing import Any

from headwater.bench.joins.draws import SHAPES, toleranced
from headwater.bench.joins.resources import Progress
from headwater.overload.joins import POLICIES, JoinPlan, Node, State
from headwater.overload.joins.model.tree import joins, name
from headwater.overload.joins.simulation.adaptive import Phase, Tick, run_adaptive

__all__ = ["measure_fluctuation", "phases_of"]

SELECTIVITIES = ((0.01, 0.01, 0.05), (0.03, 0.03, 0.05), (0.03, 0.03, 0.1))
RATES: dict[str, float | None] = {"A": 300.0, "B": 400.0, "C": 350.0, "D": 300.0}
CHANGES = (0.0, 0.3, 0.7)


def phases_of(tree: Node, seconds: float) -> list[Phase]:
    """The three phases over that many seconds."""
    return [
        Phase(begins * seconds, _plan(tree, selectivities))
        for begins, selectivities in zip(CHANGES, SELECTIVITIES, strict=True)
    ]


def _plan(tree: Node, selectivities: tuple[float, ...]) -> JoinPlan:
    states = {
        name(child): State(600.0 if len(name(child)) == 1 else 200.0, selectivity)
        for join, selectivity in zip(joins(tree), selectivities, strict=True)
        for child in (join.left, join.right)
    }
    return JoinPlan(tree, RATES, states)


def measure_fluctuation(seconds: float, progress: Progress) -> dict[str, Any]:
    """Cumulative results by shape and policy, adapting; the optimum also without adapting."""
    return {shape: _shape(SHAPES[shape], shape, seconds, progress) for shape in ("linear", "bushy")}


def _shape(tree: Node, shape: str, seconds: float, progress: Progress) -> dict[str, Any]:
    phases = phases_of(tree, seconds)
    problem = toleranced(phases[0].plan, 0.3, 1.5)
    series: dict[str, Any] = {}
    for policy in (*POLICIES, "optimal, not adapting"):
        progress(f"figure 6: {shape}, {policy}")
        adapting = policy in POLICIES
        ticks = run_adaptive(problem, policy.split(",")[0], phases, seconds, seed=6, adapting=adapting)
        series[policy] = _series(ticks)
    return series


def _series(ticks: list[Tick]) -> dict[str, Any]:
    total, cumulative = 0, []
    for tick in ticks:
        total += tick.results
        cumulative.append(total)
    loop = ticks[-1].loop
    return {
        "at": [tick.at for tick in ticks],
        "cumulative": cumulative,
        "stale": sum(tick.stale for tick in ticks),
        "kept_back": sum(tick.kept_back for tick in ticks),
        "analyses": loop.analyses,
        "actuations": loop.actuations,
        "drift_threshold": loop.thresholds.drift,
        "gain_threshold": loop.thresholds.gain,
        "drift_thresholds": [tick.loop.thresholds.drift for tick in ticks],
        "gain_thresholds": [tick.loop.thresholds.gain for tick in ticks],
    }
