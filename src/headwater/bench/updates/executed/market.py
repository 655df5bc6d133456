"""A market on Spark in virtual time: quotes arrive at the instants of a trace, views are pushed every few
seconds.

Real Delta tables, real Spark, the engine's own pushes; only the clock is turned by hand, so that hours of
a trace take as long as their pushes, and a busy machine changes nothing but the seconds.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.algebra.stages.choosing import shown
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.session import session
from headwater.model import Column, Overload, Project, SqlText, Table, Updates, View
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["VIEWS", "Market"]

SECOND = 1_000_000
GROUPS = 11
VIEWS = {
    "newest": "SELECT symbol, price FROM quotes",
    "spread": "SELECT symbol % 9 AS sector, max(price) - min(price) AS d FROM quotes GROUP BY symbol % 9",
    "named": "SELECT q.symbol, q.price, s.sector FROM quotes q JOIN sectors s ON q.symbol = s.symbol",
}


@dataclass(slots=True)
class Market:
    """Keys are numbers; the price of an update is its number, so that no two rows are equal."""

    folder: Path
    keys: int
    policy: Updates
    per_second: float | None  # keys that may be shown; None: as the promise allows
    freshness: timedelta = timedelta(seconds=15)
    kept: Collection[str] = tuple(VIEWS)
    clock: ManualClock = field(default_factory=ManualClock)
    current: Any = field(init=False)  # the newest price of each key; -1: none yet
    warehouse: Warehouse = field(init=False)
    workplace: Workplace = field(init=False)
    executor: Any = field(init=False)
    _number: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        quotes = (Column("symbol", "bigint"), Column("price", "bigint"))
        tables = {
            "quotes": Table("quotes", quotes, update_key=("symbol",), updates=self.policy),
            "sectors": Table(
                "sectors", (Column("symbol", "bigint"), Column("sector", "bigint")), ("symbol",)
            ),
        }
        views = {
            name: View(name, SqlText(text), self.freshness)
            for name, text in VIEWS.items()
            if name in self.kept
        }
        place, overload = str(self.folder), Overload(self.per_second)
        project = Project("market", place, place, tables, views, {}, {}, overload=overload)
        spark = session("bench updates", "local[*]", {}, str(self.folder / "spark.log"))
        self.warehouse, catalog = Warehouse(place), build(project)
        self.workplace = Workplace(spark, self.warehouse, catalog)
        self.executor = spark_executor(self.workplace, self.clock, Records(self.clock))
        for name, table in tables.items():
            self.warehouse.source(name).create(arrow_schema(table.columns))
        self.current = np.full(self.keys, -1, np.int64)
        symbols = np.arange(self.keys)
        self._append("sectors", {"symbol": symbols, "sector": symbols % GROUPS}, np.ones(self.keys, np.int64))

    def _append(self, table: str, columns: dict[str, Any], weights: Any) -> None:
        rows = pa.table(
            {name: pa.array(values) for name, values in columns.items()} | {WEIGHT: pa.array(weights)}
        )
        self.warehouse.source(table).append(rows, self.clock.now())

    def update(self, keys: Any) -> None:
        """Updates that arrive now; of a key that is updated twice only the last counts."""
        if not len(keys):
            return
        numbers = np.arange(self._number, self._number + len(keys))
        self._number += len(keys)
        distinct, last = np.unique(keys[::-1], return_index=True)
        prices, old = numbers[::-1][last], self.current[distinct]
        known = old >= 0
        symbols = np.concatenate([distinct[known], distinct])
        weights = np.concatenate([np.full(known.sum(), -1), np.ones(len(distinct))]).astype(np.int64)
        self._append("quotes", {"symbol": symbols, "price": np.concatenate([old[known], prices])}, weights)
        self.current[distinct] = prices

    def advance(self, seconds: float) -> None:
        self.clock.advance(timedelta(seconds=seconds))

    def push(self, until: int | None = None) -> float:
        """Push all views as far as is captured, or until a time; returns the seconds that took."""
        self.executor.watermarks = dict.fromkeys(("quotes", "sectors"), self.clock.now())
        start = time.perf_counter()
        self.executor.push_now(until=until)
        return time.perf_counter() - start

    def shown_now(self) -> Any:
        """The keys whose rows the last push changed in what is shown."""
        timeline = self.workplace.timeline(shown("quotes"))
        part = timeline.delta(self.clock.now() - 1, self.clock.now())
        return np.unique(timeline.read(part, ["symbol"]).column("symbol").to_numpy())

    def close(self) -> None:
        self.executor.close()
