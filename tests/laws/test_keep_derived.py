"""KEEP DERIVED: a source drops old rows, and views go on as if it had not.

Random interleavings on real Delta tables, without Spark.  The model is told which rows the source has dropped;
for the views they are there for good.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import headwater
from headwater.api import Headwater
from headwater.capture import expiry
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor
from headwater.engine.push import gathering, pusher
from headwater.engine.push.record import Records
from headwater.engine.upkeep import compaction
from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.history import read_up_to
from headwater.errors import InputError
from headwater.model import Weaving
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.timeline import Timeline
from support.cases import scaled
from support.poisoned_run import InlineRunner
from support.without_spark import run_without_spark, shown, workplace

TABLES = """
CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT, at TIMESTAMP TEMPORAL) RETAIN INTERVAL '10' DAY KEEP DERIVED;
CREATE TABLE names (n BIGINT PRIMARY KEY, name BIGINT);
"""
VIEWS = """
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '30' SECOND AS SELECT id, n, at FROM t WHERE n > 3;
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '30' SECOND AS
  SELECT n % 3 AS k, count(*) AS c, sum(id) AS s FROM t GROUP BY n % 3;
CREATE MATERIALIZED VIEW most FRESHNESS = INTERVAL '30' SECOND AS SELECT n, max(id) AS id FROM large GROUP BY n;
CREATE MATERIALIZED VIEW named FRESHNESS = INTERVAL '30' SECOND AS
  SELECT large.id, names.name FROM large JOIN names ON large.n = names.n;
"""
OLD = timedelta(days=10)
TRow = tuple[int, int, datetime]


@dataclass
class World:
    shop: Headwater
    clock: ManualClock
    draw: random.Random
    executor: Executor
    live: dict[int, TRow] = field(default_factory=dict)  # of the source, by key
    ever: Counter[TRow] = field(default_factory=Counter)  # for the views: what was dropped is there
    names: dict[int, int] = field(default_factory=dict)
    dropped: int = 0

    @property
    def source(self) -> Timeline:
        return self.shop.warehouse.source("t")

    def at(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.clock.now())

    # Steps

    def upsert(self) -> None:
        ids = self.draw.sample(range(12), 3)
        rows = [
            (key, self.draw.randrange(8), self.at() - timedelta(days=self.draw.randrange(12))) for key in ids
        ]
        records = [{"op": "upsert", "row": dict(zip(("id", "n", "at"), row, strict=True))} for row in rows]
        assert self.shop.ingest("t", records).rejected == 0
        for row in rows:
            self._delete(row[0])
            self.live[row[0]] = row
            self.ever[row] += 1

    def delete(self) -> None:
        if self.live:
            key = self.draw.choice(sorted(self.live))
            assert self.shop.ingest("t", [{"op": "delete", "row": {"id": key}}]).rejected == 0
            self._delete(key)

    def _delete(self, key: int) -> None:
        if key in self.live:
            self.ever -= Counter([self.live.pop(key)])

    def rename(self) -> None:
        n, name = self.draw.randrange(8), self.draw.randrange(100)
        assert self.shop.ingest("names", [{"op": "upsert", "row": {"n": n, "name": name}}]).rejected == 0
        self.names[n] = name

    def push(self) -> None:
        tables = [name for name in ("t", "names") if self.shop.warehouse.source(name).exists()]
        if len(tables) == 2:
            self.executor.watermarks = dict.fromkeys(tables, self.clock.now())
            self.executor.push_now()

    def expire(self) -> None:
        if not self.source.exists():
            return
        table, most = self.shop.project.tables["t"], self.draw.choice([2, 1000])
        passed = read_up_to(self.shop.catalog, self.shop.warehouse, "t", self.clock.now())
        expiry.expire_batch(self.shop.warehouse, table, self.clock, most, passed)
        there = {row[0] for row, _ in shown(self.source, self.source.time())[1].items()}
        for key in set(self.live) - there:
            assert self.live[key][2] < self.at() - OLD, "a row was dropped that is not too old"
            del self.live[key]
            self.dropped += 1

    def compact(self) -> None:
        Compactor(lambda: self.shop.catalog, self.shop.warehouse).compact()

    # What holds after each of them

    def check(self) -> None:
        if self.source.exists():
            assert shown(self.source, self.source.time())[1] == dict.fromkeys(self.live.values(), 1)

    def check_views(self) -> None:
        large = Counter({row: count for row, count in self.ever.items() if row[1] > 3})
        totals: dict[int, tuple[int, int]] = {}
        for row, count in self.ever.items():
            c, s = totals.get(row[1] % 3, (0, 0))
            totals[row[1] % 3] = (c + count, s + row[0] * count)
        most = {row[1]: max(other[0] for other in large if other[1] == row[1]) for row in large}
        named = Counter[tuple[int, int]]()
        for row, count in large.items():
            if row[1] in self.names:
                named[row[0], self.names[row[1]]] += count
        assert self.view("large") == large
        assert self.view("totals") == {(key, c, s): 1 for key, (c, s) in totals.items() if c}
        assert self.view("most") == dict.fromkeys(most.items(), 1)
        assert self.view("named") == named

    def view(self, name: str) -> dict[object, int]:
        timeline = self.executor.runner.workplace.timeline(name)
        return dict(shown(timeline, timeline.time())[1])


def begin(folder: Path, seed: int) -> World:
    (folder / "headwater.yml").write_text("name: shop\ndurability: fast\n")
    (folder / "all.sql").write_text(TABLES + VIEWS)
    clock = ManualClock()
    shop = headwater.open(str(folder), clock)
    runner = InlineRunner(workplace(shop.warehouse, shop.catalog), Records(clock))
    return World(shop, clock, random.Random(seed), Executor(shop.catalog, runner, clock))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(4)))
def test_views_keep_what_they_made_of_rows_that_are_gone(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    monkeypatch.setattr(gathering, "FEW", 2)
    monkeypatch.setattr(compaction, "MANY_FILES", 3)
    world = begin(tmp_path, seed)
    steps = (
        [world.upsert] * 5
        + [world.push] * 4
        + [world.expire] * 3
        + [world.delete, world.rename, world.compact]
    )
    for _ in range(60):
        world.draw.choice(steps)()
        world.clock.advance(timedelta(minutes=world.draw.randrange(1, 900)))
        world.check()
    world.rename()
    world.push()
    world.check_views()
    assert world.dropped > 3
    assert sum(world.ever.values()) > len(world.live)


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        ("SELECT n, max(id) AS id FROM t GROUP BY n", "computed anew"),
        ("SELECT t.id, names.name FROM t JOIN names ON t.n = names.n", "a join"),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM names WHERE names.n = t.n)", "a join"),
        ("SELECT id, row_number() OVER (PARTITION BY n ORDER BY id) AS r FROM t", "computed anew"),
        ("SELECT id FROM t ORDER BY id LIMIT 3", "computed anew"),
    ],
)
def test_a_view_that_would_need_the_rows_again_is_refused(tmp_path: Path, select: str, reason: str) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    view = f"CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS {select};"
    (tmp_path / "all.sql").write_text(TABLES + view)
    with pytest.raises(InputError, match='cannot keep what it derives from old rows of "t"') as caught:
        headwater.open(str(tmp_path))
    assert caught.value.code == "HW139"
    assert reason in caught.value.detail
    assert "all.sql:4" in str(caught.value.place)


def test_a_table_that_chooses_its_updates_cannot_forget_rows(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    tables = TABLES.replace("TEMPORAL)", "TEMPORAL, UPDATE KEY (id)) ON OVERLOAD UPDATES linecut")
    view = "CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT id FROM t;"
    (tmp_path / "all.sql").write_text(tables + view)
    with pytest.raises(InputError, match="cannot keep what it derives") as caught:
        headwater.open(str(tmp_path))
    assert "some of its updates" in caught.value.detail


TOTALS = "".join(
    f"CREATE MATERIALIZED VIEW v{size} FRESHNESS = INTERVAL '30' SECOND AS SELECT id % 2 AS k,"
    f" window(at, '{size} minutes') AS w, count(*) AS n, sum(n) AS s FROM t"
    f" GROUP BY id % 2, window(at, '{size} minutes');\n"
    for size in (1, 2, 4)
)


@pytest.mark.parametrize("derived", [True, False])
def test_no_plan_rewires_a_view_that_outlives_its_source(tmp_path: Path, derived: bool) -> None:
    """What it would read instead would begin with the rows that are left."""
    tables = TABLES if derived else TABLES.replace(" KEEP DERIVED", "")
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(tables + TOTALS)
    shop = headwater.open(str(tmp_path))
    project = replace(shop.project, weaving=Weaving(always=True))
    planned = shared_catalog(replace(shop.catalog, project=project), shop.warehouse)
    assert bool(planned.shared) is not derived
