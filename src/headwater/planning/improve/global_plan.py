"""The plan of all views, as a value: who is admitted, what they share, and what each pays.

A view pays by Eq. (1) of the paper: resources * (1 + CP / s) + penalty.  Alone, its resources are those of
its own plan; in the global plan they are its share: what serves several views is paid in equal parts.

plan_all.py makes such a plan, adding.py adds views to it and drops them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from headwater.planning.cost.costs import HOUR, Load, Path, resource_dollars
from headwater.planning.cost.pricing import carries_of
from headwater.planning.cost.shares import Shares, shares_of
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, Vertex, result_vertex
from headwater.planning.improve.plumbing import Step
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import Admission

__all__ = ["GlobalPlan", "loads_of", "restored", "with_shares"]


@dataclass(frozen=True, slots=True)
class GlobalPlan:
    """Everything that was decided. Dollars are per hour."""

    admissions: Mapping[str, Admission]  # of all views that asked, in their order
    sharings: Mapping[str, Sharing]  # of the admitted ones
    before: PlanGraph = field(default_factory=PlanGraph)  # their own plans, merged
    graph: PlanGraph = field(default_factory=PlanGraph)
    steps: tuple[Step, ...] = ()
    shares: Shares = field(default_factory=Shares)
    resources_alone: float = 0.0  # of all own plans, nothing shared
    resources_merged: float = 0.0  # of `before`
    resources: float = 0.0  # of `graph`

    @property
    def alone(self) -> dict[str, float]:
        """What each admitted view would pay with a plan of its own."""
        return {view: self.admissions[view].dollars_per_hour for view in self.sharings}

    @property
    def shared(self) -> Mapping[str, float]:
        """What each admitted view pays in the global plan."""
        return self.shares.dollars

    @property
    def paths(self) -> Mapping[str, Path]:
        """The critical path of each admitted view in the global plan."""
        return self.shares.paths

    @property
    def saved(self) -> float:
        """The share that sharing saves of the dollars that all views would cost alone."""
        alone = sum(self.alone.values())
        return 1.0 - sum(self.shared.values()) / alone if alone else 0.0

    @property
    def tightest(self) -> str | None:
        """The admitted view whose critical path takes most of its freshness."""
        part = {
            view: path.seconds / self.sharings[view].freshness.total_seconds()
            for view, path in self.paths.items()
        }
        return max(part, key=lambda view: part[view], default=None)

    def results(self) -> dict[Vertex, tuple[str, ...]]:
        """The views at each vertex that is one."""
        views: dict[Vertex, tuple[str, ...]] = {}
        for view in self.sharings:
            vertex = result_vertex(self.graph, view)
            views[vertex] = (*views.get(vertex, ()), view)
        return views


def with_shares(plan: GlobalPlan, situation: Situation) -> GlobalPlan:
    """The plan with what each view pays in it."""
    shares = shares_of(plan.graph, list(plan.sharings.values()), situation)
    return replace(plan, shares=shares, resources=shares.resources.per_second * HOUR)


def restored(graph: PlanGraph, sharings: Mapping[str, Sharing], situation: Situation) -> GlobalPlan:
    """A plan that was made before, to add views to; how its views were admitted is no longer known."""
    return with_shares(GlobalPlan({}, sharings, graph, graph), situation)


def loads_of(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> Mapping[str, Load]:
    """What a plan uses of each site."""
    return resource_dollars(graph, situation, carries_of(graph, sharings, situation)).loads
