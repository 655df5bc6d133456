"""What each view of a global plan pays, and how long its critical path is there.

    pays = share of the resources * (1 + CP / s) + penalty          (Eq. (1) with the view's share)

A vertex or an edge that serves several views is paid by them in equal parts, and is pushed as often as the
most impatient of them needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.planning.cost.costs import HOUR, Path, Resources, longest, resource_dollars, window
from headwater.planning.cost.price import dollars
from headwater.planning.cost.pricing import carries_of
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, part_of
from headwater.planning.relations.relations import Sharing

__all__ = ["Shares", "shares_of"]


@dataclass(frozen=True, slots=True)
class Shares:
    """Dollars per hour and critical path of each view."""

    dollars: Mapping[str, float] = field(default_factory=dict)
    paths: Mapping[str, Path] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)


def shares_of(graph: PlanGraph, sharings: Sequence[Sharing], situation: Situation) -> Shares:
    """How the cost of a graph is split among its views."""
    resources = resource_dollars(graph, situation, carries_of(graph, sharings, situation))
    split = resources.split(graph)
    paths = {
        sharing.view: longest(part_of(graph, sharing.view), window(sharing.freshness), situation)
        for sharing in sharings
    }
    pays = {}
    for sharing in sharings:
        view = sharing.view
        extra = paths[view].seconds / sharing.freshness.total_seconds()
        late = dollars(graph, sharing, situation).penalty if sharing.penalty else 0.0
        pays[view] = (split.get(view, 0.0) * (1.0 + extra) + late) * HOUR
    return Shares(pays, paths, resources)
