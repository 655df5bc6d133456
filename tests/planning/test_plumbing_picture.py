"""The picture of a global plan: lanes, boxes, badges, the critical path; small plans whole, large ones folded."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, union
from headwater.planning.graph.layout import fold, lay_out, unfold
from headwater.planning.graph.picture import CRITICAL, GOLD, plan_svg
from headwater.planning.graph.site_relations import applied, base, captured, copied, joined
from headwater.planning.relations.relations import Input, Relation

A, B = Input("A", "A"), Input("B", "B")
AB = Relation((A, B), (("A.k", "B.k"),))
RESULT = Vertex(AB, "m3")


def plan(view: str = "S") -> PlanGraph:
    """A at m1 and B at m2, both copied to m3 and joined there."""
    sides = base(A, "m1"), base(B, "m2")
    (left, first), (right, second) = (copied(side, "m3") for side in sides)
    result, join = joined(left, right, AB, "m3")
    return graph_of((*map(captured, sides), *first, *second, *join, applied(result)), view)


def shapes(svg: str, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(svg).findall(f"{{http://www.w3.org/2000/svg}}{tag}")


def test_a_small_plan_shows_every_vertex_and_names_every_site() -> None:
    svg = plan_svg("Shop", plan(), {RESULT: ["S"]}, subtitle="12 vertices")
    boxes = [rect for rect in shapes(svg, "rect") if rect.get("width") == "190"]
    assert len(boxes) == 12
    texts = [text.text for text in shapes(svg, "text")]
    assert {"Shop", "12 vertices", "m1", "m2", "m3", "S", "A ⋈ B", "Δ A ⋈ B"} <= set(texts)
    assert GOLD not in "".join(
        circle.get("fill", "") for circle in shapes(svg, "circle")[1:]
    )  # the first: legend


def test_what_is_shared_bears_the_number_of_its_views() -> None:
    both = union([plan("S"), plan("T")])
    svg = plan_svg("Shop", both, {RESULT: ["S", "T"]})
    badges = [
        circle for circle in shapes(svg, "circle") if circle.get("fill") == GOLD and circle.get("r") == "10"
    ]
    assert len(badges) == 12


def test_the_critical_path_is_one_line_not_both_sides_of_a_join() -> None:
    graph = plan()
    path = [edge for edge in graph.edges if edge.kind is not EdgeKind.COPY or edge.target.site != "m1"]
    path = [edge for edge in path if not _by(edge, "B") and "B" not in edge.sources[0].relation.text[:1]]
    svg = plan_svg("Shop", graph, {RESULT: ["S"]}, path)
    red = [path for path in shapes(svg, "path") if path.get("stroke") == CRITICAL]
    assert len(red) == len(path)


def _by(edge: Edge, name: str) -> bool:
    return any(
        vertex.driven is not None and vertex.driven.text == name for vertex in (*edge.sources, edge.target)
    )


def test_folding_makes_a_box_of_a_relation_at_a_site() -> None:
    nodes, links = fold(plan())
    assert len(nodes) == 5  # A and B at home and at m3, and AB with its halves at m3
    assert {link.kind for link in links} == {EdgeKind.COPY, EdgeKind.JOIN}
    svg = plan_svg("Shop", plan(), {RESULT: ["S"]}, folded=True)
    assert len([rect for rect in shapes(svg, "rect") if rect.get("width") == "190"]) == 5


def test_boxes_never_overlap_and_lines_run_to_the_right() -> None:
    spare = graph_of(copied(base(A, "m1"), "m2")[1], "T")
    for shape in (fold, unfold):
        layout = lay_out(*shape(union([plan(), spare])))
        assert len(set(layout.positions.values())) == len(layout.positions)
        for node, (_, slot) in layout.positions.items():
            first, count = layout.lanes[node.vertex.site]
            assert first <= slot < first + count
        for link in layout.links:
            assert layout.positions[link.source][0] < layout.positions[link.target][0]


def test_the_same_plan_gives_the_same_picture() -> None:
    assert plan_svg("Shop", plan(), {}) == plan_svg("Shop", plan(), {})
    assert not re.search(r"nan|inf", plan_svg("Shop", PlanGraph(), {}))
