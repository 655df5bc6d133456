"""The queries that keep the recent rows of an input of an adapted join say what is done by hand.

The text for Spark is run by DuckDB over real timelines, whose files are left out by their statistics as in a push:
rows come, go, change, come late and grow too old; some pushes bring only rows, some none; some rows may probe.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
import sqlglot

from headwater.algebra.stages.adapting import PROBED, PUSHED
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.choosing.net_changes import names_of
from headwater.engine.push.choosing.probe_queries import KIND, LATE, probes_query
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.model import Overload, Project
from headwater.planning.stages.actions import Action, Mode
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.overload.spark_in_duckdb import InDuckDb
from support.overload.window_joins import START, Rows, random_changes, random_row, table_ddl
from support.probing_without_spark import changes_by_hand
from support.without_spark import run_without_spark, workplace

SEEDS, PUSHES = 4, 7
DDL = (
    "".join(map(table_ddl, "ab"))
    + "CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND"
    " TOLERANCE (x = INTERVAL '9' SECOND, y = INTERVAL '12' SECOND) ON OVERLOAD ADAPT JOINS"
    " RETAIN INTERVAL '13' SECOND AS SELECT x.id AS i0, y.id AS i1 FROM a x JOIN b y ON x.k = y.k;"
)


class Compared:
    """In place of `run_action`: what the query of an input says is compared with what is done by hand."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()

    def __call__(self, workplace: Workplace, action: Action[Job], *arguments: Any) -> list[Pushed]:
        for job in action.works:
            if job.mode is Mode.PROBE:
                self._compare(workplace, job)
        return run_without_spark(workplace, action, *arguments)

    def _compare(self, workplace: Workplace, job: Job) -> None:
        by_hand, counts = changes_by_hand(workplace, job)
        with InDuckDb() as inputs:
            text = probes_query(workplace, job, cast(Inputs, inputs))
            columns = ", ".join((*names_of(job), PUSHED, PROBED, WEIGHT, KIND))
            (query,) = sqlglot.transpile(f"SELECT {columns} FROM ({text})", read="spark", write="duckdb")
            answer = inputs.database.execute(query).fetchall()
        kinds = Counter(row[-1] for row in answer)
        assert kinds == Counter({kind: count for kind, count in counts.items() if count})
        said = Counter((_utc(row[:-2]), row[-2]) for row in answer if row[-1] != LATE)
        assert said == Counter((_utc(row), weight) for row, weight in by_hand)
        self.kinds += kinds


def _utc(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value.astimezone(UTC) if isinstance(value, datetime) else value for value in row)


def feed(warehouse: Warehouse, chance: random.Random, rows: Rows, turn: int, now: int) -> None:
    """The third push brings nothing but rows, the fifth nothing."""
    if turn == 2:
        changes = {
            name: Counter(random_row(chance, turn, chance.randrange(10**9)) for _ in range(8))
            for name in rows
        }
        for name, came in changes.items():
            rows[name] += came
    else:
        changes = random_changes(chance, rows, turn, 12) if turn != 4 else {}
    for table, changed in changes.items():
        listed = [(row, weight) for row, weight in changed.items() if weight]
        if listed:
            ts = [at and at.replace(tzinfo=UTC) for (_, _, _, at), _ in listed]
            columns = {
                name: pa.array([row[at] for row, _ in listed], pa.int64())
                for at, name in enumerate(("id", "k", "n"))
            }
            weights = pa.array([weight for _, weight in listed], pa.int64())
            table_rows = pa.table({**columns, "ts": pa.array(ts, pa.timestamp("us", "UTC")), WEIGHT: weights})
            warehouse.source(table).append(table_rows, now)


@pytest.mark.slow
def test_queries_say_what_is_done_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Compared()
    monkeypatch.setattr(pusher, "run_action", compared)
    declared = resolve(parse_statements(DDL))
    for seed in range(SEEDS):
        chance, folder = random.Random(seed), str(tmp_path / str(seed))
        tables = {table.name: table for table in declared.tables}
        overload = Overload(probes_per_second=1.0 if seed % 2 else 1e9)
        project = Project(
            "p",
            folder,
            folder,
            tables,
            {view.name: view for view in declared.views},
            {},
            {},
            overload=overload,
        )
        catalog, warehouse = build(project), Warehouse(folder)
        clock = ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
        rows: Rows = {"a": [], "b": []}
        for table in tables.values():
            warehouse.source(table.name).create(arrow_schema(table.columns))
        executor = spark_executor(workplace(warehouse, catalog), clock, Records(clock))
        for turn in range(PUSHES):
            clock.advance(timedelta(seconds=4))
            feed(warehouse, chance, rows, turn, clock.now())
            clock.advance(timedelta(milliseconds=100))
            executor.watermarks = dict.fromkeys(tables, clock.now())
            executor.push_now()
        executor.close()
    assert set(compared.kinds) == {0, 1, 2, 3}
    assert min(compared.kinds.values()) > 5
