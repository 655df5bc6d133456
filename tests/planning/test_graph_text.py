"""Plan graphs as text: golden plans (graphs/*.graph), and every graph reads back as it was.

`HEADWATER_BLESS=1 pytest tests/planning/test_graph_text.py` writes the golden files anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given

from headwater.algebra.expressions.tree import Call, Column, Literal, call, equal
from headwater.errors import InputError
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, union
from headwater.planning.graph.site_relations import base, captured, computed
from headwater.planning.graph.text import parse_graph, show_graph
from headwater.planning.relations.relations import Input, Relation, Sharing
from headwater.planning.search.search import Aim, search
from support.planning import table1
from support.planning.figure3 import figure
from support.planning.search_cases import RANDOM, cases

FOLDER = Path(__file__).parent / "graphs"


def table(*views: str, aim: Aim = Aim.DOLLARS, **changes: object) -> PlanGraph:
    sharings = (replace(sharing, **changes) for sharing in table1.sharings() if sharing.view in views)
    return union(search(sharing, table1.situation(), aim).graph for sharing in sharings)


def filtered() -> PlanGraph:
    """Filters and a condition that is no equality, an aggregate, two occurrences of one table."""
    english = Call("like", (Column("tweets.text"), Literal("a%", "'a%'")), "({0} LIKE {1})")
    inputs = (Input("tweets", "tweets", (english,)), Input("tweets#2", "tweets"))
    core = Relation(
        inputs, (("tweets#2.uid", "tweets.uid"),), (call("lt", Column("tweets.tid"), Column("tweets#2.tid")),)
    )
    sharing = Sharing("pairs", core, "m4", timedelta(seconds=45), tail="aggregate")
    return search(sharing, table1.situation()).graph


GOLDEN: dict[str, Callable[[], PlanGraph]] = {
    "figure_3_b": lambda: graph_of(figure("b"), "S"),
    "figure_3_c": lambda: graph_of(figure("c"), "S"),
    "figure_3_d": lambda: graph_of(figure("d"), "S"),
    "two_views": lambda: table("S1", "S5"),
    "four_inputs_cheap": lambda: table("S4"),
    "four_inputs_fast": lambda: table("S4", aim=Aim.TIME),
    "compute": lambda: table("S1", tail="window"),
    "filters_and_aggregate": filtered,
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    path = FOLDER / f"{name}.graph"
    text = show_graph(GOLDEN[name]()) + "\n"
    if os.environ.get("HEADWATER_BLESS"):
        path.write_text(text)
    assert path.read_text() == text
    assert parse_graph(text) == GOLDEN[name]()


def test_every_golden_file_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.graph")} == set(GOLDEN)


@RANDOM
@given(cases())
def test_every_plan_reads_back_as_it_was(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    graph = search(sharing, situation).graph
    assert parse_graph(show_graph(graph)) == graph
    other = search(replace(sharing, view="odd name"), situation, Aim.TIME).graph
    both = union([graph, other])
    assert parse_graph(show_graph(both)) == both


def test_the_text_does_not_depend_on_the_order_in_which_a_graph_was_built() -> None:
    edges = figure("a")
    assert show_graph(graph_of(edges, "S")) == show_graph(graph_of(reversed(edges), "S"))


def test_all_of_table_1_read_back() -> None:
    graph = union(search(sharing, table1.situation()).graph for sharing in table1.sharings())
    assert parse_graph(show_graph(graph)) == graph


def test_vertices_that_no_edge_tells_of() -> None:
    alone = PlanGraph({}, {base(Input("a", "a"), "m1").rows: frozenset("V")})
    assert show_graph(alone) == "vertex a@m1 | V"
    assert parse_graph(show_graph(alone)) == alone
    graph = graph_of(figure("a"), "S")
    more = PlanGraph(graph.edges, {**graph.vertices, base(Input("A", "A"), "m1").rows: frozenset(("S", "T"))})
    assert "vertex A@m1 | S T" in show_graph(more)
    assert parse_graph(show_graph(more)) == more


def test_relations_of_one_name_are_told_apart() -> None:
    plain, few = (
        Relation((Input("a", "a"),)),
        Relation((Input("a", "a", (equal(Column("a.x"), Literal(1, "1")),)),)),
    )
    here = base(Input("a", "a"), "m1")
    there = computed(few, "m2")
    graph = graph_of([captured(here), Edge(EdgeKind.COPY, (here.delta,), there.delta)], "V")
    text = show_graph(graph)
    assert "relation a~2\n  input a [a.x = 1]" in text
    assert "copy d(a)@m1 -> d(a~2)@m2 | V" in text
    assert parse_graph(text) == graph
    assert Vertex(plain, "m1") in parse_graph(text).vertices


def test_odd_names_are_quoted() -> None:
    here = base(Input("my table", "other table"), "my site")
    graph = graph_of([captured(here)], "the view")
    assert parse_graph(show_graph(graph)) == graph


@pytest.mark.parametrize(
    "text",
    ["jump a@m1 -> d(a)@m1 | V", "capture a -> d(a)@m1 | V", "capture a@m1", "capture a*b@m1 -> d(a)@m1 | V",
     "relation a*b\n  imput a"],
)  # fmt: skip
def test_what_is_no_graph_is_wrong_input(text: str) -> None:
    with pytest.raises(InputError):
        parse_graph(text)
