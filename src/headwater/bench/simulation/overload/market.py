"""A market in memory: one update stream, how many changes each of its relations holds, what waits of it.

Keys are not told apart: of n updates of k keys that are updated alike, about k (1 - exp(-n / k)) keys are
updated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.algebra.stages.choosing import shown, waiting
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.bench.simulation.overload.place import Deltas, MemoryPlace
from headwater.overload.budget import EVERYTHING, Budget, overloaded
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode
from headwater.storage.choosing.waiting_table import Tally

__all__ = ["Market", "MemoryWaiting"]


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
class Market(MemoryPlace):
    keys: int = 1
    table: str = "quotes"
    held: MemoryWaiting = field(default_factory=MemoryWaiting)

    # As a workplace

    def waiting(self, table: str) -> MemoryWaiting:
        assert waiting(table) == waiting(self.table)
        return self.held

    def rows(self, relation: str) -> int:
        """Compaction leaves what is current."""
        return min(self.timeline(relation).total(), 2 * self.keys)

    def doing(self, until: int, budgets: Mapping[str, Budget]) -> Deltas:
        return _Choices(self, until, budgets)

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


class _Choices(Deltas):
    def work(self, stage: Stage) -> tuple[Mode, Effort]:
        if stage.kind is not StageKind.CHOOSING:
            return super().work(stage)
        market = self.place
        assert isinstance(market, Market)
        budget = self.budgets.get(stage.name, EVERYTHING)
        if budget.units is None and market.held.idle():
            effort = market.show_all(self.until)
            return (Mode.INCREMENTAL if effort.changed else Mode.EMPTY), effort
        return Mode.CHOOSE, market.choose(self.until, budget)
