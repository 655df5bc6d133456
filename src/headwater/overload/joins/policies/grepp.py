"""GrePP: resources to the most productive path, as far as its arrivals go, then to the next.

In fractions of tuples (over many cycles) the knapsack has the greedy choice property, so without freshness
this is the optimum.  It starves all but the best paths, which makes results grow stale.  Cost: k log k.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.overload.joins.model.join_plan import JoinPlan

__all__ = ["grepp"]


def grepp(plan: JoinPlan, resources: float, already: Mapping[str, float] | None = None) -> dict[str, float]:
    """Resources of each path, on top of those `already` given."""
    given = {path.stream: (already or {}).get(path.stream, 0.0) for path in plan.paths}
    for path in sorted(plan.paths, key=lambda path: -path.productivity):
        if path.productivity <= 0:
            break
        more = max(0.0, min(resources, path.most - given[path.stream]))
        given[path.stream] += more
        resources -= more
    return given
