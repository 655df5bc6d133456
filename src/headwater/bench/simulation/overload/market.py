"""A market in memory: one update stream, how many changes each of its relations holds, what waits of it.

It is a Workplace to the real forecaster and to the real controller of budgets: they ask for times and for
numbers of rows, and nothing else is kept here.  Keys are not told apart: of n updates of k keys that are
updated alike, about k (1 - exp(-n / k)) keys are updated.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.algebra.stages.choosing import shown, waiting
from headwater.catalog import Catalog
from headwater.overload.budget import EVERYTHING, Budget, overloaded
from headwater.planning.cost.effort import Effort
from headwater.storage.choosing.waiting_table import Tally
from headwater.storage.delta.data_files import BEGINNING

__all__ = ["Market", "MemoryTimeline", "MemoryWaiting"]

MOST_REMEMBERED = 20_000


@dataclass(slots=True)
class MemoryTimeline:
    """How many changes there were by which time."""

    reached: int = BEGINNING
    times: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)

    def exists(self) -> bool:
        return True

    def time(self) -> int:
        return self.reached

    def add(self, time: int, rows: int) -> None:
        self.reached = time
        self.times.append(time)
        self.totals.append(self.total() + rows)
        if len(self.times) > MOST_REMEMBERED:
            del self.times[: MOST_REMEMBERED // 2], self.totals[: MOST_REMEMBERED // 2]

    def total(self) -> int:
        return self.totals[-1] if self.totals else 0

    def rows_between(self, after: int, until: int) -> int:
        return self._up_to(until) - self._up_to(after)

    def _up_to(self, time: int) -> int:
        at = bisect_right(self.times, time)
        return self.totals[at - 1] if at else 0


class _Rows(NamedTuple):
    rows: int


@dataclass(slots=True)
class MemoryWaiting:
    """What waits: so many keys, and so many are remembered."""

    counted: Tally = Tally()
    remembered: int = 0

    def tally(self) -> Tally:
        return self.counted

    def idle(self) -> bool:
        return not self.counted.choosing and not self.remembered

    def part(self) -> _Rows:
        return _Rows(2 * self.counted.waits + self.remembered)


@dataclass(slots=True)
class Market:
    catalog: Catalog
    keys: int
    table: str = "quotes"
    timelines: dict[str, MemoryTimeline] = field(default_factory=dict)
    held: MemoryWaiting = field(default_factory=MemoryWaiting)
    spark: str = "simulated"

    # As a workplace

    @property
    def warehouse(self) -> Market:
        return self

    def source(self, table: str) -> MemoryTimeline:
        return self.timeline(table)

    def timeline(self, stage: str) -> MemoryTimeline:
        return self.timelines.setdefault(stage, MemoryTimeline())

    def timeline_of(self, relation: str) -> MemoryTimeline:
        return self.timeline(relation)

    def waiting(self, table: str) -> MemoryWaiting:
        assert waiting(table) == waiting(self.table)
        return self.held

    def rows(self, relation: str) -> int:
        """Compaction leaves what is current."""
        return min(self.timeline(relation).total(), 2 * self.keys)

    def address(self, stage: str) -> str:
        return self.spark

    # As a store

    def arrive(self, time: int, updates: int) -> None:
        """Each is -old +new."""
        self.timeline(self.table).add(time, 2 * updates)

    def distinct(self, updates: int) -> int:
        return round(self.keys * -math.expm1(-updates / self.keys))

    def show_all(self, until: int) -> Effort:
        """Nothing waits, and everything that arrived is shown."""
        stage = self.timeline(shown(self.table))
        arrived = self.timeline(self.table).rows_between(stage.time(), until)
        net = min(arrived, 2 * self.distinct(arrived // 2))
        stage.add(until, net)
        return Effort(arrived, 0, net)

    def choose(self, until: int, budget: Budget = EVERYTHING) -> Effort:
        """As engine/push/choosing/push_choice.py does it with rows."""
        stage, before = self.timeline(shown(self.table)), self.held.counted
        waited = self.held.part().rows
        arrived = self.timeline(self.table).rows_between(stage.time(), until)
        waits = before.waits + round((1 - before.waits / self.keys) * self.distinct(arrived // 2))
        taken = waits if budget.units is None else min(budget.units, waits)
        choosing = overloaded(budget, waits, before.choosing)
        began = (before.began_at or until) if choosing else 0
        self.held.counted = Tally(began, before.arrived + arrived // 2, before.taken + taken, waits - taken)
        self.held.remembered = self.keys if choosing else 0
        stage.add(until, 2 * taken)
        return Effort(arrived, waited, 2 * taken)
