"""A project with an adapted join, and everything that may happen to it while it runs; without Spark.

Rows come at whole seconds, and so do pushes: ages meet windows, tolerances and what is retained exactly.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.plans.nodes import Version
from headwater.algebra.stages.stage import Kept, Stage
from headwater.capture.expiry import expire_batch
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.decide import Job
from headwater.engine.push.record import Records
from headwater.engine.upkeep.compaction import Compactor, compact
from headwater.errors import HeadwaterError
from headwater.model import Overload, Project, Table
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.overload.spark_in_duckdb import Killed, PushesInDuckDb
from support.overload.window_joins import START, Row, Rows
from support.without_spark import shown, workplace


def second(chance: random.Random, low: int, high: int) -> timedelta:
    return timedelta(seconds=chance.randint(low, high))


@dataclass
class Live:
    """`history`: what each table holds after each commit. What holds after a push is said by who inherits from it."""

    folder: Path
    chance: random.Random
    pushes: PushesInDuckDb
    clock: ManualClock = field(
        default_factory=lambda: ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
    )
    rows: Rows = field(default_factory=lambda: {"a": [], "b": [], "c": []})
    history: dict[str, list[tuple[int, frozenset[Row]]]] = field(
        default_factory=lambda: {name: [(0, frozenset())] for name in "abc"}
    )
    ages: list[tuple[int, int]] = field(default_factory=list)
    number: int = 0
    filled: int = 0
    tables: dict[str, Table] = field(init=False)
    catalog: Catalog = field(init=False)
    executor: Executor = field(init=False)
    captured: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        declared = resolve(parse_statements(self.ddl()))
        self.tables = {table.name: table for table in declared.tables}
        # Times close together let files be left out by their ranges.
        self.ages = self.chance.choice([[(0, 1)], [(-1, 1)] * 9 + [(3, 9)], [(-2, 1), (0, 4), (0, 20)]])
        storage = str(self.folder)
        self.catalog = build(Project("live", storage, storage, self.tables, {"v": declared.views[0]}, {}, {}))
        for table in self.tables.values():
            self.warehouse.source(table.name).create(arrow_schema(table.columns))
        self.begin(self.catalog.kept["v"])
        self.start()

    def ddl(self) -> str:
        """Tables a, b, c and a view v."""
        raise NotImplementedError

    def begin(self, kept: Kept) -> None:
        """By hand nothing is there yet."""
        raise NotImplementedError

    def follow(self, until: int, done: Sequence[Job]) -> None:
        """By hand the inputs that were committed to a time are brought there."""
        raise NotImplementedError

    def stored_by_hand(self, stage: Stage, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
        raise NotImplementedError

    def shown_by_hand(self) -> Counter[tuple[Any, ...]]:
        raise NotImplementedError

    def survives(self) -> int | None:
        return self.chance.choice([None, None, None, self.chance.randint(0, 5)])

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(str(self.folder))

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock.now() / 1e6, UTC).replace(tzinfo=None)

    def start(self) -> None:
        """A process that starts now."""
        self.executor = spark_executor(
            workplace(self.warehouse, self.catalog), self.clock, Records(self.clock)
        )

    # What may happen

    def feed(self) -> None:
        """Some commits, one after the other; rows come, go, change, come again."""
        for _ in range(self.chance.choice([1, 1, 2, 5])):
            self.clock.advance(timedelta(milliseconds=1))
            for table in self.chance.sample("abc", self.chance.randint(1, 3)):
                self._commit(table)

    def _commit(self, table: str) -> None:
        held, changes = self.rows[table], Counter[Row]()
        for _ in range(self.chance.randint(1, 5)):
            kind = self.chance.random()
            if held and kind < 0.3:
                gone = held.pop(self.chance.randrange(len(held)))
                changes[gone] -= 1
                if kind < 0.15:
                    row = self._row(gone[0]) if kind < 0.12 else gone  # it may be put back as it was
                    held.append(row)
                    changes[row] += 1
            else:
                self.number += 1
                # Keys in no order.
                row = self._row(self.number * 7919 % 1009 + 1009 * (self.number // 1009))
                held.append(row)
                changes[row] += 1
        listed = [(row, weight) for row, weight in changes.items() if weight]
        if listed:
            self.clock.advance(timedelta(microseconds=1))
            self._append(table, listed)

    def _append(self, table: str, changes: list[tuple[Row, int]]) -> None:
        columns: dict[str, Any] = {
            name: pa.array([row[at] for row, _ in changes], pa.int64())
            for at, name in enumerate(("id", "k", "n"))
        }
        moments = [row[3] and row[3].replace(tzinfo=UTC) for row, _ in changes]
        columns["ts"] = pa.array(moments, pa.timestamp("us", "UTC"))
        columns[WEIGHT] = pa.array([weight for _, weight in changes], pa.int64())
        assert self.warehouse.source(table).append(pa.table(columns), self.clock.now())
        self.history[table].append((self.clock.now(), frozenset(self.rows[table])))

    def _row(self, number: int) -> Row:
        at = None
        if self.chance.random() > 0.04:
            at = self.now().replace(microsecond=0) - second(self.chance, *self.chance.choice(self.ages))
        key = None if self.chance.random() < 0.05 else self.chance.randrange(2)
        return number, key, self.chance.randrange(3), at

    def wait(self) -> None:
        self.clock.advance(second(self.chance, 1, 6))

    def expire(self) -> None:
        for name, table in self.tables.items():
            if table.retain.window is not None:
                self.clock.advance(timedelta(microseconds=1))
                expire_batch(self.warehouse, table, self.clock)
                left = shown(self.warehouse.source(name), self.clock.now())[1]
                self.rows[name] = [row for row in self.rows[name] if _stored(row) in left]
                self.history[name].append((self.clock.now(), frozenset(self.rows[name])))

    def compact(self) -> None:
        Compactor(lambda: self.catalog, self.warehouse).compact()

    def forget(self) -> None:
        """As if nobody had read a source, or what is stored of one."""
        stages = [stage.name for stage in self.catalog.kept["v"].stages[:-1]]
        place = workplace(self.warehouse, self.catalog)
        timeline = place.timeline_of(self.chance.choice([*"abc", *stages]))
        if timeline.exists():
            compact(timeline, timeline.time(), many=2)

    def restart(self) -> None:
        self.executor.close()
        self.start()

    def push(self) -> None:
        """To a whole second; a table may be captured only up to an earlier one, or the process be killed."""
        self._whole_second()
        allowed = self.chance.choice([1e9, 1e9, 0.2, 1.0, 3.0])
        project = replace(self.catalog.project, overload=Overload(probes_per_second=allowed))
        self.executor.runner.workplace.catalog = replace(self.catalog, project=project)  # type: ignore[attr-defined]
        self.captured = {
            name: max(self.captured.get(name, 0), self.clock.now() - self.chance.choice([0, 0, 0, 1_000_000]))
            for name in "abc"
        }
        self.executor.watermarks = dict(self.captured)
        self.pushes.survives = self.survives()
        try:
            self.executor.push_now()
        except Killed:
            self.restart()
        except HeadwaterError as error:
            if error.code != "HW833":  # a table is captured less far than what is stored of it
                raise
        done, self.pushes.probed = self.pushes.probed, []
        for until in sorted({job.until for job in done}):
            self.follow(until, [job for job in done if job.until == until])
        self.check()

    def _whole_second(self) -> None:
        now = self.clock.now()
        self.clock.advance(timedelta(microseconds=-now % 1_000_000))

    # What holds

    def state(self, table: str, time: int) -> frozenset[Row]:
        return next(rows for at, rows in reversed(self.history[table]) if at <= time)

    def check(self) -> None:
        place, kept = workplace(self.warehouse, self.catalog), self.catalog.kept["v"]
        view, database = place.timeline("v"), {}
        for stage in kept.stages[:-1]:
            timeline = place.timeline(stage.name)
            if not timeline.exists():
                return
            names, held = shown(timeline, timeline.time())
            assert Counter(held) == self.stored_by_hand(stage, names), stage.name
            database[stage.name, Version.NEW] = shown(timeline, view.time())
        if not view.exists():
            return
        plan, (_, results) = kept.stages[-1].plan, shown(view, view.time())
        assert plan is not None
        assert Counter(evaluate(plan, database)) == Counter(results)
        if len({place.timeline(stage.name).time() for stage in kept.stages}) == 1:
            assert Counter(results) == self.shown_by_hand()
            self.filled += bool(results)


def instant(time: int) -> datetime:
    return datetime.fromtimestamp(time / 1e6, UTC).replace(tzinfo=None)


def steps_of(live: Live, forgetful: bool) -> list[Callable[[], None]]:
    """What may happen next, each as often as it is likely."""
    steps = [live.feed] * 5 + [live.push] * 5 + [live.wait] * 2 + [live.expire, live.compact, live.restart]
    return steps + [live.forget] * forgetful


def live_for(live: Live, steps: int, forgetful: bool) -> int:
    """How many pushes showed something."""
    choices = steps_of(live, forgetful)
    try:
        for _ in range(steps):
            live.chance.choice(choices)()
        live.push()
    finally:
        live.executor.close()
    return live.filled


def _stored(row: Row) -> tuple[Any, ...]:
    return (*row[:3], row[3] and row[3].replace(tzinfo=UTC))
