"""A source that is older than what reads it: views are what their SQL says of the rows that are there."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pyarrow.compute as pc
import pytest

from headwater.capture.intake.append import append
from headwater.capture.polling import ApiCapture
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.engine.upkeep.damage import remove_damaged
from headwater.model import Column, Project, SqlText, Table, View
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.without_spark import run_without_spark, workplace

ORDERS = Table("orders", (Column("id", "bigint", nullable=False), Column("n", "bigint")), key=("id",))
VIEWS = {
    "doubled": "SELECT id, n + n AS n FROM orders",
    "total": "SELECT n % 2 AS id, count(*) AS n FROM orders GROUP BY n % 2",
}


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    views = {name: View(name, SqlText(text), timedelta(seconds=9)) for name, text in VIEWS.items()}
    folder = str(tmp_path / "project")
    return build(Project("shop", folder, folder, {"orders": ORDERS}, views, {}, {}))


def insert(catalog: Catalog, clock: ManualClock, *numbers: int) -> None:
    clock.advance(timedelta(seconds=1))
    rows = [{"op": "upsert", "row": {"id": number, "n": number}} for number in numbers]
    append(Warehouse(catalog.project.storage), ORDERS, rows, clock)


def push(catalog: Catalog, clock: ManualClock) -> None:
    """By a run that starts now."""
    clock.advance(timedelta(seconds=1))
    warehouse = Warehouse(catalog.project.storage)
    remove_damaged(catalog, warehouse)
    executor = spark_executor(workplace(warehouse, catalog), clock, Records(clock))
    executor.watermarks = {"orders": ApiCapture(warehouse, ORDERS, clock).poll().watermark}
    try:
        executor.push_now()
    finally:
        executor.close()


def rows(catalog: Catalog, view: str) -> Counter[tuple[int, int]]:
    timeline = Warehouse(catalog.project.storage).stage(catalog.folder(view))
    stored = timeline.read(timeline.as_of(timeline.time()), ["id", "n"])
    counted: Counter[tuple[int, int]] = Counter()
    for row in stored.to_pylist():
        counted[row["id"], row["n"]] += row[WEIGHT]
    return Counter({row: count for row, count in counted.items() if count})


def expected(*numbers: int) -> dict[str, Counter[tuple[int, int]]]:
    groups = Counter(number % 2 for number in numbers)
    return {
        "doubled": Counter((number, 2 * number) for number in numbers),
        "total": Counter(dict.fromkeys(groups.items(), 1)),
    }


@pytest.mark.parametrize("with_its_clock", [False, True])
@pytest.mark.parametrize("sent_before_the_run", [False, True])
@pytest.mark.parametrize("history", [False, True])
def test_a_source_restored_without_its_views(
    catalog: Catalog, tmp_path: Path, sent_before_the_run: bool, history: bool, with_its_clock: bool
) -> None:
    """Whoever comes first, a writer or a run; and whether the backup had rows or was taken before any."""
    clock, backup = ManualClock(), tmp_path / "backup"
    storage = Path(catalog.project.storage)
    parts = ["sources", "clocks"][: 1 + with_its_clock]
    if history:
        insert(catalog, clock, 1, 2)
        push(catalog, clock)
        shutil.copytree(storage, backup)
    insert(catalog, clock, 3, 4)
    push(catalog, clock)
    push(catalog, clock)  # the watermark has passed the last commit
    for part in parts:
        shutil.rmtree(storage / part)
        if history:
            shutil.copytree(backup / part, storage / part)
    if not sent_before_the_run:
        push(catalog, clock)
        there = (1, 2) if history else ()
        assert {view: rows(catalog, view) for view in VIEWS} == expected(*there)
    insert(catalog, clock, 3, 5)
    push(catalog, clock)
    there = (1, 2, 3, 5) if history else (3, 5)
    assert {view: rows(catalog, view) for view in VIEWS} == expected(*there)


def test_a_clock_that_went_back_gives_out_no_time_that_views_have_passed(catalog: Catalog) -> None:
    """The machine's clock, too: it was ahead when the views were pushed."""
    clock, path = ManualClock(), os.path.join(catalog.project.storage, "clocks", "orders")
    insert(catalog, clock, 1)
    push(catalog, clock)
    before = Path(path).read_bytes()
    clock.advance(timedelta(hours=1))
    push(catalog, clock)
    Path(path).write_bytes(before)
    clock.step(timedelta(minutes=-50))
    push(catalog, clock)
    insert(catalog, clock, 2)
    clock.advance(timedelta(hours=2))
    push(catalog, clock)
    assert {view: rows(catalog, view) for view in VIEWS} == expected(1, 2)


def test_a_source_that_is_as_it_was_keeps_its_history(catalog: Catalog) -> None:
    clock = ManualClock()
    for number in range(3):
        insert(catalog, clock, number)
        push(catalog, clock)
    source = Warehouse(catalog.project.storage).source("orders")
    assert source.horizon() == 0
    assert pc.sum(source.read(source.as_of(source.time()))[WEIGHT]).as_py() == 3
