"""A row without a TEMPORAL column is as old as it is since it was captured.

Two projects in one: each change of a table that says when a row is (and says when it is captured) is made of another that does not.
What joins the one shows what joins the other shows (all columns are read: a row that changes in none of those is not
captured anew): at every budget, after kills, with late watermarks and rows that grow
too old; with an input of each kind, too.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.model import Overload, Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.cases import scaled
from support.overload.spark_in_duckdb import Killed, PushesInDuckDb
from support.overload.window_joins import START
from support.without_spark import shown, workplace

RUNS, STEPS = 4, 12
VIEWS = ("said", "known", "mixed")


def ddl(chance: random.Random) -> str:
    window = chance.choice(["INTERVAL '2' SECOND", "INTERVAL '5' SECOND", "3 ROWS"])
    limits = [chance.choice([5, 6, 9]) for _ in range(3)]
    retain = chance.choice(["", "RETAIN INTERVAL '12' SECOND"])
    tolerance = ", ".join(
        f"{name} = INTERVAL '{limit}' SECOND" for name, limit in zip("xyz", limits, strict=True)
    )
    more = chance.choice(["", " AND x.n < y.n + 30"])

    def view(name: str, x: str, y: str, z: str) -> str:
        return (
            f"CREATE MATERIALIZED VIEW {name} FRESHNESS = '9 seconds' WINDOW = {window} TOLERANCE ({tolerance})"
            f" ON OVERLOAD ADAPT JOINS {retain} AS SELECT x.id AS i0, y.id AS i1, z.id AS i2"
            f" FROM {x} x JOIN {y} y ON x.k = y.k{more} JOIN {z} z ON z.k = x.k AND x.n + y.n + z.n > 0;"
        )

    columns = "id BIGINT PRIMARY KEY, k BIGINT, n BIGINT"
    tables = "".join(
        f"CREATE TABLE {name}_said ({columns}, at TIMESTAMP TEMPORAL); CREATE TABLE {name}_known ({columns});"
        for name in "ab"
    )
    return (
        tables
        + view("said", "a_said", "b_said", "a_said")
        + view("known", "a_known", "b_known", "a_known")
        + view("mixed", "a_known", "b_said", "a_said")
    )


@dataclass
class Captured:
    folder: Path
    chance: random.Random
    pushes: PushesInDuckDb
    clock: ManualClock = field(
        default_factory=lambda: ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
    )
    rows: dict[str, dict[int, tuple[int, int, datetime]]] = field(default_factory=lambda: {"a": {}, "b": {}})
    limited: bool = False
    number: int = 0
    filled: int = 0
    catalog: Catalog = field(init=False)
    executor: Any = field(init=False)

    def __post_init__(self) -> None:
        declared = resolve(parse_statements(ddl(self.chance)))
        storage = str(self.folder)
        tables = {table.name: table for table in declared.tables}
        views = {view.name: view for view in declared.views}
        self.catalog = build(Project("captured", storage, storage, tables, views, {}, {}))
        for table in declared.tables:
            self.warehouse.source(table.name).create(arrow_schema(table.columns))
        self.start()

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(str(self.folder))

    def start(self) -> None:
        self.executor = spark_executor(
            workplace(self.warehouse, self.catalog), self.clock, Records(self.clock)
        )

    def feed(self) -> None:
        for name in self.chance.sample("ab", self.chance.randint(1, 2)):
            self.clock.advance(timedelta(milliseconds=self.chance.choice([1, 300, 1000])))
            at, held = datetime.fromtimestamp(self.clock.now() / 1e6, UTC), self.rows[name]
            changes: list[tuple[int, int, int, datetime, int]] = []
            for _ in range(self.chance.randint(1, 5)):
                if held and self.chance.random() < 0.4:
                    key = self.chance.choice([*held])
                    k, n, before = held.pop(key)
                    if before == at:  # it came with this commit
                        held[key] = k, n, before
                        continue
                    changes.append((key, k, n, before, -1))
                    if self.chance.random() < 0.5:
                        continue
                else:
                    self.number += 1
                    key = self.number * 7919 % 10_007  # in no order
                self.number += 1
                held[key] = self.chance.randrange(2), self.number, at
                changes.append((key, *held[key], 1))
            if changes:
                self._append(f"{name}_said", f"{name}_known", changes)

    def _append(self, said: str, known: str, changes: list[tuple[int, int, int, datetime, int]]) -> None:
        ids, ks, ns, ats, weights = map(list, zip(*changes, strict=True))
        columns = {name: pa.array(values, pa.int64()) for name, values in (("id", ids), ("k", ks), ("n", ns))}
        weight = {WEIGHT: pa.array(weights, pa.int64())}
        at = {"at": pa.array(ats, pa.timestamp("us", "UTC"))}
        assert self.warehouse.source(said).append(pa.table(columns | at | weight), self.clock.now())
        assert self.warehouse.source(known).append(pa.table(columns | weight), self.clock.now())

    def push(self) -> None:
        self.clock.advance(
            timedelta(seconds=self.chance.choice([0, 1, 3]), microseconds=-self.clock.now() % 1_000_000)
        )
        allowed = self.chance.choice([1e9, 0.3, 1.0, 3.0]) if self.limited else 1e9
        project = replace(self.catalog.project, overload=Overload(probes_per_second=allowed))
        self.executor.runner.workplace.catalog = replace(self.catalog, project=project)
        self.executor.watermarks = dict.fromkeys(self.catalog.project.tables, self.clock.now())
        if not self.limited:  # a push that is killed teaches some of the joins, and not the others
            self.pushes.survives = self.chance.choice([None, None, self.chance.randint(0, 11)])
        try:
            self.executor.push_now()
        except Killed:
            self.executor.close()
            self.start()
            self.pushes.survives = None
            self.executor.watermarks = dict.fromkeys(self.catalog.project.tables, self.clock.now())
            self.executor.push_now()
        place = workplace(self.warehouse, self.catalog)
        said, known, mixed = (Counter(shown(place.timeline(view), self.clock.now())[1]) for view in VIEWS)
        assert said == known == mixed
        self.filled += bool(said)


@pytest.mark.slow
def test_rows_are_as_old_as_it_is_since_they_were_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushes, filled = PushesInDuckDb(), 0
    monkeypatch.setattr(pusher, "run_action", pushes)
    for seed in range(scaled(RUNS)):
        streams = Captured(tmp_path / str(seed), random.Random(seed), pushes, limited=seed % 2 == 0)
        try:
            for _ in range(STEPS):
                streams.chance.choice([streams.feed, streams.feed, streams.push])()
            streams.push()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        finally:
            streams.executor.close()
        filled += bool(streams.filled)
    assert filled > RUNS // 4
