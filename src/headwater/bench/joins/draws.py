"""Random plans from the paper's Table 3, in the shapes of its Figure 5.

Rates 300 to 1200 tuples per second, windows 200 to 5000 tuples, selectivities 0.01 to 0.1 (one for both
directions of a join, as in the paper).  Uniform draws have half-way productivities up to 500 and saturate at
10 ** 8 probes per second and more, which the model can handle but no simulation can run; `modest` draws come
from the same ranges, uniform in the logarithm, and are accepted if they saturate below a given number of
probes per second.
"""

from __future__ import annotations

import numpy as np

from headwater.overload.joins import Join, JoinPlan, Node, Problem, State, bushy, linear, saturation
from headwater.overload.joins.model.tree import joins, name, nodes, ordered_leaves

__all__ = ["SHAPES", "modest", "toleranced", "uniform"]

SHAPES: dict[str, Node] = {
    "linear": linear("A", "B", "C", "D"),
    "bushy": bushy("A", "B", "C", "D"),
    "five-way": Join(bushy("A", "B", "C", "D"), linear("E")),
}


def _between(random: np.random.Generator, low: float, high: float, *, logarithmic: bool) -> float:
    if logarithmic:
        return float(np.exp(random.uniform(np.log(low), np.log(high))))
    return float(random.uniform(low, high))


def _draw(tree: Node, random: np.random.Generator, *, logarithmic: bool) -> JoinPlan:
    selectivity = {
        name(child): value
        for join in joins(tree)
        for value in [_between(random, 0.01, 0.1, logarithmic=logarithmic)]
        for child in (join.left, join.right)
    }
    states = {
        name(node): State(
            float(round(_between(random, 200, 5000, logarithmic=logarithmic))), selectivity[name(node)]
        )
        for node in nodes(tree)
        if node is not tree
    }
    rates: dict[str, float | None] = {
        stream: _between(random, 300, 1200, logarithmic=logarithmic) for stream in ordered_leaves(tree)
    }
    return JoinPlan(tree, rates, states)


def uniform(tree: Node, random: np.random.Generator) -> JoinPlan:
    """A plan uniform over Table 3."""
    return _draw(tree, random, logarithmic=False)


def modest(tree: Node, random: np.random.Generator, most: float = 200_000.0) -> JoinPlan:
    """A plan from Table 3's ranges that real tuples can be run through."""
    while True:
        plan = _draw(tree, random, logarithmic=True)
        if saturation(plan)[0] <= most:
            return plan


def toleranced(plan: JoinPlan, share: float, multiple: float | None) -> Problem:
    """The plan with a share of its saturation resources and tolerances of `multiple` windows."""
    tolerance = (
        {} if multiple is None else {stream: multiple * plan.window(stream) for stream in plan.streams}
    )
    return Problem(plan, share * saturation(plan)[0], tolerance=tolerance)
