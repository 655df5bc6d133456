"""`headwater bench push`: what an incremental push costs against a full recompute of the same view by Spark.

Three questions, each answered in one run on the same machine, so that ratios mean something:

    deltas    5 million facts joined with 1 million dimensions; deltas of 1,000 to 100,000 rows, a third each
              inserted, updated and deleted at random keys: CPU-seconds of a push and of a recompute
    empty     a push with nothing to do: Spark jobs and milliseconds
    growth    orders joined with their items on a key that grows with time; the same delta of 10,000 rows
              while the relations grow from 100 thousand to 10 million rows
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from headwater.bench.cpu import Cost, measured
from headwater.catalog import build
from headwater.clock import SystemClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.session import session
from headwater.model import Column, Project, RefreshPolicy, SqlText, Table, View
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Row", "run"]

FILE_ROWS = 500_000
WARM = 25
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the result: `push` is ours, `other` what it is compared with."""

    experiment: str
    case: str
    push_cpu_s: float
    push_s: float
    other_cpu_s: float | None = None
    other_s: float | None = None
    jobs: int | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.other_cpu_s is None else self.other_cpu_s / max(self.push_cpu_s, 1e-9)


class World:
    """Tables, a view over them or several, and a Spark that keeps them."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str,
        tables: Sequence[Table],
        sql: str | Mapping[str, str],
        policy: RefreshPolicy = RefreshPolicy.INCREMENTAL,
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.texts = {"kept": sql} if isinstance(sql, str) else dict(sql)
        views = {
            name: View(name, SqlText(text), timedelta(minutes=1), policy) for name, text in self.texts.items()
        }
        declared = {table.name: table for table in tables}
        self.project = Project("bench", folder, folder, declared, views, {}, {})
        self.spark = spark
        self.folder = folder
        self.clock = SystemClock()
        self.modes: set[str] = set()  # of the last push
        self.warehouse = Warehouse(folder)
        self.records = Records(self.clock)
        workplace = Workplace(spark, self.warehouse, build(self.project))
        self.executor = spark_executor(workplace, self.clock, self.records)
        for table in tables:
            self.warehouse.source(table.name).create(arrow_schema(table.columns))

    def load(self, table: str, rows: pa.Table) -> None:
        """Commit many rows as insertions, in files of half a million."""
        timeline, time = self.warehouse.source(table), self.clock.now()
        changes = rows.append_column(WEIGHT, pa.repeat(pa.scalar(1, pa.int64()), len(rows)))
        starts = range(0, len(rows), FILE_ROWS)
        timeline.commit(time, [timeline.write(changes.slice(start, FILE_ROWS), time) for start in starts])

    def change(self, table: str, changes: pa.Table) -> None:
        self.warehouse.source(table).append(changes, self.clock.now())

    def push(self) -> tuple[Cost, int]:
        now = self.clock.now()
        self.executor.watermarks = dict.fromkeys(self.project.tables, now)
        with measured() as cost:
            self.executor.push_now()
        records = self.records.drain()
        self.modes = {record.mode for record in records}
        return cost, sum(record.spark_jobs for record in records)

    def recompute(self) -> Cost:
        """Spark's own answer to the SQL over plain rows, written as Parquet: what a full refresh costs."""
        target = os.path.join(self.folder, "recomputed")
        for name in self.project.tables:
            timeline = self.warehouse.source(name)
            files = [file.path for file in timeline.snapshot().files]
            self.spark.read.parquet(*files).drop(WEIGHT).createOrReplaceTempView(name)
        with measured() as cost:
            for sql in self.texts.values():
                self.spark.sql(sql).write.mode("overwrite").parquet(target)
        shutil.rmtree(target)
        return cost


def facts_and_dimensions(spark: SparkSession, folder: str, facts: int, dimensions: int) -> World:
    world = World(
        spark,
        folder,
        [
            Table("facts", (Column("id", "bigint"), Column("k", "bigint"), Column("amount", "bigint"),
                            Column("note", "string")), key=("id",)),
            Table("dims", (Column("k", "bigint"), Column("name", "string"), Column("region", "int")),
                  key=("k",)),
        ],
        "SELECT f.id, f.amount, f.note, d.name, d.region FROM facts f JOIN dims d ON f.k = d.k",
    )  # fmt: skip
    world.load("facts", fact_rows(np.arange(facts), dimensions, np.random.default_rng(1)))
    keys = np.arange(dimensions)
    names = pa.array(np.char.add("name-", keys.astype("U8")))
    world.load("dims", pa.table({"k": keys, "name": names, "region": (keys % 50).astype("int32")}))
    return world


def fact_rows(ids: np.ndarray[Any, Any], dimensions: int, chance: np.random.Generator) -> pa.Table:
    """Facts whose values depend on the id alone, so that deleting a row needs no look-up."""
    keys = (ids * 2654435761) % dimensions
    notes = pa.array(np.char.add("note ", (ids % 100_000).astype("U8")))
    return pa.table({"id": ids, "k": keys, "amount": ids % 1000, "note": notes})


def mixed_changes(
    size: int, facts: int, dimensions: int, chance: np.random.Generator, taken: int
) -> pa.Table:
    """A third inserted, a third updated (two changes each), a third deleted, at random ids."""
    third = size // 3
    chosen = chance.choice(facts // 10, 2 * third, replace=False) * 10 + taken
    inserted = fact_rows(np.arange(third) + facts * (taken + 2), dimensions, chance)
    old = fact_rows(chosen[:third], dimensions, chance)
    new = old.set_column(2, "amount", pa.array(chosen[:third] % 1000 + 5000))
    gone = fact_rows(chosen[third:], dimensions, chance)
    parts = [(inserted, 1), (old, -1), (new, 1), (gone, -1)]
    return pa.concat_tables(
        [part.append_column(WEIGHT, pa.repeat(pa.scalar(w, pa.int64()), len(part))) for part, w in parts]
    )


def orders_and_items(spark: SparkSession, folder: str, rows: int) -> World:
    world = World(
        spark,
        folder,
        [
            Table("orders", (Column("id", "bigint"), Column("customer", "bigint")), key=("id",)),
            Table("items", (Column("order_id", "bigint"), Column("line", "int"), Column("amount", "bigint"))),
        ],
        "SELECT o.id, o.customer, i.line, i.amount FROM orders o JOIN items i ON i.order_id = o.id",
    )
    orders, items = order_rows(0, rows)
    world.load("orders", orders)
    world.load("items", items)
    return world


def order_rows(start: int, rows: int) -> tuple[pa.Table, pa.Table]:
    ids = np.arange(start, start + rows)
    orders = pa.table({"id": ids, "customer": ids * 7919 % 100_000})
    lines = np.zeros(rows, "int32")
    return orders, pa.table({"order_id": ids, "line": lines, "amount": ids % 1000})


def run(
    folder: str,
    facts: int = 5_000_000,
    dimensions: int = 1_000_000,
    deltas: Sequence[int] = (1_000, 10_000, 100_000),
    sizes: Sequence[int] = (100_000, 1_000_000, 10_000_000),
    tell: Tell = lambda text: None,
) -> list[Row]:
    spark = session("bench", config={"spark.driver.memory": "8g"}, log=os.path.join(folder, "spark.log"))
    rows = _deltas(spark, os.path.join(folder, "deltas"), facts, dimensions, deltas, tell)
    return rows + _growth(spark, os.path.join(folder, "growth"), sizes, tell)


def _deltas(
    spark: SparkSession, folder: str, facts: int, dimensions: int, deltas: Sequence[int], tell: Tell
) -> list[Row]:
    tell(f"loading {facts:,} facts and {dimensions:,} dimensions")
    world = facts_and_dimensions(spark, folder, facts, dimensions)
    chance = np.random.default_rng(2)
    tell(f"first computation, then {WARM} pushes and two recomputes, because a service has a warm JVM")
    world.push()
    for _ in range(WARM):
        world.change("facts", mixed_changes(deltas[0], facts, dimensions, chance, 0))
        world.push()
    world.recompute()
    world.recompute()
    rows = []
    for number, size in enumerate(deltas, start=1):
        tell(f"deltas of {size:,} rows")
        pushes, fulls = [], []
        for _ in range(3):
            world.change("facts", mixed_changes(size, facts, dimensions, chance, number))
            pushes.append(world.push())
            fulls.append(world.recompute())
        pushed, jobs = sorted(pushes, key=lambda pushed: pushed[0].cpu_seconds)[1]
        full = sorted(fulls, key=lambda cost: cost.cpu_seconds)[1]
        rows.append(
            Row(
                "deltas",
                f"{size:,} rows",
                pushed.cpu_seconds,
                pushed.seconds,
                full.cpu_seconds,
                full.seconds,
                jobs,
            )
        )
    empties = [world.push() for _ in range(5)]
    least = min(empties, key=lambda pushed: pushed[0].seconds)
    rows.append(
        Row(
            "empty",
            "nothing changed",
            least[0].cpu_seconds,
            least[0].seconds,
            jobs=max(j for _, j in empties),
        )
    )
    shutil.rmtree(folder)
    return rows


def _growth(spark: SparkSession, folder: str, sizes: Sequence[int], tell: Tell) -> list[Row]:
    rows: list[Row] = []
    for size in sizes:
        tell(f"growth: {size:,} rows, then deltas of 10,000")
        world = orders_and_items(spark, folder, size)
        world.push()
        costs = []
        for turn in range(4):
            orders, items = order_rows(size + turn * 5_000, 5_000)
            ones = pa.repeat(pa.scalar(1, pa.int64()), 5_000)
            world.change("orders", orders.append_column(WEIGHT, ones))
            world.change("items", items.append_column(WEIGHT, ones))
            costs.append(world.push())
        # The first of them is still cold; the median of the others counts.
        middle = sorted(costs[1:], key=lambda pushed: pushed[0].cpu_seconds)[1]
        first = rows[0].push_cpu_s if rows else middle[0].cpu_seconds
        rows.append(
            Row("growth", f"{size:,} rows", middle[0].cpu_seconds, middle[0].seconds, first, jobs=middle[1])
        )
        shutil.rmtree(folder)
    return rows
