"""One way to make each vertex of a global plan.

A union of plans (graph.py) has equal vertices and edges once.  Two views may still make the same relation
at the same site by different edges.  Workplace a vertex twice would be wasteful and, with half of a change
seen each way, wrong; so `settle` chooses one edge for each such vertex:

    tweets*users*urls @ m1   by S4: (tweets*users) * urls      by S21: (tweets*urls) * users
                             both kept: 14 $/h      S4's edge for both: 11      S21's: 12

The views that made it otherwise take over the edge chosen, with everything it comes from.  Edges that would
break a promise are chosen only if all would; smaller joins are settled first, since larger ones come from
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.planning.cost.costs import longest, resource_dollars, window
from headwater.planning.cost.pricing import carries_of
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, PlanGraph, Vertex, graph_of, incoming, part_of, trim, union
from headwater.planning.relations.relations import Sharing

__all__ = ["Settled", "settle", "total"]

Makers = dict[Vertex, Edge]  # vertex -> the edge that makes it


@dataclass(frozen=True, slots=True)
class Settled:
    """A vertex that several edges made, and the one that makes it now."""

    vertex: Vertex
    edge: Edge
    graph: PlanGraph
    dollars: float  # per second, of the whole graph then


def total(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> float:
    """resCost of a whole graph in dollars per second."""
    return resource_dollars(graph, situation, carries_of(graph, sharings, situation)).per_second


def settle(
    graph: PlanGraph, sharings: Sequence[Sharing], results: Mapping[str, Vertex], situation: Situation
) -> list[Settled]:
    """Step by step, until one edge makes each vertex."""
    steps: list[Settled] = []
    while (vertex := _next_unsettled(graph)) is not None:
        plans = [_taken_over(graph, vertex, edge, results) for edge in incoming(graph)[vertex]]
        broken = [_broken_promises(plan, sharings, situation) for plan in plans]
        dollars = [total(plan, sharings, situation) for plan in plans]
        best = min(range(len(plans)), key=lambda at: (broken[at], dollars[at]))
        graph = plans[best]
        steps.append(Settled(vertex, incoming(graph)[vertex][0], graph, dollars[best]))
    return steps


def _next_unsettled(graph: PlanGraph) -> Vertex | None:
    unsettled = [vertex for vertex, edges in incoming(graph).items() if len(edges) > 1]
    return min(
        unsettled,
        key=lambda vertex: (len(vertex.relation.inputs), vertex.driven is None, vertex.text),
        default=None,
    )


def _taken_over(graph: PlanGraph, vertex: Vertex, edge: Edge, results: Mapping[str, Vertex]) -> PlanGraph:
    """The graph when all views make a vertex by one of its edges, from what one of that edge's views has."""
    chain = _above(_makers(graph, min(graph.edges[edge])), vertex)
    plans = []
    for view, result in results.items():
        makers = _makers(graph, view)
        if vertex in makers and makers[vertex] != edge:
            makers |= chain
        plans.append(trim(graph_of(makers.values(), view, vertices=(result,)), {view: result}))
    return union(plans)


def _makers(graph: PlanGraph, view: str) -> Makers:
    return {edge.target: edge for edge, serves in graph.edges.items() if view in serves}


def _above(makers: Makers, vertex: Vertex) -> Makers:
    """Everything that a vertex comes from, in a plan."""
    above: Makers = {}
    waiting = [vertex]
    while waiting:
        at = waiting.pop()
        if at in makers and at not in above:
            above[at] = makers[at]
            waiting += makers[at].sources
    return above


def _broken_promises(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> int:
    return sum(
        longest(part_of(graph, sharing.view), window(sharing.freshness), situation).seconds
        > sharing.freshness.total_seconds()
        for sharing in sharings
    )
