"""How long a push is expected to take: the actions that it will run, with the rows that wait.

The predictor (planning/cost/predictor.py) is an immutable value, replaced by a better one after every action.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.algebra.stages.stage import Stage, StageKind
from headwater.catalog import Catalog
from headwater.engine.push.choosing.granting.adapted_joins import adapted_joins
from headwater.engine.push.choosing.granting.budgets import allowed, budgets
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.forecasting.waiting import Joins, Waiting, WaitingWork
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.warmth import actions_run, count_action
from headwater.overload.budget import ENOUGH, Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.ways import Refresh
from headwater.planning.cost.predictor import Done, Kind, Lesson, Predictor, kind_of
from headwater.planning.cost.refresh import Choice
from headwater.planning.stages.actions import Action, Mode, Work, actions
from headwater.scheduling.forecast import Forecast, longest

__all__ = ["Forecaster"]

COMMIT = timedelta(milliseconds=15)  # a stage whose time only moves on
OVERRUN = 2.0  # under overload: how many times as long as expected a push may take and still be in time


@dataclass(slots=True)
class Forecaster:
    workplace: Workplace
    predictor: Predictor = field(default_factory=Predictor)
    _catalog: Catalog | None = None  # whose stages the predictor knows
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def current(self) -> Predictor:
        """The predictor, for the catalog as it is now."""
        catalog = self.workplace.catalog
        if self._catalog is not catalog:
            with self._lock:
                stages = (stage for _, stage in catalog.stages())
                self.predictor, self._catalog = self.predictor.for_stages(stages, catalog.site_of), catalog
        return self.predictor

    def choose(self, stage: Stage, by_delta: Effort, anew: Effort) -> Choice:
        """Delta or recompute, and why."""
        catalog = self.workplace.catalog
        if stage.kind is StageKind.SQL:
            reasons = "; ".join(obstacle.reason for obstacle in catalog.kept[stage.name].obstacles)
            return Choice(True, f"no delta rule: {reasons}")
        return self.current().choose(stage, by_delta, anew, catalog.policy_of(stage.name))

    def choose_way(self, refresh: Refresh) -> Choice:
        """A view's delta, or a recompute of the view as a whole, and why."""
        return self.current().choose_way(refresh)

    def published(self, view: str, seconds: float) -> None:
        """Learn what it took to bring a view's plain table up to date."""
        with self._lock:
            self.predictor = self.predictor.published(view, seconds)

    def expected(self, action: Action[Job]) -> timedelta:
        predictor = self.current()
        return self._forecast(action, {work.name: _usual(predictor, work) for work in action.works}).expected

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        """How long pushing views to a time would take, with budgets for stages that choose.

        Under overload one push follows the other and each takes as long as it may: the next begins at once.
        If the user has set what it may take, it begins early enough that it may take twice as long.
        """
        joins = self._joins(views, until)
        granted = self._budgets(views, until, joins)
        total = self._total(views, until, granted, joins)
        limited = [budget for budget in granted.values() if budget.units is not None]
        if limited:
            urgent = any(budget.share is not None for budget in limited)
            cautious = max(total.cautious, total.expected * OVERRUN)
            return Forecast(total.expected, cautious, chooses=True, urgent=urgent)
        soon = bool(granted) and total.cautious > allowed(self.workplace, views, until) * ENOUGH
        return replace(total, urgent=soon)

    def budgets(self, views: Collection[str], until: int) -> dict[str, Budget]:
        """What the stages that choose may take in a push of views to a time.

        That the first choices of a warm Spark are slow is no reason to put them off.
        """
        return self._budgets(views, until, self._joins(views, until))

    def _joins(self, views: Collection[str], until: int) -> Joins:
        return {join.view: join for join in adapted_joins(self.workplace, views, until)}

    def _budgets(self, views: Collection[str], until: int, joins: Joins) -> dict[str, Budget]:
        def cautious(given: Mapping[str, Budget]) -> timedelta:
            return self._total(views, until, given, joins, practised=True).cautious

        return budgets(self.workplace, views, until, joins.values(), cautious)

    def _total(
        self,
        views: Collection[str],
        until: int,
        given: Mapping[str, Budget],
        joins: Joins,
        practised: bool = False,
    ) -> Forecast:
        """`practised`: as if there had been as many choices as deltas."""
        levels = self.workplace.catalog.levels(views)
        commits = COMMIT * sum(map(len, levels))
        total = Forecast(commits, commits)
        for step in actions(levels, Waiting(self.workplace, self.current(), until, given, joins)):
            total += longest(self._in_turn(lane, practised) for lane in step.lanes)
        return total

    def _in_turn(self, lane: Sequence[Action[WaitingWork]], practised: bool) -> Forecast:
        total = Forecast()
        for action in lane:
            efforts = {work.name: work.effort for work in action.works}
            total += self._forecast(action, efforts, practised)
        return total

    def _forecast(
        self,
        action: Action[Job] | Action[WaitingWork],
        efforts: Mapping[str, Effort],
        practised: bool = False,
    ) -> Forecast:
        works: Iterable[Work] = action.works
        predictor = self.current()
        stages = {work.name: Done(work.mode, efforts[work.name]) for work in works}
        kind = kind_of(stages)
        before = actions_run(action.spark, kind)
        if practised and kind is Kind.CHOICE:
            before = max(before, actions_run(action.spark, Kind.DELTA))
        return predictor.forecast(stages, before)

    def split(self, pushed: Sequence[Pushed]) -> list[Pushed]:
        """Split the cost of an action among its stages by the predictor, now that all rows are known."""
        working = {done.stage: Done(done.mode, done.effort) for done in pushed if done.mode is not Mode.EMPTY}
        shares = self.current().parts(working).shares() if working else {}
        cpu = sum(done.meter.cpu_seconds for done in pushed)
        return [
            replace(done, meter=replace(done.meter, cpu_seconds=cpu * shares.get(done.stage, 0.0)))
            for done in pushed
        ]

    def learn(self, spark: str, pushed: Sequence[Pushed]) -> int:
        """Learn from an action that was run; returns how many of its kind its Spark had run before."""
        working = [stage for stage in pushed if stage.mode is not Mode.EMPTY]
        stages = {done.stage: Done(done.mode, done.effort, done.meter.cpu_seconds) for done in working}
        kind = kind_of(stages)
        if not working:
            return actions_run(spark, kind)
        copied = all(done.mode is Mode.COPY for done in working)
        before = actions_run(spark, kind) if copied else count_action(spark, kind)
        with self._lock:
            lesson = Lesson(stages, working[0].duration.total_seconds(), before)
            self.predictor = self.predictor.learn(lesson)
        return before


def _usual(predictor: Predictor, work: Work) -> Effort:
    return predictor.usually(work.name, work.effort) if work.mode is Mode.INCREMENTAL else work.effort
