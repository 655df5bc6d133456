"""Keep many window views of one stream, woven and in four other ways, and count what that costs.

    woven       as the planner weaves them
    separate    each view by itself: every row goes into every window that it lies in
    recompute   Spark's own GROUP BY window() over all rows, written as Parquet, once a push
    streaming   Spark Structured Streaming, a query a view
    DuckDB      the same fragments and windows by hand in one process: about what is possible

All of it runs on the same input in one process tree, so that CPU-seconds can be compared; the first batches
warm everything up and are not counted.  What would take too long is run with a sample of the
views, and its cost is scaled up; the outcome says so.  After every counted push the answers are compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headwater.bench.cpu import Cost
from headwater.bench.weave.execution.answers import Check, by_definition, windows_of, wrong
from headwater.bench.weave.execution.duckdb_limit import DuckLimit
from headwater.bench.weave.execution.outcome import (
    DUCKDB,
    RECOMPUTE,
    SEPARATE,
    STREAMING,
    WOVEN,
    Contender,
    Measured,
    extrapolated,
)
from headwater.bench.weave.execution.quotes import Stream
from headwater.bench.weave.execution.recompute import Recompute
from headwater.bench.weave.execution.streaming import Streaming
from headwater.bench.weave.execution.views import sample, window_views
from headwater.bench.weave.execution.world import World
from headwater.engine.push.record import PushRecord
from headwater.model import Weaving
from headwater.planning.windows import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Bench"]

Tell = Callable[[str], None]


class Bench:
    """One number of views, all contenders."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str,
        stream: Stream,
        views: int,
        optimizer: str = "best",
        sampled: int = 25,
        tell: Tell = print,
        sites: int = 1,
        warm: int = 2,
    ) -> None:
        self.spark, self.folder, self.stream, self.tell = spark, folder, stream, tell
        self.optimizer, self.sites = optimizer, sites
        self.warm = warm  # batches that are pushed before anything is counted
        self.queries = window_views(views)
        self.sampled = sample(self.queries, sampled)
        self.checks: list[Check] = []
        self.recomputed: list[Cost] = []

    def measure(self, compare: bool = True) -> Measured:
        """`compare`: also separately, by Spark's own recompute and by Structured Streaming."""
        path = os.path.join(self.folder, "woven")
        weaving = Weaving(self.optimizer, always=True)
        woven = World(self.spark, path, self.queries, self.stream, weaving, self.sites)
        costs, records = self._woven(woven, compare)
        contenders = [self._contender(WOVEN, self.queries, costs[self.warm :])]
        if compare:
            contenders += [
                self._separately(),
                self._contender(RECOMPUTE, self.sampled, self.recomputed),
                self._contender(STREAMING, self.sampled, self._streaming(), "rows that come only"),
            ]
        contenders.append(self._contender(DUCKDB, self.queries, self._by_hand(woven)))
        overlaps = {query.id: query.overlap for query in self.queries}
        trees = len(woven.trees)
        woven.close()
        return Measured(
            self.stream.name, len(self.queries), self.sites, self.optimizer, len(self.stream.batches[-1]),
            trees, len(self.stream.batches) - self.warm, costs[0].cpu_seconds,
            sum(record.changed_rows * overlaps.get(record.stage, 0) for record in records),
            tuple(contenders), tuple(self.checks),
        )  # fmt: skip

    def _woven(self, world: World, compare: bool) -> tuple[list[Cost], list[PushRecord]]:
        costs: list[Cost] = []
        records: list[PushRecord] = []
        own = Recompute(self.spark, os.path.join(self.folder, "recomputed"))
        for number in range(len(self.stream.batches)):
            cost, pushed = world.push(number)
            costs.append(cost)
            self._say(WOVEN, self.queries, number, cost)
            if number >= self.warm:
                records += pushed
                self._check(world, number)
            if compare and number >= self.warm - 1:
                self._check_with_spark(world, own, number)
        return costs, records

    def _check(self, world: World, number: int) -> None:
        """Every view, by the definition of windows."""
        expected = by_definition(self.stream.after(number + 1), self.queries)
        answers = {view: windows_of(world.rows(view)) for view in expected}
        self.checks.append(Check(number + 1, "the definition", len(expected), wrong(answers, expected)))

    def _check_with_spark(self, world: World, own: Recompute, number: int) -> None:
        """A sample of the views, by Spark's own recompute, which is measured; warmed up like the others."""
        cost, recomputed = own.compute(self.stream.after(number + 1), self.sampled)
        self._say(RECOMPUTE, self.sampled, number, cost)
        if number < self.warm:
            return
        self.recomputed.append(cost)
        expected = {view: windows_of(rows) for view, rows in recomputed.items()}
        answers = {view: windows_of(world.rows(view)) for view in expected}
        self.checks.append(Check(number + 1, "Spark's own", len(expected), wrong(answers, expected)))

    def _separately(self) -> Contender:
        """Part of a push costs the same for few views as for many: a smaller sample tells which."""
        ran = self._contender(SEPARATE, self.sampled, self._separate(self.sampled))
        fewer = sample(self.sampled, len(self.sampled) // 5)
        if len(self.sampled) == len(self.queries) or not fewer:
            return ran
        beside = self._contender(SEPARATE, fewer, self._separate(fewer))
        return extrapolated(ran, beside, len(self.queries))

    def _separate(self, queries: Sequence[Query]) -> list[Cost]:
        path = os.path.join(self.folder, "separate")
        world = World(self.spark, path, queries, self.stream, Weaving("off"), self.sites)
        costs = []
        for number in range(len(self.stream.batches)):
            cost, _ = world.push(number)
            self._say(SEPARATE, queries, number, cost)
            costs.append(cost)
        world.close()
        return costs[self.warm :]

    def _streaming(self) -> list[Cost]:
        streaming = Streaming(self.spark, os.path.join(self.folder, "streaming"), self.sampled)
        costs = []
        for number, batch in enumerate(self.stream.batches):
            costs.append(streaming.push(number, batch))
            self._say(STREAMING, self.sampled, number, costs[-1])
        streaming.close()
        return costs[self.warm :]

    def _by_hand(self, woven: World) -> list[Cost]:
        trees = [woven.catalog.shared[tree] for tree in woven.trees]
        limit = DuckLimit(self.queries, trees, woven.catalog.kept)
        costs = [limit.push(batch) for batch in self.stream.batches]
        expected = {query.id: windows_of(woven.rows(query.id)) for query in self.queries}
        unlike = wrong({view: limit.answer(view) for view in expected}, expected)
        self.checks.append(Check(len(costs), "DuckDB by hand", len(expected), unlike))
        return costs[self.warm :]

    def _contender(
        self, name: str, queries: Sequence[Query], costs: Sequence[Cost], note: str = ""
    ) -> Contender:
        scale = len(self.queries) / len(queries)
        cpu = sum(cost.cpu_seconds for cost in costs) / len(costs)
        seconds = sum(cost.seconds for cost in costs) / len(costs)
        return Contender(name, len(queries), scale, cpu * scale, seconds * scale, note)

    def _say(self, name: str, queries: Sequence[Query], number: int, cost: Cost) -> None:
        self.tell(
            f"{len(queries)} views {name}, push {number + 1}:"
            f" {cost.cpu_seconds:.1f} CPU s, {cost.seconds:.1f} s"
        )
