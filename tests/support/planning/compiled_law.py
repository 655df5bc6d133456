"""Compiled plans run by deltas in plain Python: each view must hold what its own plan says."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.algebra.delta.derive import delta
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Plan, Version
from headwater.algebra.stages.stage import Kept, Stage
from headwater.catalog import keep
from headwater.model import Column as Declared
from headwater.model import View
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.relations.relations import Sharing
from headwater.planning.relations.sharings import Block, block_of, sharings_of
from headwater.planning.stages.compile import Compiled, compile_plan
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

Schemas = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Asked:
    """Views as they are asked for: each by itself, as a sharing, and the join inside it."""

    alone: Mapping[str, Kept]
    sharings: Mapping[str, Sharing]
    blocks: Mapping[str, Block]


@dataclass(frozen=True)
class Planned:
    alone: Mapping[str, Kept]
    compiled: Compiled
    homes: Mapping[str, str]


def asked_for(ddl: str, sites: Mapping[str, str], freshness: Mapping[str, timedelta] | None = None) -> Asked:
    """The views of some SQL, each at its site, perhaps with another freshness."""
    declared = resolve(parse_statements(ddl))
    relations: dict[str, Sequence[Declared]] = {table.name: table.columns for table in declared.tables}
    types = {name: {column.name: column.type for column in columns} for name, columns in relations.items()}
    views: dict[str, View] = {
        view.name: replace(
            view, site=sites[view.name], freshness=(freshness or {}).get(view.name, view.freshness)
        )
        for view in declared.views
        if view.name in sites
    }
    alone = {name: keep(view, relations) for name, view in views.items()}
    blocks = {name: block for name, kept in alone.items() if (block := block_of(kept, types))}
    return Asked(alone, sharings_of(alone, views, types), blocks)


def compiled(asked: Asked, graph: PlanGraph, situation: Situation) -> Planned:
    homes = {**situation.homes, **{name: sharing.site for name, sharing in asked.sharings.items()}}
    return Planned(asked.alone, compile_plan(graph, asked.sharings, asked.blocks, asked.alone, homes), homes)


def planned(ddl: str, situation: Situation, views: Iterable[Sharing]) -> Planned:
    """The views of some SQL, planned together and compiled; promises and sites as the sharings say."""
    views = list(views)
    asked = asked_for(
        ddl, {view.view: view.site for view in views}, {view.view: view.freshness for view in views}
    )
    plan = plan_all(list(asked.sharings.values()), situation)
    assert plan.sharings.keys() == asked.sharings.keys(), "all are admitted"
    return compiled(asked, plan.graph, situation)


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
        database = {}
        for name, rows in self.rows.items():
            change = changes.get(name, {})
            database[name, Version.OLD] = (self.columns[name], rows)
            database[name, Version.DELTA] = (self.columns[name], change)
            database[name, Version.NEW] = (self.columns[name], add(rows, change))
        return database

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
        stage.name: stage
        for kept in (*compiled.kept.values(), *compiled.shared.values())
        for stage in kept.stages
    }
    ordered: dict[str, Stage] = {}

    def visit(name: str, above: tuple[str, ...] = ()) -> None:
        assert name not in above, f"{name} reads itself: {above}"
        if name in stages and name not in ordered:
            for read in stages[name].reads:
                if read != name:
                    visit(read, (*above, name))
            ordered[name] = stages[name]

    for name in stages:
        visit(name)
    return list(ordered.values())


def check_sites(project: Planned) -> None:
    """Whatever joins reads only what lies at its own site; only copies and single scans look elsewhere."""
    where = {**project.homes, **project.compiled.sites}
    for stage in in_order(project.compiled):
        if len(stage.reads) > 1:
            assert {where[read] for read in stage.reads} == {where[stage.name]}, stage.name
    for replica, original in project.compiled.copies.items():
        assert where[replica] != where[original]


def some(columns: tuple[str, ...], randomly: random.Random, count: int, values: int = 3) -> ZSet:
    def value() -> int | None:
        return None if randomly.random() < 0.05 else randomly.randrange(values)

    return {tuple(value() for _ in columns): 1 for _ in range(count)}


def changes(rows: ZSet, columns: tuple[str, ...], randomly: random.Random) -> ZSet:
    gone = {row: -1 for row in rows if randomly.random() < 0.3}
    come = some(columns, randomly, randomly.randint(0, 2))
    return add(gone, {row: 1 for row in come if row not in rows})


def law(project: Planned, schemas: Schemas, seed: int, pushes: int = 2) -> int:
    randomly = random.Random(seed)
    sources = {name: some(columns, randomly, 4) for name, columns in schemas.items()}
    stored = Stored(project, schemas, sources)
    compared = stored.check()
    for _ in range(pushes):
        stored.push({name: changes(stored.rows[name], of, randomly) for name, of in schemas.items()})
        compared += stored.check()
    return compared


def tables(schemas: Schemas) -> str:
    return "\n".join(
        f"CREATE TABLE {name} ({', '.join(f'{column} INT' for column in columns)});"
        for name, columns in schemas.items()
    )


def view(name: str, select: str) -> str:
    return f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '45' SECOND AS {select};\n"
