"""The paper's twoTags experiment (Figures 3 and 4) on the SQLite store, in milliseconds.

Tags are drawn by Zipf's law (n = 2000, s = 0.1); a document has at most ten, four on average.  The query asks
for documents with two given tags.  Without the view it reads every document of the first tag and looks for
the second one: the more documents, the longer.  With the view it reads one range.  A write is one tag of a
new document, in a transaction of its own, with and without keeping the view.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any

from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.execute import execute
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.model import Cardinality, SqlText
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.keeping.loading import load
from headwater.serve.store.keeping.upkeep import Upkeep
from headwater.serve.store.layout import Layout, layout_of
from headwater.serve.store.renamed import Renamed
from headwater.sql.parsing.parser import normalised_tree

__all__ = ["SIZES", "Measured", "measure"]

SCHEMA = "CREATE TABLE tags (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag)) WITH CARDINALITY (tag, 10);"
QUERY = "SELECT x.doc FROM tags x JOIN tags y ON x.doc = y.doc WHERE x.tag = :a AND y.tag = :b LIMIT 20"
SIZES = (10_000, 100_000, 1_000_000)
TAGS, SKEW, MOST, AVERAGE = 2000, 0.1, 10, 4
READS, SLOW_READS, WRITES, WARM = 2_000, 200, 500, 200

Times = tuple[float, float]  # of the clock and of the CPU, in milliseconds


@dataclass(frozen=True, slots=True)
class Measured:
    tags: int
    view_p50_ms: float
    view_p99_ms: float
    view_cpu_p99_ms: float  # CPU time: what the machine did besides is not in it
    view_operations: int  # the most that a read took
    scan_p50_ms: float
    scan_p99_ms: float
    scan_cpu_p99_ms: float
    scan_operations: int
    write_p50_ms: float
    write_p99_ms: float
    write_cpu_p99_ms: float
    plain_write_p50_ms: float
    plain_write_p99_ms: float
    plain_write_cpu_p99_ms: float
    load_s: float
    load_cpu_s: float
    megabytes: float


def measure(folder: str, size: int, progress: Callable[[str], None], reuse: bool = False) -> Measured:
    """Load so many tags, ask and write, with and without the view.

    `reuse`: what an earlier measurement left in the folder is not loaded again.
    """
    if not reuse:
        shutil.rmtree(folder, ignore_errors=True)
    kept, scanned = _answer(size, with_view=True), _answer(size, with_view=False)
    with_view, without = layout_of(kept), layout_of(scanned)
    store = SqliteStore(os.path.join(folder, "store.sqlite"))
    load_ms, load_cpu_ms = _load(store, (with_view, without), size, progress)
    draw = Zipf(random.Random(time.time_ns()) if reuse else random.Random(7))
    progress("asking")
    fast = _reads(store, kept, with_view, draw, READS)
    slow = _reads(store, scanned, without, draw, SLOW_READS)
    progress("writing")
    first = time.time_ns()  # documents that no measurement has written
    writes = _writes(store, with_view, draw, first, kept_views=True)
    plain = _writes(store, with_view, draw, first + WRITES, kept_views=False)
    megabytes = store.size() / 1e6
    store.close()
    return Measured(
        size, *_percentiles(fast[0]), fast[1], *_percentiles(slow[0]), slow[1], *_percentiles(writes),
        *_percentiles(plain), round(load_ms / 1000, 1), round(load_cpu_ms / 1000, 1), round(megabytes, 1),
    )  # fmt: skip


def _load(store: SqliteStore, layouts: Iterable[Layout], size: int, progress: Callable[[str], None]) -> Times:
    """Load what the store does not hold; returns how long it took."""
    began = _now()
    for layout in layouts:
        store.know(layout.parts)
        load(
            store, layout, lambda table: _rows(size), 1, lambda part, done: progress(f"{part}: {done:,} rows")
        )
    return _since(began)


class Zipf:
    """Tags by Zipf's law."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.sums = list(accumulate(rank**-SKEW for rank in range(1, TAGS + 1)))

    def tag(self) -> str:
        return f"tag{bisect(self.sums, self.chance.random() * self.sums[-1]):04d}"

    def document(self) -> set[str]:
        count = min(MOST, max(1, round(self.chance.gauss(AVERAGE, 1.5))))
        return {self.tag() for _ in range(count)}


def _rows(size: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    """So many tags of documents, the same every time."""
    return islice(_tags(Zipf(random.Random(size))), size)


def _tags(draw: Zipf) -> Iterator[tuple[Mapping[str, Any], int]]:
    document = 0
    while True:
        for tag in sorted(draw.document()):
            yield {"doc": document, "tag": tag}, 1
        document += 1


def _answer(size: int, with_view: bool) -> Answer:
    """The query's plan from its view; or, if a tag may have any number of documents, without one."""
    table = read_sql(SCHEMA, "<bench>").tables["tags"]
    if not with_view:
        table = replace(table, cardinalities=(*table.cardinalities, Cardinality(("tag",), size)))
    catalog, sql = Catalog.of([table]), SqlText(QUERY)
    return analyse(Subject("two_tags", read_query(normalised_tree(sql), catalog.tables, sql), catalog))


def _reads(
    store: SqliteStore, answer: Answer, layout: Layout, draw: Zipf, count: int
) -> tuple[list[Times], int]:
    """How long each read took, each in a snapshot of its own, and the most operations that one took."""
    assert answer.bounded_plan is not None
    assert answer.catalog is not None
    times, operations, plan = [], 0, answer.bounded_plan.plan
    for number in range(WARM + count):
        params = {"a": draw.tag(), "b": draw.tag()}
        began = _now()
        with store.snapshot() as snapshot:
            result = execute(plan, Renamed(snapshot, layout.names), answer.catalog, params)
        if number >= WARM:
            times.append(_since(began))
            operations = max(operations, result.operations)
    return times, operations


def _writes(store: SqliteStore, layout: Layout, draw: Zipf, first: int, kept_views: bool) -> list[Times]:
    """How long each new tag took, written in a transaction with all that follows from it."""
    (table,) = layout.tables
    times: list[Times] = []
    for row, _ in _some_tags(draw, first):
        began = _now()
        with store.transaction() as writing:
            Upkeep(writing, layout.views if kept_views else ()).insert(table, row)
        times.append(_since(began))
    return times


def _now() -> Times:
    return time.perf_counter() * 1000, time.thread_time() * 1000


def _since(began: Times) -> Times:
    wall, cpu = _now()
    return wall - began[0], cpu - began[1]


def _some_tags(draw: Zipf, first: int) -> Iterable[tuple[Mapping[str, Any], int]]:
    for row, count in islice(_tags(draw), WRITES):
        yield {**row, "doc": row["doc"] + first}, count


def _percentiles(times: list[Times]) -> tuple[float, float, float]:
    """p50 and p99 of the clock's time, p99 of CPU time; in milliseconds."""
    walls, cpus = sorted(wall for wall, _ in times), sorted(cpu for _, cpu in times)
    last = int(len(times) * 0.99)
    return round(walls[len(times) // 2], 3), round(walls[last], 3), round(cpus[last], 3)
