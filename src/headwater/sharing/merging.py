"""One global plan from the plans of many views: what is equal is there once, and is made in one way.

`merge` is the paper's D: a union in which equal vertices and edges are one.  Two views may still make the
same relation at the same site in different ways.  Pushing a vertex twice would be wasteful and, with half of
a change seen each way, wrong; so `settle` chooses one way for each such vertex:

    tweets*users*urls @ m1   by S4: (tweets*users) * urls      by S21: (tweets*urls) * users
                             both kept: 14 $/h      the way of S4 for both: 11      that of S21: 12

The views that made it otherwise take over the way chosen, with all that it comes from.  Ways that would break
a promise are chosen only if all would; smaller joins are settled first, since larger ones come from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.sharing.costs import longest, resource_dollars, window
from headwater.sharing.graph import Edge, PlanGraph, Vertex, incoming, part_of, trim, union
from headwater.sharing.pricing import carries_of
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation

__all__ = ["Settled", "merge", "settle", "total"]

Made = dict[Vertex, Edge]


@dataclass(frozen=True, slots=True)
class Settled:
    """A vertex that was made in several ways and is now made in one."""

    vertex: Vertex
    edge: Edge
    graph: PlanGraph
    dollars: float  # per second, of the whole graph then


def merge(graphs: Iterable[PlanGraph]) -> PlanGraph:
    """The global plan D: all plans as one, equal vertices and edges once, each with the views it serves."""
    return union(graphs)


def total(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> float:
    """resCost of a whole graph in dollars per second."""
    return resource_dollars(graph, situation, carries_of(graph, sharings, situation)).per_second


def settle(
    graph: PlanGraph, sharings: Sequence[Sharing], results: Mapping[str, Vertex], situation: Situation
) -> list[Settled]:
    """Step by step, until every vertex is made in one way."""
    steps: list[Settled] = []
    while (vertex := _first_twice(graph)) is not None:
        ways = [_taken_over(graph, vertex, edge, results) for edge in incoming(graph)[vertex]]
        judged = [(_broken(way, sharings, situation), total(way, sharings, situation)) for way in ways]
        best = min(range(len(ways)), key=lambda at: judged[at])
        graph = ways[best]
        steps.append(Settled(vertex, incoming(graph)[vertex][0], graph, judged[best][1]))
    return steps


def _first_twice(graph: PlanGraph) -> Vertex | None:
    several = [vertex for vertex, edges in incoming(graph).items() if len(edges) > 1]
    return min(
        several, key=lambda one: (len(one.relation.inputs), one.driven is None, one.text), default=None
    )


def _taken_over(graph: PlanGraph, vertex: Vertex, edge: Edge, results: Mapping[str, Vertex]) -> PlanGraph:
    """The graph when all views make a vertex by one of its edges, from what one of that edge's views has."""
    model = min(graph.edges[edge])
    chain = _above(_made(graph, model), vertex)
    parts = []
    for view, result in results.items():
        mine = _made(graph, view)
        if vertex in mine and mine[vertex] != edge:
            mine |= chain
        alone = PlanGraph(
            dict.fromkeys(mine.values(), frozenset({view})),
            {one: frozenset({view}) for made in mine.values() for one in (*made.sources, made.target)}
            | {result: frozenset({view})},
        )
        parts.append(trim(alone, {view: result}))
    return union(parts)


def _made(graph: PlanGraph, view: str) -> Made:
    return {edge.target: edge for edge, serves in graph.edges.items() if view in serves}


def _above(made: Made, vertex: Vertex) -> Made:
    """All that a vertex comes from, in a plan."""
    found: Made = {}
    waiting = [vertex]
    while waiting:
        at = waiting.pop()
        if at in made and at not in found:
            found[at] = made[at]
            waiting += made[at].sources
    return found


def _broken(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> int:
    """How many promises a graph breaks."""
    return sum(
        longest(part_of(graph, one.view), window(one.freshness), situation).seconds
        > one.freshness.total_seconds()
        for one in sharings
    )
