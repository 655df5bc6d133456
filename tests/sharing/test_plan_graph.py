"""Plan graphs: building, merging, dropping, walking; and the plans of the paper's Figures 2 and 3."""

from __future__ import annotations

import pytest

from headwater.errors import InternalError
from headwater.sharing.graph import (
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
from headwater.sharing.placement import applied, base, captured, copied, joined, made, moved
from headwater.sharing.relations import Input, Relation, Sharing

A, B, C = (Input(name, name) for name in "ABC")
AB = Relation((A, B), (("A.k", "B.k"),))


def figure(case: str, united_first: bool = False, sites: str = "123") -> tuple[Edge, ...]:
    """A at m1 and B at m2 joined at m3, in one of the four ways of Figure 3."""
    one, two, three = (f"m{site}" for site in sites)
    left, right = base(A, one), base(B, two)
    edges = [captured(left), captured(right)]
    if case in "cd":
        left, copy = copied(left, two if case == "c" else three)
        edges += copy
    if case in "bd":
        right, copy = copied(right, one if case == "b" else three)
        edges += copy
    result, join = joined(left, right, AB, three, united_first)
    return (*edges, *join, applied(result))


def kinds(edges: tuple[Edge, ...]) -> dict[str, int]:
    names = [edge.kind.value for edge in edges]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def test_figure_2_has_12_vertices_and_10_edges() -> None:
    edges = figure("a")
    graph = graph_of(edges, "S")
    assert (len(graph.vertices), len(graph.edges)) == (12, 10)
    assert kinds(edges) == {"capture": 2, "copy": 4, "join": 2, "union": 1, "apply": 1}
    assert {str(one.site): 0 for one in graph.vertices} == {"m1": 0, "m2": 0, "m3": 0}
    assert sum(one.site == "m3" for one in graph.vertices) == 4
    assert result_vertex(graph, "S") == Vertex(AB, "m3")
    assert sources_of(graph) == {base(A, "m1").rows, base(B, "m2").rows}


@pytest.mark.parametrize(
    ("case", "copies", "applies", "joined_at"),
    [("a", 4, 1, {"m1", "m2"}), ("b", 3, 2, {"m1"}), ("c", 3, 2, {"m2"}), ("d", 2, 3, {"m3"})],
)
def test_the_four_cases_of_figure_3_as_the_paper_draws_them(
    case: str, copies: int, applies: int, joined_at: set[str]
) -> None:
    edges = figure(case)
    graph = graph_of(edges, "S")
    assert (len(graph.vertices), len(graph.edges)) == (12, 10)
    assert kinds(edges) == {"capture": 2, "copy": copies, "join": 2, "union": 1, "apply": applies}
    assert {edge.target.site for edge in edges if edge.kind is EdgeKind.JOIN} == joined_at
    assert result_vertex(graph, "S").site == "m3"


@pytest.mark.parametrize(
    ("case", "vertices", "edges"), [("a", 12, 10), ("b", 11, 9), ("c", 11, 9), ("d", 12, 10)]
)
def test_halves_of_one_site_are_united_before_they_are_copied(case: str, vertices: int, edges: int) -> None:
    graph = graph_of(figure(case, united_first=True), "S")
    assert (len(graph.vertices), len(graph.edges)) == (vertices, edges)


@pytest.mark.parametrize(
    ("sites", "vertices", "edges"),
    [("123", 8, 8), ("121", 7, 7), ("122", 7, 7), ("112", 6, 6), ("111", 4, 4)],
)
def test_an_in_place_join_adds_at_most_8_vertices_and_8_edges(sites: str, vertices: int, edges: int) -> None:
    graph = graph_of(figure("a", sites=sites), "S")
    assert (len(graph.vertices) - 4, len(graph.edges) - 2) == (vertices, edges)


def test_a_copy_adds_a_relation_and_two_edges() -> None:
    there, edges = copied(base(A, "m1"), "m2")
    assert [edge.kind for edge in edges] == [EdgeKind.COPY, EdgeKind.APPLY]
    assert there.rows == Vertex(Relation((A,)), "m2")
    before = graph_of([captured(base(A, "m1"))], "S")
    after = union([before, graph_of(edges, "S")])
    assert {one for one in after.vertices if not one.delta} - set(before.vertices) == {there.rows}


def test_a_copy_to_where_it_lies_is_nothing() -> None:
    assert copied(base(A, "m1"), "m1") == (base(A, "m1"), ())
    assert moved(base(A, "m1"), "m1") == (base(A, "m1"), ())


def test_filters_are_applied_by_the_first_edge() -> None:
    from headwater.algebra.expressions import Column, Literal, call

    few = Input("A", "A", (call("gt", Column("A.x"), Literal(1, "1")),))
    there, (copy, apply) = copied(base(few, "m1"), "m2")
    assert copy.sources[0].relation.is_base
    assert copy.target.relation == Relation((few,)) == apply.target.relation == there.relation


def test_a_union_of_graphs_has_each_thing_once_and_serves_both() -> None:
    one, two = graph_of(figure("a"), "S1"), graph_of(figure("d"), "S2")
    both = union([one, two])
    assert both.views == {"S1", "S2"}
    assert both.edges[captured(base(A, "m1"))] == {"S1", "S2"}
    assert len(both.edges) == len(set(one.edges) | set(two.edges)) < len(one.edges) + len(two.edges)
    assert part_of(both, "S1") == one
    assert part_of(both, "S2") == two


def test_a_dropped_view_takes_only_what_nobody_else_uses() -> None:
    one, two = graph_of(figure("a"), "S1"), graph_of(figure("d"), "S2")
    assert without_views(union([one, two]), "S2") == one
    assert without_views(one, "S1") == PlanGraph()


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
    graph = union([graph_of(figure("a"), "S1"), graph_of(figure("b", united_first=True), "S2")])
    order = topological(graph)
    target = Vertex(AB, "m3", delta=True)
    assert {edge.kind for edge in incoming(graph)[target]} == {EdgeKind.UNION, EdgeKind.COPY}
    made_at = [at for at, edge in enumerate(order) if edge.target == target]
    read_at = [at for at, edge in enumerate(order) if target in edge.sources]
    assert max(made_at) < min(read_at)


def test_a_circle_is_a_bug() -> None:
    one, two = made(Relation((A,)), "m1"), made(Relation((A,)), "m2")
    circle = [Edge(EdgeKind.COPY, (one.delta,), two.delta), Edge(EdgeKind.COPY, (two.delta,), one.delta)]
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
    assert hash(sharing.part(frozenset("AB"))) == hash(AB)
