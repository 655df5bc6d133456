"""Plan graphs: building, merging, dropping, walking; and the plans of the paper's Figure 3."""

from __future__ import annotations

import pytest

from headwater.errors import InternalError
from headwater.planning.graph.graph import (
    Edge,
    EdgeKind,
    PlanGraph,
    Vertex,
    ancestors,
    drop_idle,
    graph_of,
    incoming,
    outgoing,
    part_of,
    result_vertex,
    sources_of,
    topological,
    trim,
    union,
    without_views,
)
from headwater.planning.graph.site_relations import base, captured, computed, copied, joined, moved
from headwater.planning.relations.parts import part
from headwater.planning.relations.relations import Input, Relation, Sharing
from support.planning.figure3 import AB, A, B, C, figure


def kinds(edges: tuple[Edge, ...]) -> dict[str, int]:
    names = [edge.kind.value for edge in edges]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def test_figure_2_has_12_vertices_and_10_edges() -> None:
    graph = graph_of(figure("a"), "S")
    assert (len(graph.vertices), len(graph.edges)) == (12, 10)
    assert kinds(figure("a")) == {"capture": 2, "copy": 4, "join": 2, "union": 1, "apply": 1}


@pytest.mark.parametrize(
    ("case", "vertices", "edges", "copies", "applies", "joined_at"),
    [("b", 11, 9, 2, 2, {"m1"}), ("c", 11, 9, 2, 2, {"m2"}), ("d", 12, 10, 2, 3, {"m3"})],
)
def test_the_cases_of_figure_3_that_are_offered(
    case: str, vertices: int, edges: int, copies: int, applies: int, joined_at: set[str]
) -> None:
    """The paper's counts for (b) and (c) are 12 and 10: it copies both halves, we their union."""
    graph = graph_of(figure(case), "S")
    assert (len(graph.vertices), len(graph.edges)) == (vertices, edges)
    assert kinds(figure(case)) == {"capture": 2, "copy": copies, "join": 2, "union": 1, "apply": applies}
    assert {edge.target.site for edge in graph.edges if edge.kind is EdgeKind.JOIN} == joined_at
    assert result_vertex(graph, "S") == Vertex(AB, "m3")
    assert sources_of(graph) == {base(A, "m1").rows, base(B, "m2").rows}


@pytest.mark.parametrize(
    ("sites", "vertices", "edges"),
    [("123", 8, 8), ("121", 6, 6), ("122", 6, 6), ("112", 8, 8), ("111", 4, 4)],
)
def test_a_join_adds_fewer_vertices_and_edges_where_sites_coincide(
    sites: str, vertices: int, edges: int
) -> None:
    graph = graph_of(figure("d", sites=sites), "S")
    assert (len(graph.vertices) - 4, len(graph.edges) - 2) == (vertices, edges)


def test_a_join_of_sides_at_two_sites_is_a_bug() -> None:
    with pytest.raises(InternalError, match="at m1 and at m2"):
        joined(base(A, "m1"), base(B, "m2"), AB, "m3")


def test_a_copy_adds_a_relation_and_two_edges() -> None:
    there, edges = copied(base(A, "m1"), "m2")
    assert [edge.kind for edge in edges] == [EdgeKind.COPY, EdgeKind.APPLY]
    assert there.rows == Vertex(Relation((A,)), "m2")
    before = graph_of([captured(base(A, "m1"))], "S")
    after = union([before, graph_of(edges, "S")])
    assert {vertex for vertex in after.vertices if not vertex.delta} - set(before.vertices) == {there.rows}


def test_a_copy_to_where_it_lies_is_nothing() -> None:
    assert copied(base(A, "m1"), "m1") == (base(A, "m1"), ())
    assert moved(base(A, "m1"), "m1") == (base(A, "m1"), ())


def test_filters_are_applied_by_the_first_edge() -> None:
    from headwater.algebra.expressions.tree import Column, Literal, call

    few = Input("A", "A", (call("gt", Column("A.x"), Literal(1, "1")),))
    there, (copy, apply) = copied(base(few, "m1"), "m2")
    assert copy.sources[0].relation.is_base
    assert copy.target.relation == Relation((few,)) == apply.target.relation == there.relation


def test_a_union_of_graphs_has_each_thing_once_and_serves_both() -> None:
    first, second = graph_of(figure("a"), "S1"), graph_of(figure("d"), "S2")
    both = union([first, second])
    assert both.views == {"S1", "S2"}
    assert both.edges[captured(base(A, "m1"))] == {"S1", "S2"}
    assert len(both.edges) == len(set(first.edges) | set(second.edges)) < len(first.edges) + len(second.edges)
    assert part_of(both, "S1") == first
    assert part_of(both, "S2") == second


def test_a_dropped_view_takes_only_what_nobody_else_uses() -> None:
    first, second = graph_of(figure("a"), "S1"), graph_of(figure("d"), "S2")
    assert without_views(union([first, second]), "S2") == first
    assert without_views(first, "S1") == PlanGraph()


def test_what_serves_nobody_is_dropped() -> None:
    graph = graph_of(figure("a"), "S1")
    idle = union([graph, graph_of(figure("d"))])
    assert idle.size > graph.size
    assert drop_idle(idle) == graph


def test_trim_keeps_what_leads_to_the_result() -> None:
    graph = graph_of(figure("a"), "S")
    spare, edges = copied(base(A, "m1"), "m9")
    more = union([graph, graph_of(edges, "S")])
    assert trim(more, {"S": Vertex(AB, "m3")}) == graph
    assert trim(more, {"S": spare.rows}).size == 4 + 3


def test_ancestors_are_those_of_the_paper() -> None:
    graph = graph_of(figure("a"), "S")
    vertices, edges = ancestors(graph, [Vertex(AB, "m3")])
    assert vertices == set(graph.vertices) - {Vertex(AB, "m3")}
    assert edges == set(graph.edges)
    copy = moved(base(A, "m1"), "m2")[0].delta
    assert ancestors(graph, [copy])[0] == {base(A, "m1").rows, base(A, "m1").delta}
    assert ancestors(graph, [copy], "another view") == (frozenset(), frozenset())


def test_a_topological_order_completes_sources_first() -> None:
    graph = graph_of(reversed(figure("d")), "S")
    seen = set(sources_of(graph))
    for edge in topological(graph):
        assert seen.issuperset(edge.sources)
        seen.add(edge.target)
    assert seen == set(graph.vertices)


def test_a_vertex_made_in_two_ways_is_complete_after_both() -> None:
    graph = union([graph_of(figure("a"), "S1"), graph_of(figure("b"), "S2")])
    order = topological(graph)
    target = Vertex(AB, "m3", delta=True)
    assert {edge.kind for edge in incoming(graph)[target]} == {EdgeKind.UNION, EdgeKind.COPY}
    made_at = [at for at, edge in enumerate(order) if edge.target == target]
    read_at = [at for at, edge in enumerate(order) if target in edge.sources]
    assert max(made_at) < min(read_at)


def test_a_circle_is_a_bug() -> None:
    first, second = computed(Relation((A,)), "m1"), computed(Relation((A,)), "m2")
    circle = [
        Edge(EdgeKind.COPY, (first.delta,), second.delta),
        Edge(EdgeKind.COPY, (second.delta,), first.delta),
    ]
    with pytest.raises(InternalError, match="circle"):
        topological(graph_of(circle, "S"))


def test_a_plan_that_ends_twice_has_no_result() -> None:
    edges = (*figure("a"), *copied(base(A, "m1"), "m4")[1])
    with pytest.raises(InternalError, match="2 relations"):
        result_vertex(graph_of(edges, "S"), "S")


def test_incoming_and_outgoing_are_of_one_view_when_asked() -> None:
    both = union([graph_of(figure("a"), "S1"), graph_of(figure("d"), "S2")])
    target = Vertex(AB, "m3", delta=True)
    assert len(incoming(both)[target]) == 1  # the union of halves at m3 is the same edge in both
    assert len(outgoing(both)[base(A, "m1").delta]) == 2
    assert len(outgoing(both, "S1")[base(A, "m1").delta]) == 1


def test_equal_values_have_equal_hashes() -> None:
    assert hash(figure("a")[3]) == hash(figure("a")[3])
    assert set(figure("a")) == set(figure("a"))
    sharing = Sharing("S", Relation((A, B, C), (("A.k", "B.k"), ("B.z", "C.z"))))
    assert hash(part(sharing.core, frozenset("AB"))) == hash(AB)
