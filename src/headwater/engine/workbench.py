"""Every kind of edge as a timed function of its size, on scratch timelines at two sites (calibration.py)."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from headwater.algebra.expressions import Column, equal
from headwater.algebra.nodes import AggregateCall, JoinKind
from headwater.engine import operators
from headwater.engine.relations import read_slice
from headwater.engine.writing import write
from headwater.storage.copying import copy_delta
from headwater.storage.delta_log import DeltaLog
from headwater.storage.published import publish, publish_files
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.view_rows import visible_rows

__all__ = ["Workbench"]

FILE_ROWS = 500_000
TEXT = 60  # characters, as long as a short message

CHANGES = pa.schema([("id", pa.int64()), ("key", pa.int64()), ("amount", pa.int64()), ("text", pa.string())])
RELATION = pa.schema([("key", pa.int64()), ("name", pa.string())])
STATE = pa.schema([("key", pa.int64()), ("rows", pa.int64()), ("total", pa.int64())])
CALLS = (
    AggregateCall("rows", "count", (), "count(1)"),
    AggregateCall("total", "sum", (Column("amount"),), "sum({0})", type="bigint"),
)


class Workbench:
    """Scratch timelines at two sites, and every kind of edge as a timed function of its size."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.folder, self.clock = folder, 1
        self._chance = np.random.default_rng(5)
        self.spark = spark.newSession()
        self.spark.conf.set("spark.sql.adaptive.enabled", "false")
        self.spark.conf.set("spark.sql.shuffle.partitions", "2")
        self.delta = self._timeline("here/delta", CHANGES)
        self.other = self._timeline("here/other", CHANGES)
        self.copied = self._timeline("here/copied", CHANGES)
        self.replica = self._timeline("there/copied", CHANGES)
        self.target = self._timeline("here/target", CHANGES)
        self.applied = self._timeline("here/applied", CHANGES)
        self.plain = DeltaLog(os.path.join(self.folder, "here/plain"))
        self.plain.create(CHANGES)
        self.relations: dict[int, Timeline] = {}
        self.states: dict[int, Timeline] = {}

    def load(self, rows: int) -> None:
        """A relation and a state of that many rows."""
        keys = self._chance.permutation(rows)
        names = pa.array([f"name {key % 1000}" for key in range(1000)])
        named = pa.table({"key": keys, "name": names.take(pa.array(keys % 1000))})
        counted = pa.table({"key": keys, "rows": keys % 9 + 1, "total": keys * 7})
        for kept, kind, schema, table in (
            (self.relations, "relation", RELATION, named),
            (self.states, "state", STATE, counted),
        ):
            kept[rows] = self._timeline(f"here/{kind}{rows}", schema)
            starts = range(0, rows, FILE_ROWS)
            files = [kept[rows].write(_weighted(table.slice(one, FILE_ROWS)), 1) for one in starts]
            kept[rows].commit(1, files)

    def seconds(self, kind: str, tuples: int, scanned: int) -> float:
        """One measurement."""
        match kind:
            case "apply":
                return self._apply(tuples)
            case "copy":
                return self._copy(tuples)
            case "join":
                return self._join(tuples, scanned)
            case "union":
                merged, moved = self._union(tuples), self._move(tuples)
                return max(0.0, merged - moved)
            case "aggregate":
                return self._aggregate(tuples, scanned)
            case "compute":
                return self._compute(tuples, scanned)
            case _:
                raise ValueError(kind)

    def _apply(self, tuples: int) -> float:
        now = self._tick()
        file = self.applied.write(_weighted(self._rows(tuples, 2**40)), now)
        start = time.perf_counter()
        self.applied.commit(now, [file])
        part = self.applied.delta(self.plain.time(), now)
        if not publish_files(self.plain, part.files, now):
            publish(self.plain, visible_rows(self.applied, part), now)
        return time.perf_counter() - start

    def _copy(self, tuples: int) -> float:
        part = self._changes(self.copied, tuples, 2**40)
        start = time.perf_counter()
        copy_delta(self.copied, self.replica, part.until)
        return time.perf_counter() - start

    def _join(self, tuples: int, scanned: int) -> float:
        part, relation = self._changes(self.delta, tuples, scanned), self.relations[scanned]
        start = time.perf_counter()
        left = F.broadcast(_named(read_slice(self.spark, self.delta, part), "d"))
        right = _named(read_slice(self.spark, relation, relation.as_of(relation.time())), "r")
        self._write(operators.inner_join(left, right, equal(Column("d.key"), Column("r.key"))), True)
        return time.perf_counter() - start

    def _union(self, tuples: int) -> float:
        """The engine writes what comes out of one shuffle, whether or not halves are merged in it."""
        first = self._changes(self.delta, (tuples + 1) // 2, 2**40)
        second = self._changes(self.other, max(1, tuples // 2), 2**40)
        start = time.perf_counter()
        halves = [read_slice(self.spark, self.delta, first), read_slice(self.spark, self.other, second)]
        self._write(operators.consolidate(halves[0].unionByName(halves[1])), False)
        return time.perf_counter() - start

    def _move(self, tuples: int) -> float:
        part = self._changes(self.delta, tuples, 2**40)
        start = time.perf_counter()
        self._write(read_slice(self.spark, self.delta, part), True)
        return time.perf_counter() - start

    def _aggregate(self, tuples: int, scanned: int) -> float:
        part, state = self._changes(self.delta, tuples, scanned), self.states[scanned]
        start = time.perf_counter()
        changes = read_slice(self.spark, self.delta, part)
        added = operators.aggregate_weighted(changes, (("key", Column("key")),), CALLS)
        whole = read_slice(self.spark, state, state.as_of(state.time()))
        old = operators.restrict(whole, (Column("key"),), F.broadcast(changes.select("key")), ("key",))
        both = (
            old.unionByName(added)
            .groupBy("key")
            .agg(
                F.sum("rows").alias("rows"),
                F.sum("total").alias("total"),
                F.lit(1).cast("bigint").alias(WEIGHT),
            )
        )
        self._write(operators.consolidate(both.unionByName(operators.negate(old))), False)
        return time.perf_counter() - start

    def _compute(self, tuples: int, scanned: int) -> float:
        part, relation = self._changes(self.delta, tuples, scanned), self.relations[scanned]
        start = time.perf_counter()
        left = _named(read_slice(self.spark, self.delta, part), "d")
        whole = _named(read_slice(self.spark, relation, relation.as_of(relation.time())), "r")
        keys = F.broadcast(left.select(operators.named("d.key").alias("key")))
        partners = operators.consolidate(operators.restrict(whole, (Column("r.key"),), keys, ("key",)))
        condition = equal(Column("d.key"), Column("r.key"))
        self._write(
            operators.consolidate(operators.outer_join(left, partners, condition, JoinKind.LEFT)), False
        )
        return time.perf_counter() - start

    def _changes(self, timeline: Timeline, tuples: int, keys: int) -> Slice:
        """New changes of a timeline: as many rows, with random keys below `keys`."""
        before, now = timeline.time(), self._tick()
        timeline.append(_weighted(self._rows(tuples, keys)), now)
        return timeline.delta(before, now)

    def _rows(self, tuples: int, keys: int) -> pa.Table:
        ids = np.arange(tuples) + self.clock * 1_000_000
        text = pa.array([f"{number:<{TEXT}}" for number in ids % 100_000])
        chosen = self._chance.integers(0, keys, tuples)
        return pa.table({"id": ids, "key": chosen, "amount": ids % 100, "text": text}).cast(CHANGES)

    def _write(self, frame: DataFrame, spread: bool) -> None:
        write(frame, self.target.path, self._tick(), spread)

    def _tick(self) -> int:
        self.clock += 1
        return self.clock

    def _timeline(self, name: str, columns: pa.Schema) -> Timeline:
        made = Timeline(os.path.join(self.folder, name))
        made.create(columns)
        return made


def _weighted(rows: pa.Table) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows))


def _named(frame: DataFrame, alias: str) -> DataFrame:
    names: list[Any] = [
        operators.named(name).alias(f"{alias}.{name}") for name in frame.columns if name != WEIGHT
    ]
    return frame.select(*names, WEIGHT)
