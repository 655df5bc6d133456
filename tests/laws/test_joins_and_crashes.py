"""Whoever is killed between whichever two writes of a push of an adapted join: no stale result, none that is no match, none twice.

And with enough allowance none is lost. Two streams whose rows come, go and are replaced; without Spark.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.algebra.expressions.tree import Column
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.plans.nodes import Filter, Plan, Scan, Version
from headwater.algebra.plans.walks import rewrite_up
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import decide, pusher
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.model import Overload, Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.choosing_without_spark import rows_of
from support.crashes.file_system import FileSystem
from support.crashes.patches import patched
from support.crashes.pushes import crashes_of_a_push
from support.crashes.scratch import scratch_folder
from support.overload.window_joins import START, Rows, by_duckdb, random_changes, table_ddl
from support.without_spark import run_without_spark, shown, workplace

SEEDS, PUSHES, MOST = 2, 2, 8
WINDOW, TOLERANCE = timedelta(seconds=5), timedelta(seconds=30)
DDL = (
    "".join(map(table_ddl, "ab"))
    + "CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND"
    " TOLERANCE (x = INTERVAL '30' SECOND, y = INTERVAL '30' SECOND) ON OVERLOAD ADAPT JOINS"
    " RETAIN INTERVAL '40' SECOND AS SELECT x.id AS i0, y.id AS i1 FROM a x JOIN b y ON x.k = y.k;"
)
EXACT = (
    "SELECT x.id, y.id FROM a x JOIN b y ON x.k = y.k WHERE greatest(x.ts, y.ts) - INTERVAL '5' SECOND <= least(x.ts, y.ts)"
    " AND x.ts IS NOT NULL AND y.ts IS NOT NULL"
)


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with scratch_folder(tmp_path) as folder:
        yield folder


@dataclass
class Streams:
    folder: Path
    seed: int
    limited: bool
    clock: ManualClock = field(
        default_factory=lambda: ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
    )
    rows: Rows = field(default_factory=lambda: {"a": [], "b": []})
    turn: int = 0
    chance: random.Random = field(init=False)
    catalog: Catalog = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        declared = resolve(parse_statements(DDL))
        tables = {table.name: table for table in declared.tables}
        views = {view.name: view for view in declared.views}
        overload = Overload(probes_per_second=1.0 if self.limited else 1e9)
        storage = str(self.folder)
        self.catalog = build(Project("streams", storage, storage, tables, views, {}, {}, overload=overload))
        for table in tables.values():
            self.warehouse().source(table.name).create(arrow_schema(table.columns))
        self.feed()
        self.push()

    def warehouse(self) -> Warehouse:
        return Warehouse(str(self.folder))

    def place(self) -> Workplace:
        """As a process finds it that starts now."""
        return workplace(self.warehouse(), self.catalog)

    def feed(self) -> None:
        self.clock.advance(timedelta(seconds=4))
        self.turn += 1
        for table, changes in random_changes(self.chance, self.rows, self.turn, MOST).items():
            listed = [(row, weight) for row, weight in changes.items() if weight]
            if listed:
                moments = [ts and ts.replace(tzinfo=UTC) for (_, _, _, ts), _ in listed]
                columns = {
                    name: pa.array([row[at] for row, _ in listed], pa.int64())
                    for at, name in enumerate(("id", "k", "n"))
                }
                ts = pa.array(moments, pa.timestamp("us", "UTC"))
                weights = pa.array([weight for _, weight in listed], pa.int64())
                self.warehouse().source(table).append(
                    pa.table({**columns, "ts": ts, "_weight": weights}), self.clock.now()
                )

    def push(self) -> None:
        """By a process that starts now."""
        self.clock.advance(timedelta(milliseconds=100))
        executor = spark_executor(self.place(), self.clock, Records(self.clock))
        executor.watermarks = dict.fromkeys(self.rows, self.clock.now())
        try:
            executor.push_now()
        finally:
            executor.close()

    def remembered(self) -> Callable[[], None]:
        rows, turn = {name: list(held) for name, held in self.rows.items()}, self.turn
        state = self.chance.getstate()

        def undo() -> None:
            self.rows, self.turn = rows, turn
            self.chance.setstate(state)

        return undo

    def shown(self) -> Counter[tuple[Any, ...]]:
        timeline = self.place().timeline("v")
        return Counter(shown(timeline, timeline.time())[1])

    def check(self) -> None:
        """The view equals its SQL over its inputs' rows as of its time, each result is a fresh match, and there once."""
        place, kept = self.place(), self.catalog.kept["v"]
        time = place.timeline("v").time()
        database, stored = {}, []
        for stage in kept.stages[:-1]:
            names, held = shown(place.timeline(stage.name), time)
            database[stage.name, Version.NEW] = (names, held)
            assert set(held.values()) <= {1}, "a row is stored once"
            stored.append({row[names.index("id")]: dict(zip(names, row, strict=True)) for row in held})
        plan = kept.stages[-1].plan
        assert plan is not None
        results = self.shown()
        assert Counter(evaluate(plan, database)) == results
        assert set(results.values()) <= {1}, "no result twice"
        for first, second in results:
            self._check_result(stored[0][first], stored[1][second])

    @staticmethod
    def _check_result(x: dict[str, Any], y: dict[str, Any]) -> None:
        made = max(x["_pushed"], y["_pushed"])
        assert x["k"] == y["k"]
        assert abs(x["ts"] - y["ts"]) <= WINDOW
        assert made - min(x["ts"], y["ts"]) <= TOLERANCE, "no stale row"
        assert (y if y["_pushed"] == made else x)["_probed"], "the last one looked for the other"

    def exact(self) -> Counter[tuple[object, ...]]:
        """All matches of rows that are still retained."""
        oldest = datetime.fromtimestamp(self.clock.now() / 1e6, UTC).replace(tzinfo=None) - timedelta(
            seconds=40
        )
        held = {
            name: [row for row in rows if row[3] is None or row[3] >= oldest]
            for name, rows in self.rows.items()
        }
        return by_duckdb(EXACT, held)


def crash_everywhere(folder: Path, seed: int, limited: bool) -> int:
    """Every crash point of pushes at the view and its inputs; after each, another push mends it."""
    points = 0
    with patched(FileSystem(str(folder))) as files:
        streams = Streams(folder, seed, limited)
        for _ in range(PUSHES):
            streams.feed()
            points += crashes_of_a_push(files, streams, "stages/v", partial(go_on, streams))
            streams.push()
            streams.check()
    return points


def go_on(streams: Streams, number: int) -> None:
    """After a kill: more arrives, and a new run goes on."""
    streams.check()
    if number % 2:
        streams.feed()
    streams.push()
    streams.check()
    if streams.limited:
        assert not streams.shown() - streams.exact()
    else:
        assert streams.shown() == streams.exact()
    streams.clock.advance(timedelta(minutes=2))
    streams.push()  # nothing has arrived, and all has grown too old
    assert not streams.shown()
    assert not any(rows_of(streams.place().timeline(name)) for name in ("v$x", "v$y"))


@pytest.mark.slow
@pytest.mark.parametrize("limited", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, SEEDS))]
)
def test_every_crash_point_of_adapted_joins(seed: int, limited: bool, folder: Path) -> None:
    assert crash_everywhere(folder, seed, limited) > 3 * PUSHES


def without_all_that_did_not_probe(plan: Plan, stages: frozenset[str], until: object) -> Plan:
    """Rows that came with a push that the view missed are left out as well."""

    def step(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.relation in stages and node.version is Version.DELTA:
            return Filter(node, Column(f"{node.alias}._probed"))
        return node

    return rewrite_up(plan, step)


@pytest.mark.long
def test_the_law_finds_what_protects_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "only_probing", without_all_that_did_not_probe)
    with pytest.raises(AssertionError):
        all(crash_everywhere(folder / str(seed), seed, limited=True) for seed in range(8))


@pytest.mark.long
def test_the_law_finds_rows_that_outstay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "rows_grow_old", lambda *_: False)
    with pytest.raises(AssertionError):
        crash_everywhere(folder, 0, limited=False)
