"""From plans to stages: whatever is shared, fused, owned or copied, each view holds what its own plan says."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.algebra.expressions.tree import Column, Expr, rename, spark_sql
from headwater.model import Site
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Vertex, graph_of
from headwater.planning.graph.site_relations import computed, copied
from headwater.planning.graph.text import parse_graph
from headwater.planning.improve.adding import add_view
from headwater.planning.improve.global_plan import restored
from headwater.planning.relations.relations import Input, Relation, Sharing
from headwater.planning.stages.recipes import Copied, Joined, recipes_of
from support.cases import scaled
from support.planning import table1
from support.planning.compiled_law import (
    Planned,
    asked_for,
    check_sites,
    compiled,
    law,
    planned,
    tables,
    view,
)
from support.planning.random_sharings import FACTS, HOMES, SCHEMAS, SITES, random_sharings

# Table 1

TABLES = {
    "users": ("uid", "name"), "tweets": ("tid", "uid", "likes"), "socnet": ("uid", "uid2"),
    "loc": ("uid", "place"), "curloc": ("tid", "here"), "urls": ("tid", "url"), "hashtags": ("tid", "tag"),
    "photos": ("tid", "photo"), "foursq": ("tid", "venue"),
}  # fmt: skip


def table_1_sql(sharing: Sharing) -> str:
    """A natural join as SQL that shows all columns, those joined on once."""
    names = sorted(input.name for input in sharing.core.inputs)
    conditions = " AND ".join(
        spark_sql(condition).replace("`", "") for condition in sharing.core.join_conditions()
    )
    shown: dict[str, str] = {}
    for name in names:
        for column in TABLES[name]:
            shown.setdefault(column, f"{name}.{column}")
    return view(
        sharing.view, f"SELECT {', '.join(shown.values())} FROM {', '.join(names)} WHERE {conditions}"
    )


@pytest.mark.parametrize("sites", [("m1",), table1.SITES], ids=["one site", "six sites"])
@pytest.mark.slow
def test_table_1(sites: tuple[str, ...]) -> None:
    situation = table1.situation(rate=10.0, tweets=1e5, sites=sites)
    sharings = table1.sharings(sites=sites)
    ddl = tables(TABLES) + "".join(map(table_1_sql, sharings))
    project = planned(ddl, situation, sharings)
    check_sites(project)
    assert bool(project.compiled.copies) == (len(sites) > 1)
    shared = sum(
        1 for name, kept in project.compiled.kept.items() if kept.stages != project.alone[name].stages
    )
    assert shared > 10
    assert sum(law(project, TABLES, seed) for seed in range(3)) > 100


# Remembered plans

IN_PLACE = (Path(__file__).parent / "remembered" / "in_place.graph").read_text()  # Figure 2 of the paper


def test_halves_joined_at_two_sites_are_read_as_a_join_at_the_first_of_them() -> None:
    """As earlier versions planned: in place at m1 and m2, united at m3; here also copied back to m2."""
    both = Relation((Input("A", "A"), Input("B", "B")), (("A.k", "B.k"),))
    graph = parse_graph(IN_PLACE)
    assert (len(graph.vertices), len(graph.edges)) == (12, 10)
    _, copy = copied(computed(both, "m3"), "m2")
    edges = (*graph.edges, *copy)
    for order in (edges, edges[::-1]):
        recipes = recipes_of(graph_of(order, "S"), {"A": "m1", "B": "m2"})
        assert isinstance(recipes[Vertex(both, "m2")], Joined)
        assert recipes[Vertex(both, "m3")] == Copied(Vertex(both, "m2"))


def test_an_in_place_plan_still_runs_and_takes_in_further_views() -> None:
    schemas = {"A": ("k", "x"), "B": ("k", "y")}
    sql = view("S", "SELECT A.k, A.x, B.y FROM A JOIN B ON A.k = B.k")
    sql += view("T", "SELECT A.k, B.y FROM A JOIN B ON A.k = B.k WHERE A.x > 0")
    asked = asked_for(tables(schemas) + sql, {"S": "m3", "T": "m1"})
    situation = Situation(
        {name: Site(name) for name in SITES},
        {name: Facts(1e4, 10.0) for name in schemas},
        {"A": "m1", "B": "m2"},
    )
    plan = restored(parse_graph(IN_PLACE), {"S": asked.sharings["S"]}, situation)
    grown = add_view(plan, asked.sharings["T"], situation)
    assert grown.admitted
    assert set(plan.graph.edges) <= set(grown.plan.graph.edges)
    project = compiled(asked, grown.plan.graph, situation)
    check_sites(project)
    assert sum(law(project, schemas, seed) for seed in range(5)) > 20


# Copies


def test_a_filtered_copy_holds_what_passes_and_a_whole_one_is_copied_by_files() -> None:
    """What the graph prices is made: rows that no view at the other site asks for do not go there."""
    schemas = {"A": ("k", "x"), "B": ("k", "y")}
    sql = view("few", "SELECT A.k, B.y FROM A JOIN B ON A.k = B.k WHERE A.x > 0")
    situation = Situation(
        {name: Site(name) for name in SITES},
        {"A": Facts(1e4, 10.0), "B": Facts(1e7, 10.0)},
        {"A": "m1", "B": "m2"},
    )
    asked = asked_for(tables(schemas) + sql, {"few": "m2"})
    project = planned(tables(schemas) + sql, situation, asked.sharings.values())
    assert project.compiled.copies == {}
    (filtered,) = project.compiled.shared.values()
    assert project.compiled.sites[filtered.view] == "m2"
    assert project.compiled.relations[filtered.view].inputs[0].filters
    assert filtered.stages[0].reads == ("A",)
    check_sites(project)
    assert sum(law(project, schemas, seed) for seed in range(5)) > 20


# Random views


def random_sql(sharing: Sharing, randomly: random.Random) -> str:
    alias = {input.name: input.name.replace("#", "_") for input in sharing.core.inputs}

    def written(expr: Expr) -> str:
        names = {
            f"{name}.{column}": Column(f"{other}.{column}")
            for name, other in alias.items()
            for column in "kab"
        }
        return spark_sql(rename(expr, names)).replace("`", "")

    filters = [condition for input in sharing.core.inputs for condition in input.filters]
    conditions = [written(condition) for condition in (*filters, *sharing.core.join_conditions())]
    if len(alias) > 1 and randomly.random() < 0.3:
        # Two columns of one input in one class: any part that has the input must still join on both.
        left, right = randomly.sample(sorted(alias.values()), 2)
        conditions += [f"{left}.a = {right}.k", f"{left}.b = {right}.k"]
    columns = [f"{other}.{column}" for other in alias.values() for column in "kab"]
    chosen = randomly.sample(columns, randomly.randint(1, len(columns)))
    if sharing.tail:
        select = f"{chosen[0]} AS g, count(*) AS n, sum({chosen[-1]}) AS s"
    else:
        select = ", ".join(f"{column} AS c{at}" for at, column in enumerate(chosen))
    sources = ", ".join(f"{input.relation} AS {alias[input.name]}" for input in sharing.core.inputs)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    grouped = f" GROUP BY {chosen[0]}" if sharing.tail else ""
    return view(sharing.view, f"SELECT {select} FROM {sources}{where}{grouped}")


def random_planned(seed: int, count: int) -> Planned:
    randomly = random.Random(seed)
    sharings = [replace(sharing, freshness=timedelta(minutes=10)) for sharing in random_sharings(seed, count)]
    situation = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)
    ddl = tables(SCHEMAS) + "".join(random_sql(sharing, randomly) for sharing in sharings)
    return planned(ddl, situation, sharings)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 20 * scaled(2), 20))
def test_random_views(first: int) -> None:
    compared = replicas = 0
    for seed in range(first, first + 20):
        project = random_planned(seed, count=5)
        check_sites(project)
        replicas += len(project.compiled.copies)
        compared += law(project, SCHEMAS, seed, pushes=3)
    assert compared > 300
    assert replicas > 20
