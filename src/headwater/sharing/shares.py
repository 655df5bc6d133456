"""What each view of a global plan pays, and how long its critical path is there.

    pays = share of the resources * (1 + CP / s) + penalty          (Eq. (1) with the view's share)

A vertex or an edge that serves several views is paid by them in equal parts, and is pushed as often as the
most impatient of them needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.sharing.costs import HOUR, Path, Resources, longest, resource_dollars, window
from headwater.sharing.graph import PlanGraph, part_of
from headwater.sharing.price import dollars
from headwater.sharing.pricing import carries_of
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation

__all__ = ["Shares", "shares_of"]


@dataclass(frozen=True, slots=True)
class Shares:
    """Of each view: dollars per hour, and its critical path."""

    dollars: Mapping[str, float] = field(default_factory=dict)
    paths: Mapping[str, Path] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)


def shares_of(graph: PlanGraph, sharings: Sequence[Sharing], situation: Situation) -> Shares:
    """How the cost of a graph is split among its views."""
    resources = resource_dollars(graph, situation, carries_of(graph, sharings, situation))
    split = resources.split(graph)
    paths = {
        one.view: longest(part_of(graph, one.view), window(one.freshness), situation) for one in sharings
    }
    pays = {}
    for one in sharings:
        extra = paths[one.view].seconds / one.freshness.total_seconds()
        late = dollars(graph, one, situation).penalty if one.penalty else 0.0
        pays[one.view] = (split.get(one.view, 0.0) * (1.0 + extra) + late) * HOUR
    return Shares(pays, paths, resources)
