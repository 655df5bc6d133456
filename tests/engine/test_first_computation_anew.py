"""A view is not computed for the first time as of a time that is long past when what it reads is ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor import look
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.model import Column, Project, SqlText, Table, Updates, View
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.without_spark import run_without_spark, workplace

FRESHNESS = timedelta(seconds=15)
VIEWS = {
    "newest": "SELECT symbol, price FROM quotes",
    "totals": "SELECT price, count(*) AS n FROM quotes GROUP BY price",
}


class Run:
    """An update stream of one key whose first computation takes a while, and two views over it."""

    def __init__(self, folder: Path, takes: timedelta, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = ManualClock()
        table = Table(
            "quotes", (Column("symbol", "bigint"), Column("price", "bigint")), update_key=("symbol",),
            updates=Updates.BEST,
        )  # fmt: skip
        views = {name: View(name, SqlText(text), FRESHNESS) for name, text in VIEWS.items()}
        catalog = build(Project("market", str(folder), str(folder), {"quotes": table}, views, {}, {}))
        warehouse = Warehouse(str(folder))
        source = warehouse.source("quotes")
        source.create(arrow_schema(table.columns))
        source.append(
            pa.table({"symbol": [1, 1, 1], "price": [1, 1, 2], "_weight": [1, -1, 1]}), self.clock.now()
        )
        self.workplace = workplace(warehouse, catalog)
        self.executor: Executor = spark_executor(self.workplace, self.clock, Records(self.clock))
        self.started_at = self.clock.now()

        def slow(workplace: Any, action: Any, relations: Mapping[str, Any], *rest: Any) -> Any:
            if "quotes$shown" in action.stages and self.clock.now() == self.started_at:
                self.clock.advance(takes)
            return run_without_spark(workplace, action, relations, *rest)

        monkeypatch.setattr(pusher, "run_action", slow)

    def until_computed(self) -> int:
        """The time of the view when it is first computed."""
        for _ in range(5):
            self.executor.watermarks = {"quotes": self.clock.now()}
            self.executor.step()
            for push in self.executor._pushes:
                assert push.handle.result().error is None
            if (time := self.workplace.timeline("newest").time()) > 0:
                return time
        raise AssertionError("the view was never computed")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], Run]:
    return lambda takes: Run(tmp_path, takes, monkeypatch)


def test_if_what_it_reads_took_long_it_is_computed_as_of_a_later_time(
    run: Callable[[timedelta], Run],
) -> None:
    cold = run(timedelta(seconds=7))
    assert cold.until_computed() == cold.started_at + 7_000_000


def test_if_it_took_no_time_it_is_computed_at_once(run: Callable[[timedelta], Run]) -> None:
    warm = run(timedelta(seconds=1))
    assert warm.until_computed() == warm.started_at


def test_views_over_few_keys_are_computed_together_however_many_updates_there_were(
    run: Callable[[timedelta], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "FEW_ROWS", 2)
    cold = run(timedelta(seconds=7))
    assert cold.until_computed() == cold.workplace.timeline("totals").time()
