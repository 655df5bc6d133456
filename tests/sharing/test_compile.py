"""From plans to stages: whatever is shared, fused, owned or copied, each view holds what its own plan says."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
import table1
from random_sharings import HOMES, SCHEMAS, SITES, random_sharings
from test_plumbing_law import FACTS

from headwater.algebra.delta import delta
from headwater.algebra.evaluate import evaluate
from headwater.algebra.expressions import Column, Expr, rename, spark_sql
from headwater.algebra.nodes import Plan, Version
from headwater.algebra.passes import optimize
from headwater.algebra.stages import Kept, Stage
from headwater.algebra.values import ZSet, add
from headwater.catalog import keep
from headwater.model import Column as Declared
from headwater.model import Site, View
from headwater.sharing.compile import Compiled, compile_plan
from headwater.sharing.global_plan import plan_all
from headwater.sharing.graph import graph_of
from headwater.sharing.making import Copied, Joined, Place, made_of
from headwater.sharing.placement import applied, base, captured, copied, joined
from headwater.sharing.relations import Input, Relation, Sharing
from headwater.sharing.sharings import block_of, sharings_of
from headwater.sharing.situation import Situation
from headwater.sql.ddl import parse_statements
from headwater.sql.resolve import resolve

Schemas = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Planned:
    alone: Mapping[str, Kept]
    compiled: Compiled
    homes: Mapping[str, str]


def planned(ddl: str, situation: Situation, views: Iterable[Sharing]) -> Planned:
    """The views of some SQL, planned together and compiled; promises and sites as the sharings say."""
    found = resolve(parse_statements(ddl))
    relations: dict[str, Sequence[Declared]] = {one.name: one.columns for one in found.tables}
    types = {name: {one.name: one.type for one in columns} for name, columns in relations.items()}
    declared = {one.name: one for one in found.views}
    asked: dict[str, View] = {
        one.view: replace(declared[one.view], site=one.site, freshness=one.freshness) for one in views
    }
    alone = {name: keep(view, relations) for name, view in asked.items()}
    sharings = sharings_of(alone, asked, types)
    plan = plan_all(list(sharings.values()), situation)
    assert plan.sharings.keys() == asked.keys(), "all are admitted"
    blocks = {name: block for name, one in alone.items() if (block := block_of(one, types))}
    homes = {**situation.homes, **{name: one.site for name, one in asked.items()}}
    return Planned(alone, compile_plan(plan.graph, sharings, blocks, alone, homes), homes)


class Stored:
    """What the sources and stages of compiled views hold, pushed by deltas as an executor does."""

    def __init__(self, planned: Planned, schemas: Schemas, sources: Mapping[str, ZSet]) -> None:
        self.planned = planned
        self.columns: dict[str, Sequence[str]] = dict(schemas)
        self.rows: dict[str, ZSet] = dict(sources)
        self.stages = in_order(planned.compiled)
        for stage in self.stages:
            self.columns[stage.name] = stage.columns
            assert stage.plan is not None
            self.rows[stage.name] = evaluate(stage.plan, self._database(stage.plan, {}))

    def _database(
        self, plan: Plan, changes: Mapping[str, ZSet]
    ) -> dict[tuple[str, Version], tuple[Sequence[str], ZSet]]:
        found = {}
        for name, rows in self.rows.items():
            change = changes.get(name, {})
            found[name, Version.OLD] = (self.columns[name], rows)
            found[name, Version.DELTA] = (self.columns[name], change)
            found[name, Version.NEW] = (self.columns[name], add(rows, change))
        return found

    def push(self, batch: Mapping[str, ZSet]) -> None:
        changes = {name: change for name, change in batch.items() if change}
        for stage in self.stages:
            plan = delta(stage, frozenset(changes))
            if plan is not None:
                changes[stage.name] = evaluate(optimize(plan), self._database(plan, changes))
        self.rows = {name: add(rows, changes.get(name, {})) for name, rows in self.rows.items()}

    def check(self) -> int:
        """Every view is what its own plan says; the number of rows compared."""
        compared = 0
        for name, kept in self.planned.alone.items():
            (stage,) = kept.stages
            assert stage.plan is not None
            expected = evaluate(stage.plan, self._database(stage.plan, {}))
            assert self.rows[name] == expected, f"{name} is wrong"
            compared += len(expected)
        return compared


def in_order(compiled: Compiled) -> list[Stage]:
    """All stages, each after what it reads."""
    stages = {
        one.name: one for kept in (*compiled.kept.values(), *compiled.shared.values()) for one in kept.stages
    }
    found: dict[str, Stage] = {}

    def visit(name: str, above: tuple[str, ...] = ()) -> None:
        assert name not in above, f"{name} reads itself: {above}"
        if name in stages and name not in found:
            for read in stages[name].reads:
                if read != name:
                    visit(read, (*above, name))
            found[name] = stages[name]

    for name in stages:
        visit(name)
    return list(found.values())


def check_sites(one: Planned) -> None:
    """Whatever joins reads only what lies at its own site; only copies and single scans look elsewhere."""
    where = {**one.homes, **one.compiled.sites}
    for stage in in_order(one.compiled):
        if len(stage.reads) > 1:
            assert {where[read] for read in stage.reads} == {where[stage.name]}, stage.name
    for replica, original in one.compiled.copies.items():
        assert where[replica] != where[original]


def some(columns: tuple[str, ...], randomly: random.Random, count: int, values: int = 3) -> ZSet:
    def value() -> int | None:
        return None if randomly.random() < 0.05 else randomly.randrange(values)

    return {tuple(value() for _ in columns): 1 for _ in range(count)}


def changes(rows: ZSet, columns: tuple[str, ...], randomly: random.Random) -> ZSet:
    gone = {row: -1 for row in rows if randomly.random() < 0.3}
    come = some(columns, randomly, randomly.randint(0, 2))
    return add(gone, {row: 1 for row in come if row not in rows})


def law(one: Planned, schemas: Schemas, seed: int, pushes: int = 2) -> int:
    randomly = random.Random(seed)
    sources = {name: some(columns, randomly, 4) for name, columns in schemas.items()}
    stored = Stored(one, schemas, sources)
    compared = stored.check()
    for _ in range(pushes):
        stored.push({name: changes(stored.rows[name], of, randomly) for name, of in schemas.items()})
        compared += stored.check()
    return compared


# Table 1

TABLES = {
    "users": ("uid", "name"), "tweets": ("tid", "uid", "likes"), "socnet": ("uid", "uid2"),
    "loc": ("uid", "place"), "curloc": ("tid", "here"), "urls": ("tid", "url"), "hashtags": ("tid", "tag"),
    "photos": ("tid", "photo"), "foursq": ("tid", "venue"),
}  # fmt: skip


def tables(schemas: Schemas) -> str:
    return "\n".join(
        f"CREATE TABLE {name} ({', '.join(f'{column} INT' for column in columns)});"
        for name, columns in schemas.items()
    )


def view(name: str, select: str) -> str:
    return f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '45' SECOND AS {select};\n"


def table_1_sql(sharing: Sharing) -> str:
    """A natural join as SQL that shows all columns, those joined on once."""
    names = sorted(one.name for one in sharing.core.inputs)
    conditions = " AND ".join(spark_sql(one).replace("`", "") for one in sharing.core.join_conditions())
    shown: dict[str, str] = {}
    for name in names:
        for column in TABLES[name]:
            shown.setdefault(column, f"{name}.{column}")
    return view(
        sharing.view, f"SELECT {', '.join(shown.values())} FROM {', '.join(names)} WHERE {conditions}"
    )


@pytest.mark.parametrize("sites", [("m1",), table1.SITES], ids=["one site", "six sites"])
def test_table_1(sites: tuple[str, ...]) -> None:
    situation = table1.situation(rate=10.0, tweets=1e5, sites=sites)
    sharings = table1.sharings(sites=sites)
    ddl = tables(TABLES) + "".join(map(table_1_sql, sharings))
    one = planned(ddl, situation, sharings)
    check_sites(one)
    assert bool(one.compiled.copies) == (len(sites) > 1)
    shared = sum(1 for name, kept in one.compiled.kept.items() if kept.stages != one.alone[name].stages)
    assert shared > 10
    assert sum(law(one, TABLES, seed) for seed in range(3)) > 100


# Making


def test_a_join_is_made_where_its_first_half_is_also_if_the_result_comes_back() -> None:
    """In place at m1 and m2, united at m3, and copied from there to m2: no circle."""
    one, other = Input("r0", "r0"), Input("r1", "r1")
    both = Relation((one, other), (("r0.k", "r1.k"),))
    left, right = base(one, "m1"), base(other, "m2")
    result, join = joined(left, right, both, "m3")
    back, copy = copied(result, "m2")
    edges = (captured(left), captured(right), *join, applied(result), *copy)
    for order in (edges, edges[::-1]):
        made = made_of(graph_of(order, "S"), {"r0": "m1", "r1": "m2"})
        assert isinstance(made[Place(both, "m2")], Joined)
        assert made[Place(both, "m3")] == Copied(Place(both, "m2"))
    assert back.site == "m2"


# Random views


def random_sql(sharing: Sharing, randomly: random.Random) -> str:
    alias = {one.name: one.name.replace("#", "_") for one in sharing.core.inputs}

    def written(expr: Expr) -> str:
        names = {
            f"{name}.{column}": Column(f"{other}.{column}")
            for name, other in alias.items()
            for column in "kab"
        }
        return spark_sql(rename(expr, names)).replace("`", "")

    filters = [one for each in sharing.core.inputs for one in each.filters]
    conditions = [written(one) for one in (*filters, *sharing.core.join_conditions())]
    if len(alias) > 1 and randomly.random() < 0.3:
        # Two columns of one input in one class: any part that has the input must still join on both.
        left, right = randomly.sample(sorted(alias.values()), 2)
        conditions += [f"{left}.a = {right}.k", f"{left}.b = {right}.k"]
    columns = [f"{other}.{column}" for other in alias.values() for column in "kab"]
    chosen = randomly.sample(columns, randomly.randint(1, len(columns)))
    if sharing.tail:
        select = f"{chosen[0]} AS g, count(*) AS n, sum({chosen[-1]}) AS s"
    else:
        select = ", ".join(f"{one} AS c{at}" for at, one in enumerate(chosen))
    sources = ", ".join(f"{one.relation} AS {alias[one.name]}" for one in sharing.core.inputs)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    grouped = f" GROUP BY {chosen[0]}" if sharing.tail else ""
    return view(sharing.view, f"SELECT {select} FROM {sources}{where}{grouped}")


def random_planned(seed: int, count: int) -> Planned:
    randomly = random.Random(seed)
    sharings = [replace(one, freshness=timedelta(minutes=10)) for one in random_sharings(seed, count)]
    situation = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)
    ddl = tables(SCHEMAS) + "".join(random_sql(one, randomly) for one in sharings)
    return planned(ddl, situation, sharings)


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_random_views(first: int) -> None:
    compared = replicas = 0
    for seed in range(first, first + 20):
        one = random_planned(seed, count=5)
        check_sites(one)
        replicas += len(one.compiled.copies)
        compared += law(one, SCHEMAS, seed, pushes=3)
    assert compared > 300
    assert replicas > 20
