"""What a view costs, by Eq. (1) of the paper.

    cost = resCost * (1 + CP / s)  +  lambda * exp((lambda - mu) * s) * penalty

s is the freshness.  A plan whose critical path is long beside s has little room to wait for others, so its
resources are provisioned above need by CP / s.  The second term is what late tuples cost: a view is an M/M/1
queue whose tuples arrive at lambda per second and are served at mu per second by the slowest operator of the
plan; exp((lambda - mu) * s) of them stay longer than s.

Readings.  The paper's COST is in dollars per second and its penalty is dollars per late tuple, so the share
of late tuples is multiplied by lambda here, which Eq. (1) leaves out.  mu is the tuples that a push brings to
the view divided by the seconds that its slowest operator takes for them.  A share is at most 1.
A plan that needs more than a site has costs infinitely much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.planning.cost.costs import (
    HOUR,
    Load,
    Path,
    Resources,
    carried_between,
    exceeded,
    longest,
    resource_dollars,
    timed,
    window,
)
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, part_of, result_vertex
from headwater.planning.relations.relations import Sharing

__all__ = ["Price", "dollars", "late_penalty", "late_share"]


@dataclass(frozen=True, slots=True)
class Price:
    """A view's plan, priced as if it were alone."""

    resources: Resources
    path: Path  # of a push that carries as much as the promise allows
    carries: float  # seconds of changes in a usual push
    freshness: float
    penalty: float  # dollars per second that late tuples are expected to cost
    lacking: tuple[str, ...] = field(default=())  # capacities that are gone, in words

    @property
    def per_second(self) -> float:
        if self.lacking:
            return math.inf
        return self.resources.per_second * (1.0 + self.path.seconds / self.freshness) + self.penalty

    @property
    def per_hour(self) -> float:
        return self.per_second * HOUR


def dollars(
    graph: PlanGraph, sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None
) -> Price:
    """Eq. (1) for one view's part of a graph; `taken` is what other views use of the sites already."""
    own = part_of(graph, sharing.view)
    most = window(sharing.freshness)
    low, path = longest(own, 0.0, situation), longest(own, most, situation)
    carries = carried_between(low.seconds, path.seconds, most)
    resources = resource_dollars(own, situation, {sharing.view: carries})
    penalty = late_penalty(own, sharing, situation, carries)
    lacking = exceeded(resources.loads, taken or {}, situation)
    return Price(resources, path, carries, sharing.freshness.total_seconds(), penalty, lacking)


def late_penalty(graph: PlanGraph, sharing: Sharing, situation: Situation, carries: float) -> float:
    """Dollars per second that late tuples of a view are expected to cost."""
    if not sharing.penalty:
        return 0.0
    arriving = situation.vertex_size(result_vertex(graph, sharing.view)).rate
    slowest = max((timed(edge, carries, situation).seconds for edge in graph.edges), default=0.0)
    late = late_share(arriving, arriving * carries, slowest, sharing.freshness.total_seconds())
    return arriving * late * float(sharing.penalty)


def late_share(arriving: float, tuples: float, slowest: float, freshness: float) -> float:
    """P(t > s) of an M/M/1 queue: tuples arrive per second; so many take the slowest operator so long."""
    if slowest <= 0.0 or arriving <= 0.0:
        return 0.0
    return math.exp(min(0.0, (arriving - tuples / slowest) * freshness))
