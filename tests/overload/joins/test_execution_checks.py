"""`bench joins --execute` looks at what is shown with DuckDB: it sees a result too many, twice, stale or missing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.bench.joins.execution import checks
from headwater.bench.joins.execution.checks import check, matches, since_then
from headwater.bench.joins.execution.workloads import Workload
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.engine.upkeep.compaction import compact
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.without_spark import run_without_spark, workplace

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STREAMS = Workload("two", {"s0": ("k",), "s1": ("k",)}, ("s0.k = s1.k",), lambda *_: {})


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


def pushed(folder: Path) -> tuple[Warehouse, Catalog]:
    """Three rows of each stream, of which two match; pushed once."""
    declared = resolve(parse_statements(STREAMS.tables() + STREAMS.view()))
    place = str(folder)
    catalog = build(
        Project(
            "two", place, place, {table.name: table for table in declared.tables},
            {view.name: view for view in declared.views}, {}, {},
        )
    )  # fmt: skip
    clock = ManualClock(int(NOON.timestamp() * 1e6))
    warehouse = Warehouse(place)
    for table, keys in (("s0", [1, 2, 3]), ("s1", [1, 2, 9])):
        warehouse.source(table).create(arrow_schema(declared.tables[0].columns))
        columns = {
            "id": pa.array([1, 2, 3]), "k": pa.array(keys), "at": pa.array([NOON] * 3, pa.timestamp("us", "UTC")),
            "_weight": pa.array([1, 1, 1]),
        }  # fmt: skip
        warehouse.source(table).append(pa.table(columns), clock.now())
    clock.advance(timedelta(seconds=1))
    executor = spark_executor(workplace(warehouse, catalog), clock, Records(clock))
    executor.watermarks = dict.fromkeys(catalog.project.tables, clock.now())
    executor.push_now()
    executor.close()
    return warehouse, catalog


def show(warehouse: Warehouse, catalog: Catalog, result: tuple[int, int], weight: int) -> None:
    """Put a result into the view that no push put there."""
    shown = warehouse.stage(catalog.folder("joined"))
    row = {"i0": pa.array([result[0]]), "i1": pa.array([result[1]]), "_weight": pa.array([weight])}
    shown.append(pa.table(row), shown.time() + 1)


def test_what_a_push_shows_is_right(tmp_path: Path) -> None:
    warehouse, catalog = pushed(tmp_path)
    checked = check(warehouse, catalog, "joined")
    assert checked is not None
    assert checked.right
    assert checked.results == 2
    view = catalog.project.views["joined"]
    assert matches(warehouse, view, warehouse.source("s0").time()) == 2
    before, after = (int((NOON + timedelta(seconds=seconds)).timestamp() * 1e6) for seconds in (-1, 1))
    assert since_then(warehouse, catalog, "joined", before) == (2, 2)
    assert since_then(warehouse, catalog, "joined", after) == (0, 0)


@pytest.mark.parametrize(
    ("result", "weight", "seen"),
    [((1, 1), 1, "twice"), ((1, 2), 1, "no_match"), ((1, 3), 1, "differs"), ((2, 2), -1, "differs")],
)
def test_what_no_push_shows_is_noticed(
    tmp_path: Path, result: tuple[int, int], weight: int, seen: str
) -> None:
    warehouse, catalog = pushed(tmp_path)
    show(warehouse, catalog, result, weight)
    checked = check(warehouse, catalog, "joined")
    assert checked is not None
    assert not checked.right
    assert getattr(checked, seen) == 1


def test_a_stale_result_is_noticed(tmp_path: Path) -> None:
    """A row that outlived its tolerance before it came; 30 s are allowed."""
    warehouse, catalog = pushed(tmp_path)
    recent = warehouse.stage(catalog.folder("joined$s0"))
    old = recent.read(recent.as_of(recent.time()))
    aged = old.set_column(
        old.schema.get_field_index("at"), "at",
        pa.array([NOON - timedelta(minutes=1)] * old.num_rows, old.schema.field("at").type),
    )  # fmt: skip
    gone = old.set_column(old.schema.get_field_index("_weight"), "_weight", pa.array([-1] * old.num_rows))
    recent.append(pa.concat_tables([gone.cast(aged.schema), aged]), recent.time() + 1)
    shown = warehouse.stage(catalog.folder("joined"))
    shown.append(
        pa.table({"i0": pa.array([3]), "i1": pa.array([3]), "_weight": pa.array([1])}), shown.time() + 2
    )
    checked = check(warehouse, catalog, "joined")
    assert checked is not None
    assert checked.stale == 3


def test_a_view_that_moves_on_meanwhile_is_looked_at_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run goes on while DuckDB reads: what it shows by then is no difference."""
    warehouse, catalog = pushed(tmp_path)
    read = checks._sources

    def read_and_push(*arguments: Any) -> None:
        read(*arguments)
        show(warehouse, catalog, (1, 2), 1)

    monkeypatch.setattr(checks, "_sources", read_and_push)
    checked = check(warehouse, catalog, "joined")
    assert checked is not None
    assert checked.right


def test_what_is_forgotten_is_not_compared(tmp_path: Path) -> None:
    """Its inputs are further than the view, and what they had read was merged: nobody can say what was there."""
    warehouse, catalog = pushed(tmp_path)
    source = warehouse.source("s0")
    rows = pa.array([7, 8, 9])
    row = {
        "id": rows,
        "k": rows,
        "at": pa.array([NOON] * 3, pa.timestamp("us", "UTC")),
        "_weight": pa.array([1] * 3),
    }
    source.append(pa.table(row), source.time() + 5_000_000)
    assert compact(source, source.time(), many=2)
    assert check(warehouse, catalog, "joined", patience_s=0.0) is None
