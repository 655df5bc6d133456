"""Measure TPC-W's interactions at one scale, by the same path that `headwater query` takes.

reads      an interaction is all of its queries; the clock's time and the CPU's, p50 and p99
buying     an order with its lines in one transaction, with all that follows from it, and without
refresh    of best sellers and admin confirm, in as many partitions as the scale has
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headwater as hw
from headwater.bench.store.tpcw.data import NOW, Scale, order_rows, rows_of
from headwater.bench.store.tpcw.workload import INTERACTIONS, SQL, parameters
from headwater.serve.store.answering import Answering
from headwater.serve.store.keeping.loading import load
from headwater.serve.store.keeping.upkeep import Upkeep
from headwater.serve.store.layout import Layout, StoredRanking, whole_layout
from headwater.serve.store.opening import open_store
from headwater.serve.store.protocol import KeptStore, StoredTable
from headwater.serve.store.rankings.partitions import Partition, read_partition
from headwater.serve.store.rankings.refreshing import Buckets, refresh

__all__ = ["Interaction", "Measured", "Refreshed", "loaded", "measure"]

READS, BUYS, WARM = 1_000, 300, 50

Progress = Callable[[str], None]
Times = tuple[float, float]  # of the clock and of the CPU, in milliseconds


@dataclass(frozen=True, slots=True)
class Interaction:
    name: str
    p50_ms: float
    p99_ms: float
    cpu_p99_ms: float
    operations: int  # the most that one took
    bound: int


@dataclass(frozen=True, slots=True)
class Refreshed:
    name: str
    partitions: int
    serial_ms: float  # CPU of the partition that took longest: what a machine of its own would take
    whole_ms: float  # CPU of all of them, the merge and the swap, on this machine
    most_rows: int  # counters that one partition has read
    rows: int


@dataclass(frozen=True, slots=True)
class Measured:
    customers: int
    rows: int
    load_s: float
    interactions: tuple[Interaction, ...]
    refreshes: tuple[Refreshed, ...]


def loaded(folder: Path, scale: Scale, progress: Progress) -> tuple[Answering, KeptStore, Layout]:
    """A project in the folder whose store holds the bookshop."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "headwater.yml").write_text("name: tpcw\ndurability: fast\n", "utf-8")
    (folder / "tpcw.sql").write_text(SQL, "utf-8")
    project = hw.open(str(folder)).project
    store, answering = open_store(project), Answering.open(project)
    layout = whole_layout(answering.layouts)
    store.know(layout.parts)

    def show(part: str, done: int) -> None:
        progress(f"{part}: {done:,} rows")

    load(store, layout, lambda table: _rows(table, scale), NOW * 1000, show)
    return answering, store, layout


def measure(folder: Path, scale: Scale, partitions: int, progress: Progress) -> Measured:
    began = time.perf_counter()
    answering, store, layout = loaded(folder, scale, progress)
    load_s = time.perf_counter() - began
    progress("refreshing")
    refreshes = tuple(_refreshed(store, ranking, partitions) for ranking in layout.rankings)
    chance = random.Random(1)
    reads = [_read(answering, name, scale, chance, progress) for name in INTERACTIONS]
    buys = [
        _bought(store, layout, scale, chance, "Buy Confirm", kept=True),
        _bought(store, layout, scale, chance, "Buy Confirm, no maintenance", kept=False),
    ]
    store.close()
    return Measured(scale.customers, scale.rows, round(load_s, 1), (*reads, *buys), refreshes)


def _rows(table: StoredTable, scale: Scale) -> Iterator[tuple[Mapping[str, Any], int]]:
    return ((row, 1) for row in rows_of(table.relation, scale))


def _read(
    answering: Answering, name: str, scale: Scale, chance: random.Random, progress: Callable[[str], None]
) -> Interaction:
    progress(name)
    queries = [answering.query(query) for query in INTERACTIONS[name]]
    times, most = [], 0
    for number in range(WARM + READS):
        given = [parameters(tuple(p[0] for p in query.parameters), chance, scale) for query in queries]
        began = _now()
        answers = [answering.answer(query.name, values) for query, values in zip(queries, given, strict=True)]
        if number >= WARM:
            times.append(_since(began))
            most = max(most, sum(answer.operations for answer in answers))
    return Interaction(name, *_percentiles(times), most, sum(query.bound or 0 for query in queries))


def _bought(
    store: KeptStore, layout: Layout, scale: Scale, chance: random.Random, name: str, kept: bool
) -> Interaction:
    """Orders, each in a transaction of its own; the operations are those of the delta queries' bounds."""
    tables = {table.relation: table for table in layout.tables}
    bounds = [upkeep.operations for view in layout.views for upkeep in view.chosen.maintenance]
    first, times = scale.orders + (0 if kept else BUYS + WARM), []
    for number in range(first, first + WARM + BUYS):
        rows = [row for row in order_rows(number, scale, chance) if row[0] in tables]
        began = _now()
        with store.transaction() as writing:
            upkeep = Upkeep(writing, layout.views if kept else ())
            for table, row in rows:
                upkeep.insert(tables[table], row)
        if number >= first + WARM:
            times.append(_since(began))
    return Interaction(name, *_percentiles(times), 0, sum(bounds) if kept else 0)


def _refreshed(store: KeptStore, ranking: StoredRanking, partitions: int) -> Refreshed:
    taken: list[float] = []

    def read(ranking: StoredRanking, ends: Any, parts: Buckets) -> list[Partition]:
        done = []
        with store.snapshot() as snapshot:
            for buckets in parts:
                began = time.thread_time()
                done.append(read_partition(snapshot, ranking.names, ranking.view, ends, buckets))
                taken.append((time.thread_time() - began) * 1000)
        return done

    began = time.thread_time()
    done = refresh(store, ranking, NOW * 1000, NOW * 1000, read, count=partitions)
    whole = (time.thread_time() - began) * 1000
    return Refreshed(done.name, done.partitions, round(max(taken), 1), round(whole, 1), done.most, done.rows)


def _now() -> Times:
    return time.perf_counter() * 1000, time.thread_time() * 1000


def _since(began: Times) -> Times:
    wall, cpu = _now()
    return wall - began[0], cpu - began[1]


def _percentiles(times: list[Times]) -> tuple[float, float, float]:
    """p50 and p99 of the clock's time, p99 of the CPU's; in milliseconds."""
    walls, cpus = sorted(wall for wall, _ in times), sorted(cpu for _, cpu in times)
    last = int(len(times) * 0.99)
    return round(walls[len(times) // 2], 3), round(walls[last], 3), round(cpus[last], 3)
