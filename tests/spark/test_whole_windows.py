"""Whole windows on Spark: chosen as in plain Python, verified while some wait, and exact."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.catalog import Catalog
from headwater.engine.push import pusher
from headwater.engine.push.workplace import Workplace
from headwater.engine.upkeep.verify import verify_all
from headwater.engine.upkeep.verify_shown import verify_shown
from headwater.storage.choosing.waiting_table import WaitingTable
from headwater.storage.warehouse import Warehouse
from support.overload.ticks import Ticks
from support.without_spark import run_without_spark

pytestmark = pytest.mark.spark


def on_spark(spark: SparkSession, folder: Path, seed: int, *policies: str) -> Ticks:
    def place(warehouse: Warehouse, catalog: Catalog) -> Workplace:
        return Workplace(spark, warehouse, catalog)

    return Ticks(folder, seed, policies, place)


def push_both(ticks: Ticks, model: Ticks, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (ticks, model):
        one.feed()
    ticks.push()
    with monkeypatch.context() as plain:
        plain.setattr(pusher, "run_action", run_without_spark)
        model.push()


def all_equal(ticks: Ticks) -> bool:
    table = verify_shown(ticks.place, "ticks")
    assert table is not None
    assert table.unchecked == 0
    views = verify_all(ticks.place, list(ticks.catalog.kept.values()))
    return table.equal and all(view.equal for view in views)


@pytest.mark.parametrize(("seed", "semantics"), [(1, "LAZY"), (2, "EAGER")])
def test_windows_are_chosen_as_in_plain_python(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, semantics: str
) -> None:
    with monkeypatch.context() as plain:
        plain.setattr(pusher, "run_action", run_without_spark)
        model = Ticks(tmp_path / "model", seed, ("inplace",))
    ticks = on_spark(spark, tmp_path / "spark", seed, "inplace")
    assert ticks.shown() == model.shown()
    waited = 0
    for one in (ticks, model):
        one.semantics, one.per_second = semantics, 1.0
    for _ in range(3):
        push_both(ticks, model, monkeypatch)
        assert ticks.shown() == model.shown()
        waited += sum(wait.waits for wait in ticks.waits().values())
    assert waited
    ticks.check()
    assert all_equal(ticks)
    ticks.push(everything=True)
    ticks.check()
    assert not any(wait.waits for wait in ticks.waits().values())


def test_killed_between_the_two_commits_of_a_choice_among_windows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = on_spark(spark, tmp_path, 5, "best")
    ticks.feed()
    ticks.push()
    ticks.feed()
    with monkeypatch.context() as killed:
        killed.setattr(WaitingTable, "replace", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ticks.push()
    assert not ticks.place.waiting("ticks").current()
    ticks.feed()
    ticks.push()
    ticks.check()
    assert all_equal(ticks)
