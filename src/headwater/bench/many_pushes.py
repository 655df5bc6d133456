"""`headwater bench push --pushes 1000`: what a push costs when the same rows change again and again.

A table of 100,000 rows joined with one of 1,000; each push applies 5,000 updates at random keys.  Files are
merged between the pushes as a run does it, within its budget (engine/upkeep).  If history were kept, the
thousandth push would read five million changes; so two numbers must stay flat: CPU-seconds of a push, and
rows stored for each row that is there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.bench.cpu import measured
from headwater.bench.push import World, fact_rows, facts_and_dimensions
from headwater.catalog import build
from headwater.engine.spark.session import session
from headwater.engine.upkeep.budget import UpkeepBudget
from headwater.engine.upkeep.compaction import Compactor
from headwater.storage.timeline import WEIGHT

if TYPE_CHECKING:
    from headwater.storage.timeline import Timeline

__all__ = ["Stretch", "run"]

FACTS, DIMENSIONS, UPDATES = 100_000, 1_000, 5_000
STRETCHES = 10
COMPACT_EVERY = 5
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A tenth of the pushes: their median, and what is stored after the last of them."""

    pushes: int  # so far
    push_cpu_s: float
    push_s: float
    merge_cpu_s: float  # of all merges since the stretch before
    source_rows: int
    view_rows: int
    live_rows: int
    files: int


class Updated:
    """The world under updates: the amounts that are, so that a change can name the row it replaces."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.chance = np.random.default_rng(3)
        self.amounts = np.arange(FACTS) % 1000
        catalog = build(world.project)
        self.compactor = Compactor(lambda: catalog, world.warehouse, budget=UpkeepBudget(world.clock))
        self.source = world.warehouse.source("facts")
        self.view = world.warehouse.stage(catalog.folder("kept"))

    def update(self) -> None:
        ids = self.chance.choice(FACTS, UPDATES, replace=False)
        old = self._rows(ids, -1)
        self.amounts[ids] = self.chance.integers(0, 1_000_000, UPDATES)
        self.world.change("facts", pa.concat_tables([old, self._rows(ids, 1)]))

    def _rows(self, ids: np.ndarray[Any, Any], weight: int) -> pa.Table:
        rows = fact_rows(ids, DIMENSIONS, self.chance)
        rows = rows.set_column(2, "amount", pa.array(self.amounts[ids]))
        return rows.append_column(WEIGHT, pa.repeat(pa.scalar(weight, pa.int64()), len(rows)))

    def check(self) -> None:
        """The view holds the amounts that are."""
        rows = self.view.read(self.view.as_of(self.view.time()), ["amount"])
        total = pc.sum(pc.multiply(rows["amount"], rows[WEIGHT])).as_py()
        if (pc.sum(rows[WEIGHT]).as_py(), total) != (FACTS, int(self.amounts.sum())):
            raise AssertionError("the view does not hold what its table does")


def run(folder: str, pushes: int, tell: Tell = lambda text: None) -> list[Stretch]:
    spark = session("bench", log=os.path.join(folder, "spark.log"))
    world = facts_and_dimensions(spark, os.path.join(folder, "updated"), FACTS, DIMENSIONS)
    world.push()
    updated = Updated(world)
    length = max(1, pushes // STRETCHES)
    stretches = []
    for number in range(length, pushes + 1, length):
        done = _stretch(updated, number, length)
        stretches.append(done)
        stored = f"{done.source_rows:,} and {done.view_rows:,} rows stored of {done.live_rows:,}"
        tell(f"{number} pushes, {done.push_cpu_s:.2f} CPU-seconds each; {stored}")
    updated.check()
    shutil.rmtree(world.folder)
    return stretches


def _stretch(updated: Updated, number: int, length: int) -> Stretch:
    costs, merging = [], 0.0
    for turn in range(length):
        updated.update()
        costs.append(updated.world.push()[0])
        if turn % COMPACT_EVERY == 0:
            with measured() as merged:
                updated.compactor.compact()
            merging += merged.cpu_seconds
    files = len(updated.source.snapshot().files) + len(updated.view.snapshot().files)
    return Stretch(
        number, median(cost.cpu_seconds for cost in costs), median(cost.seconds for cost in costs), merging,
        _rows_stored(updated.source), _rows_stored(updated.view), FACTS, files,
    )  # fmt: skip


def _rows_stored(timeline: Timeline) -> int:
    return sum(file.rows for file in timeline.snapshot().files)
