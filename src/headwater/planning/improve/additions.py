"""How a new view can be added to a plan that runs: everything that exists goes on as it is, and may be used.

    inserted   planned with what exists being free (insertion.py)
    plumbed    planned alone; what both have is the plan's; the rest plumbed into the plan
    beside     planned alone as fast as possible, and only what both have in common is shared

The critical paths of the other views do not change, because nothing that they are made from is made in
another way.  An edge that the new view needs more often than they do runs more often, and all of them pay
for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, PlanGraph, Vertex, union
from headwater.planning.improve.plumbing import Climber, Step
from headwater.planning.improve.reinsertion import Reinserter
from headwater.planning.improve.settling import total
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import Admission

__all__ = ["Addition", "additions"]


@dataclass(frozen=True, slots=True)
class Addition:
    """A plan with the new view in it. Dollars are resources per second."""

    kind: str  # "inserted", "plumbed" or "beside"
    graph: PlanGraph
    dollars: float
    steps: tuple[Step, ...] = ()


def additions(
    graph: PlanGraph,
    sharings: Sequence[Sharing],
    new: Sharing,
    admission: Admission,
    situation: Situation,
) -> tuple[Addition, ...]:
    """The ways in which a new view can be added."""
    everyone = [*sharings, new]
    existing = {edge.target: edge for edge in graph.edges}
    reinserter = Reinserter(union((graph, admission.graph)), everyone, situation)
    there = reinserter.serves(existing, [sharing.view for sharing in sharings])
    inserted = reinserter.graph(reinserter.put_back(existing, there, [new.view], reinserter.sharings))
    merged = _beside(reinserter, existing, admission.planned.graph)
    climber = Climber(merged, everyone, situation, {}, fixed=frozenset(graph.vertices))
    steps = tuple(climber.climb())
    fast = _beside(reinserter, existing, admission.fastest.graph)
    return (
        Addition("inserted", inserted, total(inserted, everyone, situation)),
        Addition("plumbed", climber.graph, total(climber.graph, everyone, situation), steps),
        Addition("beside", fast, total(fast, everyone, situation)),
    )


def _beside(reinserter: Reinserter, existing: Mapping[Vertex, Edge], plan: PlanGraph) -> PlanGraph:
    """A plan merged into what exists: where both make a vertex, the existing edge stays."""
    makers = {edge.target: edge for edge in plan.edges} | dict(existing)
    return reinserter.graph(reinserter.draft(makers, reinserter.sharings))
