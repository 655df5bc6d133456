"""Every kind of edge as a timed function of its size, on scratch timelines at two sites (calibration.py)."""

from __future__ import annotations

import os
import time

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from headwater.algebra.expressions.tree import Column, equal
from headwater.algebra.plans.nodes import AggregateCall, JoinKind
from headwater.engine.push.writing import write
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.storage.copying import copy_delta
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.published import publish, publish_files
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.view_rows import visible_rows

__all__ = ["Workbench"]

FILE_ROWS = 500_000
TEXT = 60  # characters, as long as a short message
FEW = 100  # changes of a small delta

CHANGES = pa.schema([("id", pa.int64()), ("key", pa.int64()), ("amount", pa.int64()), ("text", pa.string())])
RELATION = pa.schema([("key", pa.int64()), ("name", pa.string())])
STATE = pa.schema([("key", pa.int64()), ("rows", pa.int64()), ("total", pa.int64())])
CALLS = (
    AggregateCall("rows", "count", (), "count(1)"),
    AggregateCall("total", "sum", (Column("amount"),), "sum({0})", type="bigint"),
)
TOTALS = tuple(
    AggregateCall(name, "sum", (Column(name),), "sum({0})", type="bigint") for name in ("rows", "total")
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
        """Create a relation and a state with that many rows."""
        keys = self._chance.permutation(rows)
        names = pa.array([f"name {key % 1000}" for key in range(1000)])
        named = pa.table({"key": keys, "name": names.take(pa.array(keys % 1000))})
        counted = pa.table({"key": keys, "rows": keys % 9 + 1, "total": keys * 7})
        for timelines, kind, schema, table in (
            (self.relations, "relation", RELATION, named),
            (self.states, "state", STATE, counted),
        ):
            timelines[rows] = self._timeline(f"here/{kind}{rows}", schema)
            starts = range(0, rows, FILE_ROWS)
            files = [timelines[rows].write(_weighted(table.slice(start, FILE_ROWS)), 1) for start in starts]
            timelines[rows].commit(1, files)

    def seconds(self, kind: str, tuples: int, scanned: int) -> float:
        """One measurement, in seconds."""
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
            case "action":
                return self._action(tuples, scanned)
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
        with Inputs(self.spark) as inputs:
            left = _named(inputs.slice(self.delta, part), "d").broadcasted()
            right = _named(inputs.slice(relation, relation.as_of(relation.time())), "r")
            condition = equal(Column("d.key"), Column("r.key"))
            self._write(inputs, operators.inner_join(left, right, condition), True)
        return time.perf_counter() - start

    def _action(self, stages: int, scanned: int) -> float:
        """Joins of small deltas, written apart in one action."""
        parts = [self._changes(self.delta, FEW, scanned) for _ in range(stages)]
        relation = self.relations[scanned]
        start = time.perf_counter()
        with Inputs(self.spark) as inputs:
            joins = [self._join_of(inputs, part, relation, stage) for stage, part in enumerate(parts)]
            frame = inputs.run(union(joins))
            folder = os.path.join(self.target.path, f"together-{self._tick()}")
            frame.coalesce(2).write.partitionBy("stage").parquet(folder)
        return time.perf_counter() - start

    def _join_of(self, inputs: Inputs, part: Slice, relation: Timeline, stage: int) -> Query:
        left = _named(inputs.slice(self.delta, part), "d").broadcasted()
        right = _named(inputs.slice(relation, relation.as_of(relation.time())), "r")
        joined = operators.inner_join(left, right, equal(Column("d.key"), Column("r.key")))
        return joined.select([*((name, quoted(name)) for name in joined.columns), ("stage", str(stage))])

    def _union(self, tuples: int) -> float:
        """The engine writes the result of one shuffle, whether or not halves are merged in it."""
        first = self._changes(self.delta, (tuples + 1) // 2, 2**40)
        second = self._changes(self.other, max(1, tuples // 2), 2**40)
        start = time.perf_counter()
        with Inputs(self.spark) as inputs:
            halves = [inputs.slice(self.delta, first), inputs.slice(self.other, second)]
            self._write(inputs, operators.consolidate(union(halves)), False)
        return time.perf_counter() - start

    def _move(self, tuples: int) -> float:
        part = self._changes(self.delta, tuples, 2**40)
        start = time.perf_counter()
        with Inputs(self.spark) as inputs:
            self._write(inputs, inputs.slice(self.delta, part), True)
        return time.perf_counter() - start

    def _aggregate(self, tuples: int, scanned: int) -> float:
        part, state = self._changes(self.delta, tuples, scanned), self.states[scanned]
        start = time.perf_counter()
        with Inputs(self.spark) as inputs:
            changes = inputs.slice(self.delta, part)
            added = operators.aggregate_weighted(changes, (("key", Column("key")),), CALLS)
            stored = inputs.slice(state, state.as_of(state.time()))
            touched = changes.named(["key"]).broadcasted()
            old = operators.restrict(stored, (Column("key"),), touched, ("key",))
            both = operators.aggregate_rows(union([old, added]), (("key", Column("key")),), TOTALS)
            self._write(inputs, operators.consolidate(union([both, operators.negate(old)])), False)
        return time.perf_counter() - start

    def _compute(self, tuples: int, scanned: int) -> float:
        part, relation = self._changes(self.delta, tuples, scanned), self.relations[scanned]
        start = time.perf_counter()
        with Inputs(self.spark) as inputs:
            left = _named(inputs.slice(self.delta, part), "d")
            stored = _named(inputs.slice(relation, relation.as_of(relation.time())), "r")
            keys = left.select([("key", quoted("d.key"))]).broadcasted()
            partners = operators.consolidate(operators.restrict(stored, (Column("r.key"),), keys, ("key",)))
            condition = equal(Column("d.key"), Column("r.key"))
            joined = operators.outer_join(left, partners, condition, JoinKind.LEFT)
            self._write(inputs, operators.consolidate(joined), False)
        return time.perf_counter() - start

    def _changes(self, timeline: Timeline, tuples: int, keys: int) -> Slice:
        """New changes of a timeline: that many rows, with random keys below `keys`."""
        before, now = timeline.time(), self._tick()
        timeline.append(_weighted(self._rows(tuples, keys)), now)
        return timeline.delta(before, now)

    def _rows(self, tuples: int, keys: int) -> pa.Table:
        ids = np.arange(tuples) + self.clock * 1_000_000
        text = pa.array([f"{number:<{TEXT}}" for number in ids % 100_000])
        random_keys = self._chance.integers(0, keys, tuples)
        return pa.table({"id": ids, "key": random_keys, "amount": ids % 100, "text": text}).cast(CHANGES)

    def _write(self, inputs: Inputs, query: Query, spread: bool) -> None:
        write(inputs.run(query), self.target.path, self._tick(), spread)

    def _tick(self) -> int:
        self.clock += 1
        return self.clock

    def _timeline(self, name: str, columns: pa.Schema) -> Timeline:
        timeline = Timeline(os.path.join(self.folder, name))
        timeline.create(columns)
        return timeline


def _weighted(rows: pa.Table) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows))


def _named(query: Query, alias: str) -> Query:
    return query.select((f"{alias}.{name}", quoted(name)) for name in query.columns)
