"""How a new view can join a plan that runs: everything that exists goes on as it is, and may be used.

    inserted   planned with what exists being free (insertion.py)
    plumbed    planned alone; what both have is the plan's; the rest plumbed into the plan
    beside     planned alone as fast as possible, and only what both have in common is shared

The cheapest that keeps the promise is taken.  The critical paths of the other views do not change, because
nothing that they are made from is made in another way; an edge that the new view needs more often than they
do runs more often, which the new view pays for with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.sharing.admission import Admission
from headwater.sharing.better import Searcher
from headwater.sharing.graph import Edge, PlanGraph, Vertex, union
from headwater.sharing.merging import total
from headwater.sharing.plumbing import Climber, Step
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation

__all__ = ["Joining", "joining"]


@dataclass(frozen=True, slots=True)
class Joining:
    """A plan with the new view in it. Dollars are resources per second."""

    kind: str
    graph: PlanGraph
    dollars: float
    steps: tuple[Step, ...] = ()


def joining(
    graph: PlanGraph,
    sharings: Sequence[Sharing],
    new: Sharing,
    admission: Admission,
    situation: Situation,
) -> tuple[Joining, ...]:
    """The ways in which a new view can join."""
    everyone = [*sharings, new]
    existing = {edge.target: edge for edge in graph.edges}
    whole = union((graph, admission.graph))
    searcher = Searcher(whole, everyone, situation)
    start = searcher.choice(existing, [one.view for one in sharings])
    inserted = searcher.graph(searcher.put_back(start, [new.view], searcher.sharings))
    kept = frozenset(graph.vertices)
    plain = _beside(searcher, existing, admission.planned.graph)
    climber = Climber(plain, everyone, situation, {}, kept=kept)
    steps = tuple(climber.climb())
    fast = _beside(searcher, existing, admission.fastest.graph)
    return (
        Joining("inserted", inserted, total(inserted, everyone, situation)),
        Joining("plumbed", climber.graph, total(climber.graph, everyone, situation), steps),
        Joining("beside", fast, total(fast, everyone, situation)),
    )


def _beside(searcher: Searcher, existing: dict[Vertex, Edge], plan: PlanGraph) -> PlanGraph:
    """A plan merged into what exists: where both make a vertex, the way that exists stays."""
    made = {edge.target: edge for edge in plan.edges} | existing
    return searcher.graph(searcher.choice(made, searcher.sharings))
