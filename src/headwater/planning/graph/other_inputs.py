"""A plan as it is drawn: with everything that views read, also what no join of the plan reads.

The core of a view is its join.  What is done last may read other sources: those of a UNION, a subquery, an
outer join.  They are at the view's site, cost nothing that a plan could save, and so are no part of the
graph; a picture without them would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, result_vertex, union
from headwater.planning.relations.relations import Input, Relation, Sharing

__all__ = ["with_other_inputs"]


def with_other_inputs(graph: PlanGraph, sharings: Iterable[Sharing]) -> PlanGraph:
    """The graph with an edge from each such source to the view that reads it."""
    reads = [
        _read(graph, sharing, input)
        for sharing in sharings
        if sharing.view in graph.views
        for input in sharing.also
    ]
    return union((graph, *reads))


def _read(graph: PlanGraph, sharing: Sharing, input: Input) -> PlanGraph:
    source = next(
        (
            vertex
            for vertex in graph.vertices
            if vertex.relation.is_base
            and not vertex.delta
            and vertex.site == sharing.site
            and vertex.relation.inputs[0].relation == input.relation
        ),
        Vertex(Relation((Input(input.relation, input.relation),)), sharing.site),
    )
    views = frozenset({sharing.view})
    edge = Edge(EdgeKind.COMPUTE, (source,), result_vertex(graph, sharing.view))
    return PlanGraph({edge: views}, {source: views})
