"""Whatever becomes of a project while updates wait (another policy, another budget, views that go and come back,
a run that starts again, merged files): views are exact over what is shown, and nothing is lost."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from headwater.algebra.stages.choosing import shown
from headwater.capture.intake.append import append
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.engine.upkeep.compaction import Compactor
from headwater.model import Column, Overload, Project, SqlText, Table, Updates, View
from headwater.serve.read import TooStaleError, standing
from headwater.serve.reports.tables import stale_since, table_statuses
from headwater.storage.warehouse import Warehouse
from support.cases import scaled
from support.choosing_without_spark import rows_of, waits_of
from support.without_spark import run_without_spark, workplace

SEEDS = 2
STEPS = 10
KEYS = (None, *range(1, 8))
EVERY = {"all_of_it": "SELECT symbol, price FROM quotes", "over_all": "SELECT symbol FROM all_of_it"}
VIEWS = {
    "newest": "SELECT symbol, price FROM quotes",
    "totals": "SELECT price, count(*) AS n FROM quotes GROUP BY price",
    "named": "SELECT q.symbol, q.price, s.sector FROM quotes q JOIN sectors s ON q.symbol = s.symbol",
}


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@cache
def catalog_of(folder: str, policy: Updates, names: frozenset[str], per_second: float) -> Catalog:
    symbol = Column("symbol", "bigint")
    quotes = Table("quotes", (symbol, Column("price", "bigint")), update_key=("symbol",), updates=policy)
    sectors = Table("sectors", (symbol, Column("sector", "bigint")), ("symbol",))
    views = {
        name: View(name, SqlText(text), timedelta(seconds=9), every_change=name == "all_of_it")
        for name, text in (VIEWS | EVERY).items()
        if name in names
    }
    tables = {"quotes": quotes, "sectors": sectors}
    overload = Overload(per_second)
    return build(Project("market", folder, folder, tables, views, {}, {}, overload=overload))


class ChangingProject:
    """Quotes by symbol, whatever the project says of them just now."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance, self.clock = str(folder), chance, ManualClock()
        self.policy, self.views, self.per_second = Updates.BEST, set(VIEWS), 1.0
        append(
            self.warehouse,
            self.catalog.project.tables["sectors"],
            [{"symbol": key, "sector": key % 3} for key in KEYS if key],
            self.clock,
        )
        self.feed()
        self.push()

    @property
    def warehouse(self) -> Warehouse:
        """As a process finds it that starts now."""
        return Warehouse(self.folder)

    @property
    def catalog(self) -> Catalog:
        """As the project's files say just now."""
        return catalog_of(self.folder, self.policy, frozenset(self.views), self.per_second)

    def feed(self) -> None:
        """Updates, and deletions of keys that are there."""
        catalog, chance = self.catalog, self.chance
        for _ in range(8):
            self.clock.advance(timedelta(milliseconds=100))
            rows = [
                {"symbol": chance.choice(KEYS), "price": chance.randrange(9)}
                for _ in range(chance.randint(1, 4))
            ]
            records: list[dict[str, object]] = [{"op": "insert", "row": row} for row in rows]
            if chance.random() < 0.3:
                records.append({"op": "delete", "row": {"symbol": rows[-1]["symbol"]}})
            append(self.warehouse, catalog.project.tables["quotes"], records, self.clock)

    def push(self, everything: bool = False) -> None:
        """By a run that starts now."""
        catalog = self.catalog
        if not catalog.kept:
            return
        self.clock.advance(timedelta(seconds=2))
        executor = spark_executor(workplace(self.warehouse, catalog), self.clock, Records(self.clock))
        executor.watermarks = dict.fromkeys(("quotes", "sectors"), self.clock.now())
        try:
            executor.push_now(everything=everything)
        finally:
            executor.close()

    def compact(self) -> None:
        catalog = self.catalog
        Compactor(lambda: catalog, self.warehouse).compact()

    def change(self) -> None:
        match self.chance.randrange(6):
            case 0 | 1:
                self.policy = self.chance.choice(list(Updates))
            case 2:
                self.views ^= {self.chance.choice(list(VIEWS))}
            case 3:
                self.per_second = self.chance.choice([0.001, 0.5, 1.0, 100.0])
            case 4:
                self.compact()
            case _:
                pass

    def check(self) -> None:
        catalog, warehouse = self.catalog, self.warehouse
        place = workplace(warehouse, catalog)
        table, source = catalog.project.tables["quotes"], rows_of(warehouse.source("quotes"))
        rows = source
        if any(stage.name == shown("quotes") for _, stage in catalog.stages()):
            rows = rows_of(place.timeline(shown("quotes")))
            waiting = place.waiting("quotes")
            missing: Counter[tuple[object, ...]] = Counter()
            if waiting.timeline.exists() and not waiting.idle():
                for wait in waits_of(waiting, table).values():
                    missing.update(wait.change)
            rows_and_missing = Counter(rows)
            rows_and_missing.update(missing)
            assert {row: count for row, count in rows_and_missing.items() if count} == source
        table_statuses(catalog, warehouse, self.clock.now())
        if "newest" in catalog.kept:
            assert rows_of(place.timeline("newest")) == rows
        if "totals" in catalog.kept:
            totals = {row[:2] for row in rows_of(place.timeline("totals"))}
            assert totals == set(Counter(price for _, price in rows.elements()).items())
        if "named" in catalog.kept:
            named = {row[:2] for row in rows_of(place.timeline("named"))}
            assert named == {row for row in rows if row[0] is not None}


def test_a_view_is_as_stale_as_what_is_shown_to_it(tmp_path: Path) -> None:
    """Who reads every change, directly or through another view, is not stale while updates wait."""
    project = ChangingProject(tmp_path, random.Random(3))
    project.views |= set(EVERY)
    project.push()
    project.feed()
    project.push()
    stale = {name for name in project.views if stale_since(project.catalog, project.warehouse, name)}
    assert stale == set(VIEWS)
    bound = timedelta(seconds=1)  # within it is the view's time, but not that of its stalest key
    assert standing(project.catalog, project.warehouse, project.clock, "over_all", bound).stalest_key is None
    stalest = standing(project.catalog, project.warehouse, project.clock, "newest").stalest_key
    assert stalest is not None
    assert stalest > bound
    with pytest.raises(TooStaleError, match="stale") as raised:
        standing(project.catalog, project.warehouse, project.clock, "newest", bound)
    assert raised.value.staleness == stalest


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(SEEDS)))
def test_views_are_exact_whatever_becomes_of_the_project(seed: int, tmp_path: Path) -> None:
    project = ChangingProject(tmp_path, random.Random(seed))
    project.check()
    for _ in range(STEPS):
        project.change()
        project.feed()
        project.push()
        project.check()
    project.views, project.policy = set(VIEWS), Updates.BEST
    project.push(everything=True)
    project.check()
    assert rows_of(workplace(project.warehouse, project.catalog).timeline("newest")) == rows_of(
        project.warehouse.source("quotes")
    )
