"""A stage that chooses, on Spark: the same choices as in plain Python, and views exact over what is shown."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from headwater.algebra.stages.choosing import shown
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.upkeep.verify import verify_all
from headwater.engine.upkeep.verify_shown import verify_shown
from headwater.model import (
    Column,
    Overload,
    Project,
    ReadWeight,
    RefreshWeight,
    SqlText,
    Table,
    Updates,
    View,
)
from headwater.overload.updates.choosing.reads import Reads, weights
from headwater.serve.reports.tables import table_statuses
from headwater.storage.choosing.choices import OVERLOAD
from headwater.storage.choosing.reads import note_reads
from headwater.storage.choosing.waiting_table import WaitingTable
from headwater.storage.delta.types import arrow_schema
from headwater.storage.records.journal import read_rows
from headwater.storage.view_rows import read_view
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate
from support.overload.update_stream import UpdateStream, random_updates

pytestmark = pytest.mark.spark

VIEWS = {
    "newest": "SELECT symbol, price FROM quotes",
    "dear": "SELECT symbol, price + 1 AS price FROM quotes WHERE price > 2",
    "totals": "SELECT price, count(*) AS n, min(symbol) AS least FROM quotes GROUP BY price",
    "named": "SELECT q.symbol, q.price, n.name FROM quotes q JOIN names n ON q.symbol = n.symbol",
    "both": "SELECT symbol FROM quotes WHERE price > 3 UNION ALL SELECT symbol FROM names",
    "ranked": "SELECT symbol, row_number() OVER (ORDER BY price DESC, symbol) AS place FROM quotes",
}


class Market:
    """A project whose quotes are chosen among, at a rate set by hand."""

    def __init__(self, spark: SparkSession, folder: Path, policy: Updates, per_second: float | None) -> None:
        self.clock = ManualClock()
        quotes = (Column("symbol", "int"), Column("price", "int"))
        weighed = policy is Updates.BEST
        weight = RefreshWeight(("symbol",), "watchlist", ("symbol",), "weight") if weighed else None
        tables = {
            "quotes": Table("quotes", quotes, update_key=("symbol",), updates=policy, weight=weight),
            "watchlist": Table("watchlist", (Column("symbol", "int"), Column("weight", "double"))),
            "names": Table("names", (Column("symbol", "int"), Column("name", "string"))),
        }
        views = {name: View(name, SqlText(text), timedelta(seconds=9)) for name, text in VIEWS.items()}
        views["all_of_it"] = replace(views["totals"], name="all_of_it", every_change=True)
        project = Project(
            "market", str(folder), str(folder), tables, views, {}, {}, overload=Overload(per_second)
        )
        self.catalog = build(project)
        self.warehouse = Warehouse(str(folder))
        self.workplace = Workplace(spark, self.warehouse, self.catalog)
        self.executor = spark_executor(self.workplace, self.clock, Records(self.clock))
        for name, table in tables.items():
            self.warehouse.source(name).create(arrow_schema(table.columns))
        self.stream = UpdateStream(policy, cost=1.0 if per_second is None else 1.0 / per_second)
        watched = {(1,): 9.0, (4,): 0.25, (7,): 2.5}
        self.stream.worth = watched if weighed else {}
        self.append("watchlist", [((*key, worth), 1) for key, worth in watched.items()], self.clock.now())
        self.append("names", [((symbol, f"n{symbol}"), 1) for symbol in range(0, 12, 2)], self.clock.now())

    def append(self, table: str, changes: list[tuple[tuple[object, ...], int]], at: int) -> None:
        schema = arrow_schema(self.catalog.project.tables[table].columns)
        columns = {
            field.name: pa.array([row[index] for row, _ in changes], field.type)
            for index, field in enumerate(schema)
        }
        weights = pa.array([weight for _, weight in changes], pa.int64())
        self.warehouse.source(table).append(pa.table({**columns, "_weight": weights}), at)

    def feed(self, chance: random.Random, keys: int, count: int) -> None:
        """Updates of one second; each becomes a file with its time."""
        start, end = self.clock.now(), self.clock.now() + 1_000_000
        random_updates(chance, self.stream, keys, count, start, end)
        by_time: dict[int, list[tuple[tuple[object, ...], int]]] = {}
        for arrival in self.stream.arrivals:
            by_time.setdefault(arrival.at, []).append((arrival.row, arrival.weight))
        for at, changes in by_time.items():
            self.append("quotes", changes, at)
        self.clock.advance(timedelta(seconds=1))

    def push(self) -> None:
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = dict.fromkeys(self.catalog.project.tables, self.clock.now())
        self.executor.push_now()

    def shown(self) -> Counter[tuple[object, ...]]:
        timeline = self.workplace.timeline(shown("quotes"))
        changes = consolidate(timeline.read(timeline.as_of(timeline.time()))).to_pylist()
        return Counter({(row["symbol"], row["price"]): row["_weight"] for row in changes})

    def rows(self, view: str) -> Counter[tuple[object, ...]]:
        timeline = self.warehouse.stage(self.catalog.folder(view))
        _, table = read_view(timeline, self.warehouse.published(view), self.catalog.description(view))
        return Counter(tuple(row.values()) for row in table.to_pylist())

    def all_equal(self) -> bool:
        """Every view equals its SQL over what is shown, and that is right."""
        table = verify_shown(self.workplace, "quotes")
        assert table is not None
        assert table.unchecked == 0
        views = verify_all(self.workplace, list(self.catalog.kept.values()))
        return table.equal and all(view.equal for view in views)


def begun(spark: SparkSession, folder: Path, policy: Updates, chance: random.Random) -> Market:
    """A market in which everything is shown, that may show two keys a second from now on."""
    market = Market(spark, folder, policy, per_second=2.0)
    market.feed(chance, 12, 20)
    market.push()
    market.stream.push(market.clock.now(), None)
    market.stream.waiting, market.stream.began_at = {}, 0
    market.stream.arrived = market.stream.taken = 0
    return market


def overload(market: Market, chance: random.Random, pushes: int) -> None:
    for _ in range(pushes):
        market.feed(chance, 12, 15)
        market.push()
        market.stream.push(market.clock.now(), 4)  # a push carries two seconds
        assert market.shown() == market.stream.shown
        assert market.rows("newest") == market.stream.shown


def test_the_same_choices_as_in_plain_python_and_every_view_exact(
    spark: SparkSession, tmp_path: Path
) -> None:
    chance = random.Random(7)
    market = begun(spark, tmp_path, Updates.BEST, chance)
    overload(market, chance, 2)
    waiting, stream = market.workplace.waiting("quotes"), market.stream
    assert waiting.tally().waits == sum(wait.waits for wait in stream.waiting.values()) > 0
    assert waiting.since() == min(wait.first_at or 0 for wait in stream.waiting.values() if wait.waits)
    assert waiting.tally().superseded == stream.superseded > 0
    assert market.all_equal()
    assert market.rows("all_of_it") != market.rows("totals")
    (status,) = table_statuses(market.catalog, market.warehouse, market.clock.now())
    assert (status.keys, status.waiting, status.choosing) == (
        len(stream.current),
        waiting.tally().waits,
        True,
    )
    assert "2 updates per second" in status.why
    bands = status.staleness.distribution
    assert (bands[0].up_to_s, bands[0].keys) == (0.0, status.keys - status.waiting)
    assert sum(band.keys for band in bands) == status.keys
    assert bands[-1].up_to_s / 2 < status.staleness.worst[0].staleness_s <= bands[-1].up_to_s
    assert status.staleness.worst[0].staleness_s == (market.clock.now() - (waiting.since() or 0)) / 1e6
    while not waiting.idle():
        market.push()
    assert market.shown() == stream.source
    assert market.rows("all_of_it") == market.rows("totals")
    assert market.all_equal()
    events = read_rows(market.warehouse.system("overload"), OVERLOAD).column("event").to_pylist()
    assert (events[0], events[-1]) == ("entered", "left")
    assert set(events[1:-1]) <= {"chose"}


@pytest.mark.long
@pytest.mark.parametrize("policy", [Updates.FIFO, Updates.LINECUT])
def test_another_policy_chooses_as_in_plain_python(
    spark: SparkSession, tmp_path: Path, policy: Updates
) -> None:
    chance = random.Random(8)
    market = begun(spark, tmp_path, policy, chance)
    overload(market, chance, 2)


def test_killed_between_the_two_commits_of_a_choice(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(9)
    market = begun(spark, tmp_path, Updates.INPLACE, chance)
    overload(market, chance, 1)
    market.feed(chance, 12, 15)
    with monkeypatch.context() as killed:
        killed.setattr(WaitingTable, "replace", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            market.push()
    market.stream.push(market.clock.now(), 4)
    assert market.shown() == market.stream.shown  # it was committed
    assert not market.workplace.waiting("quotes").current()
    overload(market, chance, 1)
    assert market.workplace.waiting("quotes").tally().superseded == market.stream.superseded
    assert market.all_equal()


@pytest.mark.long
def test_keys_that_are_read_are_shown_first_as_in_plain_python(spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(11)
    market = begun(spark, tmp_path, Updates.BEST, chance)
    tables = market.catalog.project.tables
    learning = {**tables, "quotes": replace(tables["quotes"], weight=ReadWeight(("symbol",)))}
    market.workplace.catalog = replace(
        market.catalog, project=replace(market.catalog.project, tables=learning)
    )
    market.stream.worth = {}
    overload(market, chance, 1)  # nobody has read anything
    note_reads(market.warehouse, "quotes", {("3",): 20.0, ("5",): 4.0, ("none",): 1.0}, market.clock.now())
    counts = Reads(0, {("3",): 20.0, ("5",): 4.0, ("none",): 1.0})
    market.stream.worth = {(int(key),): worth for (key,), worth in weights(counts).items() if key != "none"}
    overload(market, chance, 2)
    assert market.all_equal()
