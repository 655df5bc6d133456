"""The policies that consider half-way joins one by one: the paper's baselines.

BestHJP is optimal for one join.  For several, the paper's Appendix B extends it in four ways, none of which
coordinates a producer with its consumer:

    equal              the same resources for each half-way join (EqualHJ)
    global-ratio       in the ratio of half-way productivities (GlobalHJPR)
    equal-best         the same for each join, then BestHJP within it (EBestHJP)
    selectivity-best   in the ratio of join selectivities, then BestHJP within it (SBestHJP)

A join's selectivity is the mean over its two directions (the paper's plans have one for both).  BestHJP
passes on what a stream's arrival rate leaves over; it does not know how much a join below will produce, so
an allowance with too few intermediate tuples is wasted, as in the paper's Table 4.  All run in time linear
in the streams.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.overload.joins.model.allocation import Allocation, from_half_ways
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.tree import Join, joins, name

__all__ = ["best_half_way", "equal", "equal_best", "global_ratio", "selectivity_best"]


def _productivities(plan: JoinPlan) -> dict[str, float]:
    """The half-way productivity of each node: what one of its tuples yields on probing its sibling."""
    return {own: plan.states[partner].productivity for own, partner in plan.siblings.items()}


def best_half_way(
    productivities: Mapping[str, float], rates: Mapping[str, float | None], resources: float
) -> dict[str, float]:
    """BestHJP: the most productive direction first, as far as its arrivals go, then the other."""
    granted: dict[str, float] = {}
    for own in sorted(productivities, key=lambda node: -productivities[node]):
        rate = rates.get(own)
        granted[own] = resources if rate is None else min(rate, resources)
        resources -= granted[own]
    return granted


def equal(plan: JoinPlan, resources: float) -> Allocation:
    """EqualHJ."""
    half_ways = tuple(plan.siblings)
    return from_half_ways(plan, dict.fromkeys(half_ways, resources / len(half_ways)))


def global_ratio(plan: JoinPlan, resources: float) -> Allocation:
    """GlobalHJPR."""
    productivities = _productivities(plan)
    return from_half_ways(plan, _in_ratio(productivities, resources))


def equal_best(plan: JoinPlan, resources: float) -> Allocation:
    """EBestHJP."""
    return _best_within(plan, _in_ratio({name(join): 1.0 for join in joins(plan.tree)}, resources))


def selectivity_best(plan: JoinPlan, resources: float) -> Allocation:
    """SBestHJP."""
    return _best_within(
        plan, _in_ratio({name(join): _join_selectivity(plan, join) for join in joins(plan.tree)}, resources)
    )


def _join_selectivity(plan: JoinPlan, join: Join) -> float:
    left, right = plan.states[name(join.left)], plan.states[name(join.right)]
    return (left.selectivity + right.selectivity) / 2


def _in_ratio(weights: Mapping[str, float], resources: float) -> dict[str, float]:
    total = sum(weights.values())
    if total == 0:
        return dict.fromkeys(weights, resources / len(weights))
    return {node: resources * weight / total for node, weight in weights.items()}


def _best_within(plan: JoinPlan, by_join: Mapping[str, float]) -> Allocation:
    productivities = _productivities(plan)
    granted: dict[str, float] = {}
    for join in joins(plan.tree):
        inputs = {node: productivities[node] for node in (name(join.left), name(join.right))}
        granted |= best_half_way(inputs, plan.rates, by_join[name(join)])
    return from_half_ways(plan, granted)
