"""Whoever is killed between whichever two writes of a choice: nothing waiting is lost, nothing shown that was not current."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.algebra.stages.choosing import shown
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.decide import Job
from headwater.engine.push.record import Records
from headwater.engine.upkeep.compaction import compact
from headwater.model import Column, Overload, Project, SqlText, Table, Updates, View
from headwater.storage.choosing.waiting_table import Tally, WaitingTable
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support import choosing_without_spark
from support.cases import scaled
from support.choosing_without_spark import rows_of, waits_of
from support.crashes.file_system import FileSystem
from support.crashes.patches import patched
from support.crashes.pushes import crashes_of_a_push
from support.crashes.scratch import scratch_folder
from support.overload.ticks import Ticks
from support.overload.update_stream import UpdateStream, random_updates
from support.without_spark import run_without_spark, workplace

SEEDS = 1
PUSHES = 2
KEYS = 25  # many more than a push may show
POLICIES = [policy for policy in Updates if policy is not Updates.APPEND]


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with scratch_folder(tmp_path) as folder:
        yield folder


@dataclass
class Market:
    """Quotes that are fed faster than they may be shown, and two views over them."""

    folder: Path
    seed: int
    clock: ManualClock = field(default_factory=ManualClock)
    chance: random.Random = field(init=False)
    stream: UpdateStream = field(init=False)
    catalog: Catalog = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.stream = UpdateStream(self.chance.choice(POLICIES))
        columns = (Column("symbol", "bigint"), Column("price", "bigint"))
        quotes = Table("quotes", columns, update_key=("symbol",), updates=self.stream.policy)
        sql = {
            "newest": "SELECT symbol, price FROM quotes",
            "totals": "SELECT price, count(*) AS n FROM quotes GROUP BY price",
        }
        views = {name: View(name, SqlText(text), timedelta(seconds=9)) for name, text in sql.items()}
        project = Project(
            "market",
            str(self.folder),
            str(self.folder),
            {"quotes": quotes},
            views,
            {},
            {},
            overload=Overload(2.0),
        )
        self.catalog = build(project)
        self.warehouse().source("quotes").create(arrow_schema(columns))
        for key in range(KEYS):
            self.update(key)
        self.push()

    def warehouse(self) -> Warehouse:
        """As a process finds it that starts now."""
        return Warehouse(str(self.folder))

    def update(self, key: int) -> None:
        self.clock.advance(timedelta(milliseconds=10))
        self._append(
            [(change.row, change.weight) for change in self.stream.update((key,), 0, self.clock.now())]
        )

    def feed(self) -> None:
        start = self.clock.now()
        before = len(self.stream.arrivals)
        random_updates(self.chance, self.stream, KEYS, KEYS, start, start + 1_000_000)
        arrivals = self.stream.arrivals[before:]
        self.clock.advance(timedelta(seconds=1))
        for at in sorted({arrival.at for arrival in arrivals}):
            self._append([(change.row, change.weight) for change in arrivals if change.at == at], at)

    def _append(self, changes: list[tuple[tuple[object, ...], int]], at: int | None = None) -> None:
        if changes:
            columns = {
                name: [row[index] for row, _ in changes] for index, name in enumerate(("symbol", "price"))
            }
            weights = [weight for _, weight in changes]
            rows = pa.table({**columns, "_weight": weights})
            self.warehouse().source("quotes").append(rows, at or self.clock.now())

    def push(self, everything: bool = False) -> None:
        """By a process that starts now."""
        self.clock.advance(timedelta(seconds=1))
        executor = spark_executor(workplace(self.warehouse(), self.catalog), self.clock, Records(self.clock))
        executor.watermarks = {"quotes": self.clock.now()}
        try:
            executor.push_now(everything=everything)
        finally:
            executor.close()

    def remembered(self) -> Callable[[], None]:
        """Nothing is fed after a kill."""
        return lambda: None

    def check(self) -> None:
        """As of the time of each: views over what is shown; what is shown over the source."""
        warehouse = self.warehouse()
        place = workplace(warehouse, self.catalog)
        timeline, table = place.timeline(shown("quotes")), self.catalog.project.tables["quotes"]
        rows = rows_of(timeline)
        newest, totals = (rows_of(place.timeline(view)) for view in ("newest", "totals"))
        if place.timeline("newest").time() == timeline.time():
            assert newest == rows
        if place.timeline("totals").time() == timeline.time():
            assert {row[:2] for row in totals} == set(Counter(price for _, price in rows.elements()).items())
        waiting = place.waiting("quotes")
        if waiting.timeline.exists() and waiting.current():
            for key, wait in waits_of(waiting, table).items():
                if wait.waits:
                    assert wait.first_at is not None
                    held = next((row for row in rows if row[:1] == key), None)
                    assert self.stream.row_before(key, wait.first_at) == held, "what is shown was current"
        for row in rows:
            assert any(row == then for _, then in self.stream.history[row[:1]])


def crash_everywhere(folder: Path, seed: int) -> int:
    """Every crash point of pushes at what is shown and what waits; after each, everything is shown."""
    points = 0
    with patched(FileSystem(str(folder))) as files:
        market = Market(folder, seed)
        for _ in range(PUSHES):
            market.feed()
            points += crashes_of_a_push(files, market, "quotes$", partial(go_on, market))
            market.push()
            market.check()
            assert workplace(market.warehouse(), market.catalog).waiting("quotes").tally().waits
    return points


def go_on(market: Market, number: int) -> None:
    """After a kill: a new run shows some, and another everything."""
    market.check()
    if number % 5 == 0:
        source = market.warehouse().source("quotes")
        compact(source, source.time(), many=2)  # what was interrupted cannot be computed again
    if number % 2:
        market.push()
        market.check()
    market.push(everything=True)
    market.check()
    place = workplace(market.warehouse(), market.catalog)
    assert rows_of(place.timeline(shown("quotes"))) == market.stream.source


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(SEEDS)))
def test_every_crash_point_of_choices(seed: int, folder: Path) -> None:
    assert crash_everywhere(folder, seed) > 3 * PUSHES


def go_on_with_windows(ticks: Ticks, number: int) -> None:
    """After a kill: a new run shows some windows, and another everything."""
    if number % 2:
        ticks.push()
        ticks.check()
    ticks.push(everything=True)
    ticks.check()
    assert ticks.shown() == rows_of(ticks.warehouse.source("ticks"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(2)))
def test_every_crash_point_of_choices_among_windows(seed: int, folder: Path) -> None:
    points = 0
    with patched(FileSystem(str(folder))) as files:
        ticks = Ticks(folder, seed)
        for _ in range(PUSHES):
            ticks.feed()
            points += crashes_of_a_push(files, ticks, "ticks$", partial(go_on_with_windows, ticks))
            ticks.push()
            ticks.check()
    assert points > 3 * PUSHES


def never_out_of_date(patch: pytest.MonkeyPatch) -> None:
    """A choice that was interrupted is not recognised."""
    patch.setattr(WaitingTable, "current", lambda self: True)


def without_the_time_of_the_choice(patch: pytest.MonkeyPatch) -> None:
    """What is shown does not say that it was chosen."""

    def commit(_: Any, waiting: WaitingTable, job: Job, files: Any, rest: Any, tally: Tally) -> None:
        waiting.shown.commit(job.until, files, after=job.after)
        waiting.replace(waiting.shown.columns(), job.until, rest, tally)

    patch.setattr(choosing_without_spark, "commit_choice", commit)


@pytest.mark.long
@pytest.mark.parametrize("mutation", [never_out_of_date, without_the_time_of_the_choice])
def test_the_law_finds_what_protects_it(
    mutation: Callable[[pytest.MonkeyPatch], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    with pytest.raises((AssertionError, KeyError)):
        all(crash_everywhere(folder / str(seed), seed) for seed in range(3))
