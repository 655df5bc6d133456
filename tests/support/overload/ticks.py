"""Ticks whose whole windows are shown: a project that is fed and pushed, with Spark or without, and its law."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from headwater.algebra.stages.choosing import shown
from headwater.capture.intake.append import append
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.model import Overload, Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.choosing.left_behind import remove_left_behind
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.choosing_without_spark import rows_of, waits_of
from support.without_spark import workplace

__all__ = ["Ticks"]

Place = Callable[[Warehouse, Catalog], Workplace]

POLICIES = ("best", "inplace", "fifo", "linecut")
SYMBOLS = ("a", "b", "c", None)
DDL = """CREATE TABLE ticks (symbol STRING, price BIGINT, at TIMESTAMP TEMPORAL, UPDATE KEY (symbol))
  ON OVERLOAD UPDATES {policy} WINDOWS {semantics};
CREATE MATERIALIZED VIEW bars FRESHNESS = INTERVAL '9' SECOND AS SELECT symbol, window(at, '{length} seconds').start AS
  start, count(*) AS n, max(price) AS top FROM ticks GROUP BY symbol, window(at, '{length} seconds');
CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '9' SECOND AS SELECT symbol, price FROM ticks WHERE price > 5;
"""

Window = tuple[Any, Any]  # a symbol, and when its window begins
Rows = Mapping[tuple[Any, ...], int]


@cache
def catalog_of(folder: str, policy: str, semantics: str, length: int, per_second: float) -> Catalog:
    declared = resolve(parse_statements(DDL.format(policy=policy, semantics=semantics, length=length)))
    tables, views = ({one.name: one for one in many} for many in (declared.tables, declared.views))
    return build(Project("m", folder, folder, tables, views, {}, {}, overload=Overload(per_second)))


class Ticks:
    """Ticks of some symbols, most in order of time; some replace one of the same time, or delete it."""

    def __init__(
        self, folder: Path, seed: int, policies: Sequence[str] = POLICIES, place: Place = workplace
    ) -> None:
        self.chance, self.folder, self.clock = random.Random(seed), folder, ManualClock()
        self.place_of = place
        self.semantics = self.chance.choice(("LAZY", "EAGER"))
        self.policy = self.chance.choice(policies)
        self.length, self.per_second, self.at = 10, self.chance.choice((0.5, 1.0, 2.0)), 0
        self.history: list[tuple[int, Counter[tuple[Any, ...]]]] = []  # of the source, after each commit
        self.feed()
        self.push(everything=True)

    @property
    def catalog(self) -> Catalog:
        return catalog_of(str(self.folder), self.policy, self.semantics, self.length, self.per_second)

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(str(self.folder))

    @property
    def place(self) -> Workplace:
        return self.place_of(self.warehouse, self.catalog)

    def feed(self) -> None:
        chance, table = self.chance, self.catalog.project.tables["ticks"]
        for _ in range(6):
            self.clock.advance(timedelta(milliseconds=100))
            records: list[dict[str, object]] = []
            for _ in range(chance.randint(1, 4)):
                self.at += chance.randint(0, 4)
                late = chance.randint(1, 30) if chance.random() < 0.15 else 0
                at = None if chance.random() < 0.03 else instant(max(self.at - late, 0)).isoformat()
                row = {"symbol": chance.choice(SYMBOLS), "price": chance.randrange(9), "at": at}
                records.append({"op": "delete" if chance.random() < 0.1 else "insert", "row": row})
            later = len(self.history) > 6  # what is stored first says of which type columns are
            records += self._too_old() if later and chance.random() < 0.2 else []
            append(self.warehouse, table, records, self.clock)
            self.history.append((self.clock.now(), rows_of(self.warehouse.source("ticks"))))

    def _too_old(self) -> list[dict[str, object]]:
        """All rows of some window go, as when the table does not retain them any longer."""
        source = self.warehouse.source("ticks")
        windows = self.by_window(rows_of(source)) if source.exists() else {}
        gone = self.chance.choice(sorted(windows, key=str)) if windows else None
        keys = list(windows[gone]) if gone is not None else []
        return [
            {"op": "delete", "row": {"symbol": symbol, "at": at and at.isoformat()}} for symbol, _, at in keys
        ]

    def push(self, everything: bool = False) -> None:
        self.clock.advance(timedelta(seconds=2))
        remove_left_behind(self.catalog, self.warehouse)  # as a run does that takes up other views
        executor = spark_executor(self.place, self.clock, Records(self.clock))
        executor.watermarks = {"ticks": self.clock.now()}
        try:
            executor.push_now(everything=everything)
        finally:
            executor.close()

    def remembered(self) -> Callable[[], None]:
        """Nothing is fed after a kill."""
        return lambda: None

    def shown(self) -> Counter[tuple[Any, ...]]:
        return rows_of(self.place.timeline(shown("ticks")))

    def source_before(self, at: int) -> Rows:
        return next((rows for time, rows in reversed(self.history) if time < at), {})

    def waits(self) -> dict[Any, Any]:
        waiting = self.place.waiting("ticks")
        if not waiting.timeline.exists() or waiting.idle():
            return {}
        return waits_of(waiting, self.catalog.project.tables["ticks"])

    def by_window(self, rows: Rows) -> dict[Window, Counter[tuple[Any, ...]]]:
        windows: defaultdict[Window, Counter[tuple[Any, ...]]] = defaultdict(Counter)
        for row, count in rows.items():
            windows[row[0], self.start(row[2])][row] += count
        return windows

    def start(self, at: datetime | None) -> datetime | None:
        return None if at is None else at - (at - instant(0)) % timedelta(seconds=self.length)

    def check(self) -> None:
        held, waits = self.shown(), self.waits()
        missing: Counter[tuple[Any, ...]] = Counter(held)
        for wait in waits.values():
            missing.update(wait.change)
        source = rows_of(self.warehouse.source("ticks"))
        assert {row: count for row, count in missing.items() if count} == source, "source = shown + waiting"
        self._check_windows(held, source, waits)
        self._check_views(held)

    def _check_windows(self, held: Rows, source: Rows, waits: Mapping[Any, Any]) -> None:
        """Of each window is shown what there was when the first row came that is not."""
        windows, now = self.by_window(held), self.by_window(source)
        for window in windows.keys() | now.keys():
            wait = waits.get(window)
            if wait is None or not wait.waits:
                assert windows[window] == now[window]
            else:
                then = self.by_window(self.source_before(wait.first_at))
                assert windows[window] == then.get(window, Counter()), "no window has holes"

    def _check_views(self, held: Rows) -> None:
        place = self.place
        bars = {
            (*window, sum(rows.values()), max(row[1] for row in rows))
            for window, rows in self.by_window(held).items()
            if window[1] is not None
        }
        timeline = place.timeline("bars")
        kept: Counter[tuple[Any, ...]] = Counter()
        for row in timeline.read(timeline.as_of(timeline.time())).to_pylist():
            kept[row["symbol"], row["start"], row["n"], row["top"]] += row[WEIGHT]
        assert {row for row, count in kept.items() if count and row[2]} == bars
        dear = Counter({row: count for row, count in held.items() if row[1] > 5})
        assert rows_of(place.timeline("dear")) == Counter(row[:2] for row in dear.elements())


def instant(second: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
