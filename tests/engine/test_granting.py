"""What update streams of one push may take, from what stands before them in a real warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.algebra.stages.choosing import shown
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.choosing.granting.budgets import budgets
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.model import Column, Overload, Project, SqlText, Table, Updates, View
from headwater.overload.budget import Budget
from headwater.storage.choosing.waiting_table import Tally
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.without_spark import run_without_spark, workplace

KEYS = 400
COLUMNS = (Column("k", "bigint"), Column("v", "bigint"))


class Tables:
    """Update streams a and b, and a view over each."""

    def __init__(self, folder: Path, weights: Mapping[str, float], overload: Overload = Overload()) -> None:
        tables = {
            name: Table(name, COLUMNS, update_key=("k",), updates=Updates.BEST, overload_weight=weight)
            for name, weight in weights.items()
        }
        views = {
            f"of_{name}": View(f"of_{name}", SqlText(f"SELECT k, v FROM {name}"), timedelta(seconds=10))
            for name in tables
        }
        project = Project("p", str(folder), str(folder), tables, views, {}, {}, overload=overload)
        self.catalog: Catalog = build(project)
        self.clock, self.warehouse = ManualClock(), Warehouse(str(folder))
        for name in tables:
            self.warehouse.source(name).create(arrow_schema(COLUMNS))
            self.update(name, range(KEYS), old=None)
        executor = spark_executor(self.place, self.clock, Records(self.clock))
        executor.watermarks = dict.fromkeys(tables, self.clock.now())
        executor.push_now()
        executor.close()

    @property
    def place(self) -> Workplace:
        return workplace(self.warehouse, self.catalog)

    def update(self, table: str, keys: range, old: int | None = 0) -> None:
        self.clock.advance(timedelta(milliseconds=50))
        rows = [(key, 0 if old is None else old + 1, 1) for key in keys]
        rows += [] if old is None else [(key, old, -1) for key in keys]
        columns = dict(zip(("k", "v", "_weight"), zip(*rows, strict=True), strict=True))
        self.warehouse.source(table).append(pa.table(columns), self.clock.now())

    def budgets(self) -> dict[str, Budget]:
        """A push takes a second, and a hundredth for each key that it shows; it may take 3.5 s."""
        place, until = self.place, self.clock.now()

        def forecast(given: Mapping[str, Budget]) -> timedelta:
            keys = 0
            for name in self.catalog.project.tables:
                stage, source = shown(name), self.warehouse.source(name)
                changed = source.rows_between(place.timeline(stage).time(), until) // 2
                units = given.get(stage, Budget()).units
                keys += changed if units is None else min(units, changed)
            return timedelta(seconds=1 + keys / 100)

        return budgets(place, list(self.catalog.project.views), until, (), forecast)


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


def test_streams_share_a_push_by_weight(tmp_path: Path) -> None:
    tables = Tables(tmp_path, {"a": 3.0, "b": 1.0})
    for name in ("a", "b"):
        tables.update(name, range(KEYS))
    given = tables.budgets()
    assert given[shown("a")].units == pytest.approx(187, abs=6)
    assert given[shown("b")].units == pytest.approx(62, abs=3)
    assert given[shown("a")].share == pytest.approx(0.75, abs=0.01)
    assert "everything would take 9.0 s, and a push has 3.5 s" in given[shown("a")].reason


def test_streams_of_one_weight_share_by_what_an_update_is_worth(tmp_path: Path) -> None:
    """`a` has as many updates, of a twentieth of the keys, and would get half by their number."""
    tables = Tables(tmp_path, {"a": 1.0, "b": 1.0})
    for name, keys in (("a", KEYS // 20), ("b", KEYS)):
        waiting = tables.place.waiting(name)
        began = waiting.shown.time()
        waiting.replace(waiting.shown.columns(), began, (), Tally(began_at=began, keys=keys))
    for old in range(20):
        tables.update("a", range(KEYS // 20), old)
    tables.update("b", range(KEYS))
    given = tables.budgets()
    units_a, units_b = given[shown("a")].units, given[shown("b")].units
    assert units_a is not None
    assert units_b is not None
    assert units_a + units_b == pytest.approx(250, abs=10)
    assert units_a < units_b / 10


def test_what_is_set_by_hand_is_not_shared(tmp_path: Path) -> None:
    tables = Tables(tmp_path, {"a": 3.0, "b": 1.0}, Overload(updates_per_second=400.0))
    for name in ("a", "b"):
        tables.update(name, range(KEYS))
    assert {budget.units for budget in tables.budgets().values()} == {40}


def test_everything_is_taken_if_it_fits(tmp_path: Path) -> None:
    tables = Tables(tmp_path, {"a": 3.0, "b": 1.0})
    tables.update("a", range(100))
    assert {budget.units for budget in tables.budgets().values()} == {None}
