"""Keep many window views of one stream, woven and separately, and count what that costs.

    woven       as the planner weaves them
    separate    each view by itself: every row goes into every window that it lies in
    recompute   Spark's own GROUP BY window() over all rows, for every view, written as Parquet, once a push
    DuckDB      the same fragments and windows by hand in one process: about what is possible

All of it runs on the same input in one process tree, so that CPU-seconds can be compared; the first batch
and one more warm Spark up and are not counted.  At the end every view is compared with Spark's own answer.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from headwater.bench.cpu import Cost, measured
from headwater.bench.weave.execution.duckdb_limit import DuckLimit
from headwater.bench.weave.execution.quotes import Stream
from headwater.bench.weave.workloads import Setting, generate
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import PushRecord, Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.upkeep.verify import verify
from headwater.model import Column, Expectation, Project, RefreshPolicy, Site, SqlText, Table, View, Weaving
from headwater.planning.windows import Query
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Measured", "measure"]

Tell = Callable[[str], None]
WARM = 2  # batches that are pushed before anything is counted
COLUMNS = (
    Column("id", "bigint"),
    Column("symbol", "string"),
    Column("price", "decimal(12,4)"),
    Column("quoted_at", "timestamp"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU-seconds of a push of all views, averaged over the pushes that were counted."""

    stream: str
    views: int
    rows: int  # in a push
    trees: int
    woven: float
    separate: float | None
    recompute: float | None
    duckdb: float
    wrong: tuple[str, ...]  # views that did not equal Spark's own answer
    checked: int
    merges: int  # changes of fragments that views read, each as often as it lies in windows
    pushes: int


def window_views(count: int, seed: int = 0) -> tuple[Query, ...]:
    """Slides up to 25 s, overlap up to 100, Zipf 1: the paper's second experiment."""
    return generate(Setting(count, 1, 100.0, 25, 1, 100, False), seed).queries


def select(query: Query) -> str:
    window = f"window(quoted_at, '{query.range} seconds', '{query.slide} seconds')"
    return (
        f"SELECT symbol, {window} AS w, count(*) AS n, sum(price) AS total, max(price) AS high"
        f" FROM quotes GROUP BY symbol, {window}"
    )


@dataclass
class World:
    """A project of window views in a folder of its own, kept without captures or threads."""

    spark: SparkSession
    folder: str
    queries: Sequence[Query]
    stream: Stream
    weaving: Weaving
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        expect = Expectation(self.stream.rows, self.stream.rate, (("symbol", self.stream.symbols),))
        table = Table("quotes", COLUMNS, expect=expect)
        views = {
            query.id: View(query.id, SqlText(select(query)), timedelta(seconds=60), RefreshPolicy.INCREMENTAL)
            for query in self.queries
        }
        sites = {"default": Site(storage=self.folder)}
        project = Project(
            "weave", self.folder, self.folder, {"quotes": table}, views, {}, sites, weaving=self.weaving
        )
        self.warehouse = Warehouse(self.folder)
        self.warehouse.source("quotes").create(arrow_schema(COLUMNS))
        self.catalog = shared_catalog(build(project), self.warehouse)
        self.workplace = Workplace(self.spark, self.warehouse, self.catalog)
        self.records = Records(self.clock)
        self.executor = spark_executor(self.workplace, self.clock, self.records)

    def push(self, number: int) -> tuple[Cost, list[PushRecord]]:
        """Append a batch and push all views."""
        self.clock.advance(timedelta(seconds=10))
        self.warehouse.source("quotes").append(self.stream.batches[number], self.clock.now())
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = {"quotes": self.clock.now()}
        with measured() as cost:
            self.executor.push_now()
        return cost, self.records.drain()

    def recompute(self) -> Cost:
        """Spark's own answers over all rows that are there, each written as Parquet."""
        target = os.path.join(self.folder, "recomputed")
        files = [file.path for file in self.warehouse.source("quotes").snapshot().files]
        rows = self.spark.read.parquet(*files)
        gone = rows.where("_weight < 0").select("id")
        rows.where("_weight > 0").join(gone, "id", "left_anti").createOrReplaceTempView("quotes")
        with measured() as cost:
            for query in self.queries:
                self.spark.sql(select(query)).write.mode("overwrite").parquet(target)
        shutil.rmtree(target)
        return cost

    def wrong(self) -> tuple[str, ...]:
        """The views that do not equal Spark's own answer."""
        return tuple(
            view for view, kept in self.catalog.kept.items() if not verify(self.workplace, kept).equal
        )


def measure(
    spark: SparkSession,
    folder: str,
    stream: Stream,
    views: int,
    optimizer: str = "best",
    compare: bool = True,
    tell: Tell = print,
) -> Measured:
    """Push a stream through many views; `compare`: also separately and by Spark's own recompute."""
    queries = window_views(views)
    woven = World(spark, os.path.join(folder, "woven"), queries, stream, Weaving(optimizer, always=True))
    costs, records = _pushed(woven, tell, f"{views} views woven")
    trees = sorted(woven.catalog.shared)
    separate = recompute = None
    if compare:
        apart = World(spark, os.path.join(folder, "separate"), queries, stream, Weaving("off"))
        separate = _mean(_pushed(apart, tell, f"{views} views apart")[0])
        recompute = apart.recompute().cpu_seconds
        tell(f"{views} views recomputed by Spark: {recompute:.1f} CPU s")
        shutil.rmtree(apart.folder)
    wrong = woven.wrong()
    limit = DuckLimit(queries, [woven.catalog.shared[tree] for tree in trees], woven.catalog.kept)
    by_hand = [limit.push(batch) for batch in stream.batches][WARM:]
    overlaps = {query.id: query.overlap for query in queries}
    merges = sum(record.changed_rows * overlaps.get(record.stage, 0) for record in records)
    shutil.rmtree(woven.folder)
    return Measured(
        stream.name, views, len(stream.batches[-1]), len(trees), _mean(costs), separate, recompute,
        sum(by_hand) / max(1, len(by_hand)), wrong, views, merges, len(costs),
    )  # fmt: skip


def _pushed(world: World, tell: Tell, what: str) -> tuple[list[Cost], list[PushRecord]]:
    costs: list[Cost] = []
    records: list[PushRecord] = []
    for number in range(len(world.stream.batches)):
        cost, pushed = world.push(number)
        failed = [record.error for record in pushed if record.error]
        if failed:
            raise RuntimeError(failed[0])
        tell(f"{what}, push {number + 1}: {cost.cpu_seconds:.1f} CPU s, {cost.seconds:.1f} s")
        if number >= WARM:
            costs.append(cost)
            records += pushed
    return costs, records


def _mean(costs: Sequence[Cost]) -> float:
    return sum(cost.cpu_seconds for cost in costs) / max(1, len(costs))
