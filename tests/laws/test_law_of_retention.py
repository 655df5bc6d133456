"""Whatever is compacted, vacuumed, expired and left behind: a view equals its SQL over its source as of its time.

Random interleavings on real Delta tables, without Spark: the view is a filter, pushed by hand.  The vacuum is
the most eager one there can be: every file that the current versions do not have has waited long enough.
"""

from __future__ import annotations

import random
import time as wall
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.compute as pc
import pytest

import headwater
from headwater.api import Headwater
from headwater.capture.expiry import expire_batch
from headwater.clock import ManualClock, micros
from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.history import history_since
from headwater.serve.read_as_of import HistoryGoneError
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.published import publish
from headwater.storage.timeline import COMPACTED
from headwater.storage.vacuum.in_use import InUse, in_use
from headwater.storage.vacuum.vacuum import Vacuum
from headwater.storage.view_rows import read_view
from support.cases import scaled

SQL = """
CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT, at TIMESTAMP TEMPORAL) RETAIN INTERVAL '10' DAY;
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT id, n, at FROM t WHERE n > 3;
"""
HISTORY = timedelta(days=2)
Rows = Counter[tuple[int, int, datetime]]


@dataclass
class World:
    shop: Headwater
    clock: ManualClock
    draw: random.Random
    states: list[tuple[int, Rows]] = field(default_factory=list)  # the source after each commit

    def at(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.clock.now())

    def state(self, instant: int) -> Rows:
        return next((rows for time, rows in reversed(self.states) if time <= instant), Counter())

    # Steps

    def ingest(self) -> None:
        rows = {number: (number, self.draw.randrange(8)) for number in self.draw.sample(range(12), 3)}
        ages = {number: timedelta(days=self.draw.randrange(12)) for number in rows}
        records = [
            {"op": "upsert", "row": {"id": number, "n": n, "at": self.at() - ages[number]}}
            for number, n in rows.values()
        ]
        done = self.shop.ingest("t", records)
        after = Counter({row: 1 for row in self.state(1 << 62) if row[0] not in rows})
        after.update((number, n, self.at() - ages[number]) for number, n in rows.values())
        assert done.time is not None
        self.states.append((done.time, after))

    def expire(self) -> None:
        if not self.states:
            return
        before = self.state(1 << 62)
        expire_batch(
            self.shop.warehouse, self.shop.project.tables["t"], self.clock, self.draw.choice([2, 1000])
        )
        kept = Counter(self.rows("t", 1 << 62))
        old = {row for row in before if row[2] < self.at() - timedelta(days=10)}
        assert set(before) - set(kept) <= old
        assert not kept - before
        self.states.append((self.shop.warehouse.source("t").time(), kept))

    def push(self) -> None:
        source, stage = (
            self.shop.warehouse.source("t"),
            self.shop.warehouse.stage(self.shop.catalog.folder("v")),
        )
        if not source.exists():
            return
        plain = self.shop.warehouse.published("v")
        if not stage.exists():
            stage.create(source.columns())
            plain.create(source.columns(), self.shop.catalog.description("v"))
        after, until = stage.time(), max(self.clock.now(), source.time(), stage.time() + 1)
        delta = source.read(source.delta(after, until)).filter(pc.field("n") > 3)
        stage.append(delta, until, transactions={COMPACTED: until} if after == BEGINNING else None)
        publish(plain, delta, until)

    def orphan(self) -> None:
        source = self.shop.warehouse.source("t")
        if source.exists():
            source.write(source.read(source.as_of(1 << 62)), source.time() + 1)

    def compact(self) -> None:
        def keep_since(*asked: object) -> int | None:
            return history_since(self.shop.catalog, str(asked[1]), self.clock.now())

        Compactor(lambda: self.shop.catalog, self.shop.warehouse, keep_since=keep_since).compact()

    def vacuum(self) -> None:
        @contextmanager
        def using() -> Iterator[InUse]:
            yield in_use(self.shop.warehouse, [self.shop.catalog])

        later = wall.time_ns() // 1000 + micros(timedelta(days=3))
        root = self.shop.warehouse.root
        Vacuum(self.shop.warehouse, (root,), using, timedelta(days=1), later, whole_tables=True).run()

    # What holds after each of them

    def rows(self, relation: str, instant: int) -> Rows:
        timeline = self.shop.warehouse.source("t")
        answer = self.shop.read(relation, as_of=min(instant, max(self.clock.now(), timeline.time())))
        return Counter((row["id"], row["n"], row["at"]) for row in answer.to_pylist())

    def check(self) -> None:
        source, stage = (
            self.shop.warehouse.source("t"),
            self.shop.warehouse.stage(self.shop.catalog.folder("v")),
        )
        if not source.exists():
            return
        for instant in (self.clock.now(), self.clock.now() - self.draw.randrange(micros(HISTORY))):
            assert self.rows("t", instant) == self.state(instant)
        if not stage.exists():
            return
        time, rows = read_view(stage, self.shop.warehouse.published("v"), self.shop.catalog.description("v"))
        seen = Counter((row["id"], row["n"], row["at"]) for row in rows.to_pylist())
        assert seen == self.filtered(time)
        instant = self.clock.now() - self.draw.randrange(micros(timedelta(days=4)))
        try:
            answer = self.shop.read("v", as_of=instant)
        except HistoryGoneError:
            assert instant < stage.horizon()
            return
        past = Counter((row["id"], row["n"], row["at"]) for row in answer.to_pylist())
        assert past == self.filtered(answer.time)

    def filtered(self, time: int) -> Rows:
        return Counter({row: 1 for row in self.state(time) if row[1] > 3})


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_a_view_equals_its_sql_whatever_is_cleaned_up(seed: int, tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\nretention: {history: 2 days}\ndurability: fast\n")
    (tmp_path / "all.sql").write_text(SQL)
    clock = ManualClock()
    draw = random.Random(seed)
    world = World(headwater.open(str(tmp_path), clock), clock, draw)
    steps = [world.ingest] * 6 + [world.push] * 3 + [world.compact, world.vacuum, world.expire, world.orphan]
    for _ in range(50):
        draw.choice(steps)()
        clock.advance(timedelta(minutes=draw.randrange(1, 600)))
        world.check()
