"""The picture of a global plan: lanes, boxes, badges, the critical path; small plans whole, large ones folded."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, union
from headwater.sharing.placement import applied, base, captured, copied, joined
from headwater.sharing.plan_layout import fold, lay_out, unfold
from headwater.sharing.plan_picture import CRITICAL, GOLD, plan_svg
from headwater.sharing.relations import Input, Relation

A, B = Input("A", "A"), Input("B", "B")
AB = Relation((A, B), (("A.k", "B.k"),))
RESULT = Vertex(AB, "m3")


def in_place(view: str = "S") -> PlanGraph:
    left, right = base(A, "m1"), base(B, "m2")
    result, edges = joined(left, right, AB, "m3", united_first=False)
    return graph_of((captured(left), captured(right), *edges, applied(result)), view)


def shapes(svg: str, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(svg).findall(f"{{http://www.w3.org/2000/svg}}{tag}")


def test_a_small_plan_shows_every_vertex_and_names_every_site() -> None:
    svg = plan_svg("Shop", in_place(), {RESULT: ["S"]}, subtitle="12 vertices")
    boxes = [one for one in shapes(svg, "rect") if one.get("width") == "190"]
    assert len(boxes) == 12
    texts = [one.text for one in shapes(svg, "text")]
    assert {"Shop", "12 vertices", "m1", "m2", "m3", "S", "A ⋈ B", "Δ A ⋈ B"} <= set(texts)
    assert GOLD not in "".join(one.get("fill", "") for one in shapes(svg, "circle")[1:])  # the first: legend


def test_what_is_shared_bears_the_number_of_its_views() -> None:
    both = union([in_place("S"), in_place("T")])
    svg = plan_svg("Shop", both, {RESULT: ["S", "T"]})
    badges = [one for one in shapes(svg, "circle") if one.get("fill") == GOLD and one.get("r") == "10"]
    assert len(badges) == 12


def test_the_critical_path_is_one_line_not_both_sides_of_a_join() -> None:
    graph = in_place()
    path = [edge for edge in graph.edges if edge.kind is not EdgeKind.COPY or edge.target.site != "m1"]
    path = [edge for edge in path if not _by(edge, "B") and "B" not in edge.sources[0].relation.text[:1]]
    svg = plan_svg("Shop", graph, {RESULT: ["S"]}, path)
    red = [one for one in shapes(svg, "path") if one.get("stroke") == CRITICAL]
    assert len(red) == len(path)


def _by(edge: Edge, name: str) -> bool:
    return any(one.driven is not None and one.driven.text == name for one in (*edge.sources, edge.target))


def test_folding_makes_a_box_of_a_relation_at_a_site() -> None:
    nodes, links = fold(in_place())
    # A and B at home and as a delta at the other's, halves of AB there, AB at m3.
    assert len(nodes) == 7
    assert {link.kind for link in links} == {EdgeKind.COPY, EdgeKind.JOIN}
    svg = plan_svg("Shop", in_place(), {RESULT: ["S"]}, folded=True)
    assert len([one for one in shapes(svg, "rect") if one.get("width") == "190"]) == 7


def test_boxes_never_overlap_and_lines_run_to_the_right() -> None:
    spare = graph_of(copied(base(A, "m1"), "m2")[1], "T")
    for shape in (fold, unfold):
        layout = lay_out(*shape(union([in_place(), spare])))
        assert len(set(layout.places.values())) == len(layout.places)
        for node, (_, slot) in layout.places.items():
            first, count = layout.lanes[node.vertex.site]
            assert first <= slot < first + count
        for link in layout.links:
            assert layout.places[link.source][0] < layout.places[link.target][0]


def test_the_same_plan_gives_the_same_picture() -> None:
    assert plan_svg("Shop", in_place(), {}) == plan_svg("Shop", in_place(), {})
    assert not re.search(r"nan|inf", plan_svg("Shop", PlanGraph(), {}))
