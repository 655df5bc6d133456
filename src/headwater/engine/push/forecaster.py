"""How long a push is expected to take: the actions that it will run, with the rows that wait.

The predictor (planning/cost/predictor.py) is an immutable value, replaced by a better one after every action.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.algebra.stages.as_a_whole import as_a_whole
from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.catalog import Catalog
from headwater.engine.push.choosing.aging import rows_grow_old
from headwater.engine.push.choosing.granting.adapted_joins import AdaptedJoin, adapted_joins
from headwater.engine.push.choosing.granting.budgets import allowed, budgets
from headwater.engine.push.choosing.granting.update_streams import FEW_KEYS, changes_of_a_key
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job, stage_moves
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.warmth import actions_run, count_action
from headwater.overload.budget import ENOUGH, EVERYTHING, Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.lesson import view_of
from headwater.planning.cost.learning.ways import Refresh
from headwater.planning.cost.predictor import Done, Kind, Lesson, Predictor, kind_of
from headwater.planning.cost.refresh import Choice
from headwater.planning.stages.actions import Action, Level, Mode, Work, actions
from headwater.scheduling.forecast import Forecast, longest
from headwater.storage.delta.data_files import BEGINNING

__all__ = ["Forecaster"]

Joins = Mapping[str, AdaptedJoin]  # those of a push, by view
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


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What a push has to do for a stage, by the changes that wait for it."""

    name: str
    mode: Mode
    spark: str
    effort: Effort
    reads: tuple[str, ...]
    likeness: Hashable = None


class Waiting:
    """What the stages of a push would have to do: handle the changes that wait, and those they lead to."""

    def __init__(
        self,
        workplace: Workplace,
        predictor: Predictor,
        until: int,
        budgets: Mapping[str, Budget],
        joins: Joins,
    ) -> None:
        self.workplace, self.predictor, self.until, self.budgets = workplace, predictor, until, budgets
        self.joins = joins
        self._made: dict[str, int] = {}  # changes of stages that would have been pushed before

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[WaitingWork]:
        return [self._work(kept, stage) for kept, stage in level]

    def hold(self, works: Sequence[WaitingWork]) -> dict[str, int]:
        return {work.name: work.effort.result for work in works if work.mode is not Mode.EMPTY}

    def _work(self, kept: Kept, stage: Stage) -> WaitingWork:
        workplace = self.workplace
        time = workplace.timeline(stage.name).time()
        if time != BEGINNING and self.predictor.recomputed_as_a_whole(view_of(stage.name)):
            return self._of_a_whole(stage, time)
        changed = sum(self._changes(name, time) for name in stage.reads if name != stage.name)
        effort = self.predictor.usually(stage.name, Effort(changed, self._beside(stage), changed))
        moves = stage_moves(stage, time, self.until) or rows_grow_old(workplace, stage, time, self.until)
        mode = self._mode(stage, time, changed or moves)
        if stage.kind is StageKind.CHOOSING and time != BEGINNING:
            mode, effort = self._choosing(stage, mode, effort)
        elif stage.kind is StageKind.PROBES and mode is not Mode.EMPTY:
            # Rows that do not probe are stored, and the join leaves them out.
            units = self.budgets.get(stage.name, EVERYTHING).units
            probed = effort.changed if units is None else min(units, effort.changed)
            mode, effort = Mode.PROBE, Effort(effort.changed, effort.scanned, probed)
        elif time != BEGINNING and kept.view in self.joins:
            results = self.joins[kept.view].results(self.budgets)
            mode = Mode.INCREMENTAL if changed or results else Mode.EMPTY
            effort = replace(effort, result=results)
        self._made[stage.name] = effort.result if mode is not Mode.EMPTY else 0
        return WaitingWork(stage.name, mode, workplace.address(stage.name), effort, stage.reads)

    def _of_a_whole(self, stage: Stage, time: int) -> WaitingWork:
        """Of a view that was recomputed as a whole the last time: its last stage does all there is to do."""
        catalog, address = self.workplace.catalog, self.workplace.address(stage.name)
        kept = catalog.kept.get(stage.name)
        whole = None if kept is None else as_a_whole(kept)
        if whole is None:
            return WaitingWork(stage.name, Mode.EMPTY, address, Effort(0, 0, 0), stage.reads)
        changed = sum(self._changes(name, time) for name in whole.reads)
        if not changed and not stage_moves(whole, time, self.until):
            return WaitingWork(stage.name, Mode.EMPTY, address, Effort(0, 0, 0), whole.reads)
        self._made[stage.name] = changed
        rows = sum(map(self.workplace.rows, whole.reads))
        effort = Effort(changed, rows, self.workplace.rows(stage.name))
        return WaitingWork(stage.name, Mode.FULL, address, effort, whole.reads)

    def _mode(self, stage: Stage, time: int, changed: int | bool) -> Mode:
        """A stage that was never computed is not part of a common push."""
        if time == BEGINNING or not changed:
            return Mode.EMPTY
        if stage.name in self.workplace.catalog.copies:
            return Mode.COPY
        return Mode.FULL if stage.plan is None else Mode.INCREMENTAL

    def _choosing(self, stage: Stage, mode: Mode, effort: Effort) -> tuple[Mode, Effort]:
        """A choice has as many changes as its budget allows: each key goes and comes back.

        However many updates arrived, no more keys have changed than there are.
        """
        units, waiting = (
            self.budgets.get(stage.name, EVERYTHING).units,
            self.workplace.waiting(table_of(stage.name)),
        )
        changes = min(effort.result, 2 * max(self.workplace.rows(stage.name), FEW_KEYS))
        if units is None and waiting.idle():
            return mode, replace(effort, result=changes)
        of_a_key = changes_of_a_key(self.workplace, table_of(stage.name))
        made = changes + of_a_key * waiting.tally().waits
        shown = made if units is None else min(of_a_key * units, made)
        return Mode.CHOOSE, Effort(effort.changed, waiting.part().rows, shown)

    def _changes(self, relation: str, after: int) -> int:
        """Changes that a reader at `after` has not seen, with those of a stage that is pushed before it."""
        timeline = self.workplace.timeline_of(relation)
        seen = timeline.rows_between(after, self.until) if timeline.exists() else 0
        return seen + self._made.get(relation, 0)

    def _beside(self, stage: Stage) -> int:
        if stage.name in self.predictor.scans:
            return 0  # it scans as much as the last time
        own = stage.kind in (StageKind.LINEAR, StageKind.GROUPS)
        return sum(self.workplace.rows(name) for name in stage.reads if own or name != stage.name)
