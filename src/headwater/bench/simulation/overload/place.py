"""Relations in memory: how many changes each holds, and by when.

A Workplace to the real forecaster and to the real controller of budgets: they ask for times and for numbers
of rows, and nothing else is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.algebra.stages.stage import Kept, Stage
from headwater.catalog import Catalog
from headwater.engine.push.forecasting.waiting import WaitingWork
from headwater.overload.budget import Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Level, Mode
from headwater.storage.delta.data_files import BEGINNING

__all__ = ["Deltas", "Doing", "MemoryPlace", "MemoryTimeline"]

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

    def arrivals_between(self, after: int, until: int) -> int:
        return self.rows_between(after, until)

    def _up_to(self, time: int) -> int:
        at = bisect_right(self.times, time)
        return self.totals[at - 1] if at else 0


class Doing(Protocol):
    """What the stages of a push do, with the changes that each makes; `actions` asks for it."""

    made: dict[str, int]

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[WaitingWork]: ...

    def hold(self, works: Sequence[WaitingWork]) -> dict[str, int]: ...

    def ended(self) -> None:
        """The push has ended, and what it made is stored."""
        ...


@dataclass(slots=True)
class MemoryPlace:
    """Where simulated pushes work."""

    catalog: Catalog
    timelines: dict[str, MemoryTimeline] = field(default_factory=dict)
    spark: str = "simulated"

    @property
    def warehouse(self) -> MemoryPlace:
        return self

    def source(self, table: str) -> MemoryTimeline:
        return self.timeline(table)

    def timeline(self, stage: str) -> MemoryTimeline:
        return self.timelines.setdefault(stage, MemoryTimeline())

    def timeline_of(self, relation: str) -> MemoryTimeline:
        return self.timeline(relation)

    def rows(self, relation: str) -> int:
        return self.timeline(relation).total()

    def address(self, stage: str) -> str:
        return self.spark

    def doing(self, until: int, budgets: Mapping[str, Budget]) -> Doing:
        raise NotImplementedError


@dataclass(slots=True)
class Deltas:
    """Stages that make a change of every change that they read."""

    place: MemoryPlace
    until: int
    budgets: Mapping[str, Budget]
    made: dict[str, int] = field(default_factory=dict)
    _works: dict[str, WaitingWork] = field(default_factory=dict)

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[WaitingWork]:
        return [self._once(stage) for _, stage in level]

    def hold(self, works: Sequence[WaitingWork]) -> dict[str, int]:
        return {work.name: work.effort.result for work in works if work.mode is not Mode.EMPTY}

    def ended(self) -> None:
        return None

    def _once(self, stage: Stage) -> WaitingWork:
        """A stage that chooses does it when it is first asked."""
        if stage.name not in self._works:
            mode, effort = self.work(stage)
            self.made[stage.name] = effort.result
            self._works[stage.name] = WaitingWork(stage.name, mode, self.place.spark, effort, stage.reads)
        return self._works[stage.name]

    def work(self, stage: Stage) -> tuple[Mode, Effort]:
        time = self.place.timeline(stage.name).time()
        reads = [name for name in stage.reads if name != stage.name]
        changed = sum(
            self.made.get(name) or self.place.timeline(name).rows_between(time, self.until) for name in reads
        )
        beside = sum(self.place.rows(name) for name in reads) if len(reads) > 1 else 0
        return (Mode.INCREMENTAL if changed else Mode.EMPTY), Effort(changed, beside, changed)
