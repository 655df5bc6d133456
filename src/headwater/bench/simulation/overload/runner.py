"""A Runner without Spark whose pushes choose: the real forecaster and the real budgets, simulated actions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import cast

from headwater.bench.simulation.fake_runner import FakeHandle
from headwater.bench.simulation.overload.machine import Machine
from headwater.bench.simulation.overload.place import Doing, MemoryPlace
from headwater.catalog import Catalog
from headwater.clock import ManualClock
from headwater.engine.executor.runner import PlainTable, Publication, PublishOrder, PushOrder, PushOutcome
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.forecasting.waiting import WaitingWork
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.warmth import count_action
from headwater.planning.cost.predictor import Done, Lesson, kind_of
from headwater.planning.stages.actions import Action, Mode, actions
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.schedule import NEVER

__all__ = ["OverloadedRunner"]


@dataclass(slots=True)
class OverloadedRunner:
    market: MemoryPlace
    machine: Machine
    clock: ManualClock
    forecaster: Forecaster = field(init=False)
    pushes: list[FakeHandle[PushOutcome]] = field(default_factory=list)
    ended: int = 0  # pushes

    def __post_init__(self) -> None:
        self.forecaster = Forecaster(cast(Workplace, self.market))

    def adopt(self, catalog: Catalog) -> None:
        return None

    def time_of(self, stage: str) -> int:
        return self.market.timeline(stage).time()

    def earliest(self, source: str) -> int:
        return NEVER

    def changes(self, relation: str, after: int, until: int) -> int:
        return self.market.timeline_of(relation).rows_between(after, until)

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        return self.forecaster.forecast(views, until)

    def reachable(self, sites: Collection[str]) -> bool:
        return True

    def suspect_sites(self) -> None:
        return None

    def publish(self, order: PublishOrder) -> FakeHandle[Publication]:
        return FakeHandle(self.clock, timedelta(), lambda: Publication(PlainTable.CURRENT))

    def explain(self, error: Exception) -> FakeHandle[Exception]:
        return FakeHandle(self.clock, timedelta(), lambda: error)

    def close(self) -> None:
        return None

    def next_at(self) -> int | None:
        """When the push under way ends; monotonic."""
        return min((handle.ends_at for handle in self.pushes), default=None)

    def push(self, order: PushOrder) -> FakeHandle[PushOutcome]:
        """What is shown is changed when it begins, for nobody looks meanwhile; views at its end."""
        budgets = {} if order.everything else self.forecaster.budgets(order.views, order.target)
        doing = self.market.doing(order.target, budgets)
        seconds = 0.0
        for step in actions(self.market.catalog.levels(order.views), doing):
            for lane in step.lanes:
                seconds += sum(self._run(action) for action in lane)
        handle = FakeHandle(self.clock, timedelta(seconds=seconds), lambda: self._ended(order, doing))
        self.pushes = [handle]
        return handle

    def _run(self, action: Action[WaitingWork]) -> float:
        works = {work.name: work for work in action.works if work.mode is not Mode.EMPTY}
        if not works:
            return 0.0
        seconds = self.machine.seconds({name: (work.mode, work.effort) for name, work in works.items()})
        done = {name: Done(work.mode, work.effort, seconds) for name, work in works.items()}
        before = count_action(action.spark, kind_of(done))
        self.forecaster.predictor = self.forecaster.current().learn(Lesson(done, seconds, before))
        return seconds

    def _ended(self, order: PushOrder, doing: Doing) -> PushOutcome:
        self.pushes, self.ended = [], self.ended + 1
        for name, rows in doing.made.items():
            if self.market.timeline(name).time() < order.target:
                self.market.timeline(name).add(order.target, rows)
        doing.ended()
        return PushOutcome(worked=True, published={})
