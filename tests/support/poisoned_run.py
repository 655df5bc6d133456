"""A poisoned world kept by the executor, with the evaluator in Spark's place."""

from __future__ import annotations

import random
from concurrent.futures import Future
from datetime import timedelta
from pathlib import Path

import pyarrow as pa

from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add, consolidate, negate
from headwater.algebra.plans.nodes import Version
from headwater.algebra.plans.walks import reads
from headwater.algebra.stages.split import split
from headwater.bench.laws.keeping import close
from headwater.bench.laws.random_expressions import value
from headwater.bench.laws.worlds import World
from headwater.catalog import Catalog
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.runner import PushOrder, PushOutcome
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.push.record import Records
from headwater.errors import InputError
from headwater.model import Column, Project, SqlText, Table, View
from headwater.storage.warehouse import Warehouse
from support.without_spark import changes_table, shown, workplace

TICK, TICKS = timedelta(seconds=15), 6  # a promise is ten seconds


class InlineRunner(SparkRunner):
    """Pushes in the calling thread, so that a seed repeats itself."""

    def push(self, order: PushOrder) -> Future[PushOutcome]:
        done: Future[PushOutcome] = Future()
        done.set_result(self._push(order))
        return done

    def explain(self, error: Exception) -> Future[Exception]:
        """The row is looked for by Spark."""
        done: Future[Exception] = Future()
        done.set_result(error)
        return done


class PoisonedRun:
    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.random = world, random.Random(world.seed)
        self.clock = ManualClock()
        self.catalog = _catalog(world, folder)
        self.warehouse = Warehouse(str(folder))
        for name, columns in world.sources.items():
            self.warehouse.source(name).create(pa.schema([(column, pa.string()) for column, _ in columns]))
        self.sources: dict[str, ZSet] = {name: {} for name in world.sources}
        runner = InlineRunner(workplace(self.warehouse, self.catalog), Records(self.clock))
        self.executor = Executor(self.catalog, runner, self.clock)

    def take(self, batch: dict[str, ZSet]) -> None:
        """A batch of changes; before it rows come that expressions fail for, and with it they go again."""
        passing = {name: self._passing(name) for name in self.sources if self.random.random() < 0.5}
        self._commit(passing)
        self._commit({name: negate(rows) for name, rows in passing.items()})
        self._commit(batch)

    def _passing(self, source: str) -> ZSet:
        columns = self.world.sources[source]
        return consolidate((tuple(value(self.random, kind, 0.6) for _, kind in columns), 1) for _ in range(2))

    def _commit(self, changes: dict[str, ZSet]) -> None:
        self.clock.advance(timedelta(seconds=1))
        for name, rows in changes.items():
            self.sources[name] = add(self.sources[name], rows)
            timeline = self.warehouse.source(name)
            table = changes_table(timeline, timeline.columns().names, rows)
            time = self.clock.now()
            timeline.commit(time, [timeline.write(table, time)] if rows else [])
        self.clock.advance(timedelta(seconds=1))

    def settle(self) -> None:
        """Let the executor do what it wants to, with no further changes."""
        self.executor.watermarks = dict.fromkeys(self.sources, self.clock.now())
        for _ in range(TICKS):
            self.clock.advance(TICK)
            self.executor.step()

    def expected(self) -> dict[str, ZSet | None]:
        """Every view by its plan over the sources; None where that fails, or what it reads does."""
        database = {
            (name, Version.NEW): (tuple(column for column, _ in self.world.sources[name]), rows)
            for name, rows in self.sources.items()
        }
        views: dict[str, ZSet | None] = {}
        for name, view in self.world.views.items():
            views[name] = None
            if all(views.get(read, {}) is not None for read in reads(view.plan)):
                try:
                    views[name] = evaluate(view.plan, database)
                except InputError as error:
                    if error.code not in ("HW910", "HW912"):
                        raise
                else:
                    database[name, Version.NEW] = (view.plan.columns, views[name])
        return views

    def check(self) -> int:
        """The law; returns how many views it was tried on whose SQL fails."""
        failing = 0
        target = min(self.executor.watermarks.values())
        for name, rows in self.expected().items():
            state, timeline = self.executor.states[name], self.executor.runner.workplace.timeline(name)
            where = f"seed {self.world.seed}, view {name}"
            if rows is None:
                failing += 1
                assert "fails" in state.error or "cannot be computed" in state.error, (
                    f"{where}: {state.error!r}"
                )
                assert timeline.time() < target, f"{where} moved on although its SQL fails"
            else:
                assert state.error == "", f"{where} is kept from its rows: {state.error}"
                assert timeline.time() == target, f"{where} is behind"
                assert close(shown(timeline, target)[1], rows), f"{where} is wrong"
        return failing


def _catalog(world: World, folder: Path) -> Catalog:
    tables = {
        name: Table(name, tuple(Column(column, kind) for column, kind in columns))
        for name, columns in world.sources.items()
    }
    freshness = timedelta(seconds=10)
    project = Project(
        "poisoned", str(folder), str(folder), tables,
        {name: View(name, SqlText(""), freshness) for name in world.views}, {}, {},
    )  # fmt: skip
    kept = {
        name: split(name, view.plan, view.plan.columns, view.types, reads(view.plan))
        for name, view in world.views.items()
    }
    return Catalog(project, kept, dict.fromkeys(kept, "1"))
