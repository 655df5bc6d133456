"""Brings stages to a time, action by action; different Sparks work side by side.

Which stages share an action is decided by planning/stages/actions.py, which asks `Deciding` what each stage
has to do.  Within a step Sparks do not wait for each other; if one fails, the others finish their work.  An
action that a row made fail is taken apart (failures/rescue.py), and the push goes on with what can be
computed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from headwater.algebra.stages.stage import Kept, Stage
from headwater.engine.push.action import run_action
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job, decide, delta_plan
from headwater.engine.push.failures.data_errors import row_cause
from headwater.engine.push.failures.rescue import FailedStages, Rescue, StagesFailed
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.together.first_computations import with_likeness
from headwater.engine.push.together.pending_deltas import pending_delta
from headwater.engine.push.whole import ViewNow, view_now, whole_job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.relations import Relations
from headwater.overload.budget import EVERYTHING, Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.refresh import Choice
from headwater.planning.stages.actions import Action, Level, Step, actions, is_small
from headwater.storage.delta.delta_log import DataFile

__all__ = ["Deciding", "Pusher"]

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 16  # copies, or Sparks beside the one that the calling thread waits for

KeptStage = tuple[Kept, Stage]
Done = tuple[Pushed, timedelta]  # with how long its action was expected to take
Lane = Sequence[Action[Job]]
Budgets = Mapping[str, Budget]  # by stage
Telling = Callable[[Sequence[str]], AbstractContextManager[None]]  # of stages, while they are computed


class _Way(NamedTuple):
    now: ViewNow
    choice: Choice

    def chosen(self, stage: Stage, by_delta: Effort, anew: Effort) -> Choice:
        """Of each of the view's stages: what was chosen for all of them."""
        return self.choice


class Deciding:
    """What the stages of a push have to do, by the logs as they are when it is asked."""

    def __init__(
        self,
        workplace: Workplace,
        forecaster: Forecaster,
        until: int,
        budgets: Budgets | None = None,
        read: Collection[str] | None = None,
    ) -> None:
        self.workplace, self.forecaster, self.until = workplace, forecaster, until
        self.budgets = budgets or {}  # of stages that choose
        self.read = read  # the relations that stages of this push read; None: perhaps any
        self.pending: dict[str, DataFile] = {}
        self.relations: dict[str, Relations] = {}  # of small jobs, as they were when they were decided
        self.failed = FailedStages()
        self._ways: dict[str, _Way | None] = {}  # by view

    def works(self, level: Level[KeptStage], held: Mapping[str, int]) -> list[Job]:
        self.pending = {name: file for name, file in self.pending.items() if name in held}
        jobs = [job for kept, stage in level if (job := self._job(kept, stage)) is not None]
        return list(with_likeness(self.workplace, jobs))

    def _job(self, kept: Kept, stage: Stage) -> Job | None:
        """What a stage has to do; None if it is held back, or its view is recomputed without it."""
        way = self._way(kept)
        if way is not None and way.choice.full:
            last = stage.name == kept.view
            if not last or self.failed.holds_back(kept.view, way.now.stage):
                return None
            return whole_job(self.workplace, way.now, self.until, way.choice.reason)
        if self.failed.holds_back(kept.view, stage):
            return None
        choose = self.forecaster.choose if way is None else way.chosen
        return decide(self.workplace, kept, stage, self.until, choose, self.pending, self._budget(stage))

    def _way(self, kept: Kept) -> _Way | None:
        """How a view is refreshed, chosen once a push; None if there is nothing to choose."""
        if kept.view not in self._ways:
            now = view_now(self.workplace, kept, self.until)
            self._ways[kept.view] = None if now is None else _Way(now, self._choice(now))
        return self._ways[kept.view]

    def _choice(self, now: ViewNow) -> Choice:
        if now.idle:
            return Choice(True, "nothing changed")
        if now.must:
            return Choice(True, "it was about to be recomputed as a whole when that was interrupted")
        return self.forecaster.choose_way(now.refresh)

    def anew(self, job: Job) -> Job:
        """The job as it is decided by itself, now that what it reads is committed."""
        if job.whole:
            return job
        budget = self._budget(job.stage)
        return decide(self.workplace, job.kept, job.stage, self.until, self.forecaster.choose, budget=budget)

    def _budget(self, stage: Stage) -> Budget:
        return self.budgets.get(stage.name, EVERYTHING)

    def hold(self, works: Sequence[Job]) -> dict[str, int]:
        """Remember what small jobs read and will make, for later levels that may join their action."""
        before = dict(self.pending)  # the stages of a level do not read each other
        for job in filter(is_small, works):
            relations = self.workplace.relations(job.stage, job.until, before)
            self.relations[job.name] = relations
            if self.read is not None and job.name not in self.read:
                continue
            estimates = Estimates(relations)
            plan = delta_plan(job, estimates)
            if plan is not None:
                usual = self.forecaster.predictor.usually(job.name, job.effort)
                rows = usual.result if job.name in self.forecaster.predictor.yields else 0
                self.pending[job.name] = pending_delta(job, plan, estimates, rows)
        return {job.name: self.pending[job.name].rows for job in works if job.name in self.pending}


class Pusher:
    def __init__(
        self,
        workplace: Workplace,
        forecaster: Forecaster,
        telling: Telling = lambda stages: nullcontext(),
    ) -> None:
        self.workplace, self.forecaster = workplace, forecaster
        self._telling = telling
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="levels")

    def push(
        self,
        levels: Sequence[Level[KeptStage]],
        until: int,
        hints: bool,
        recompute: bool = True,
        budgets: Budgets | None = None,
    ) -> Iterator[Done]:
        """Push stages; yields each as its action completes, even if a later one fails.

        Without `hints` every level is a step of its own and nothing is broadcast: for repeating what failed.
        Stages that a row makes fail are named at the end (StagesFailed); without `recompute` they are not
        recomputed before they are given up.
        """
        read = {name for level in levels for _, stage in level for name in stage.reads}
        deciding = Deciding(self.workplace, self.forecaster, until, budgets, read)
        for step in actions(levels, deciding, share=hints):
            yield from self._run(step, deciding, hints, recompute)
        if deciding.failed.errors:
            raise StagesFailed(deciding.failed.errors)

    def _run(self, step: Step[Job], deciding: Deciding, hints: bool, recompute: bool) -> Iterator[Done]:
        """Run the lanes of a step, the first in this thread; a failure is raised when all have ended."""

        def run_by(action: Action[Job], net: bool) -> list[Pushed]:
            with self._telling(action.stages):
                return run_action(self.workplace, action, deciding.relations, hints and not net, net)

        rescue = Rescue(self.workplace, deciding.anew, run_by, deciding.failed, recompute)

        def run(lane: Lane) -> Iterator[Done]:
            for action in lane:
                expected = self.forecaster.expected(action)
                try:
                    pushed = run_by(action, False)
                except Exception as error:
                    if row_cause(error) is None:
                        raise
                    logger.info("a row made a push of %s fail", ", ".join(action.stages), exc_info=True)
                    for rescued in rescue.pushed(action):
                        yield from self._learned(action.spark, rescued, expected)
                else:
                    yield from self._learned(action.spark, pushed, expected)

        first, *others = step.lanes
        # In the context of this thread, so that spans of all lanes belong to this push.
        running = [self._pool.submit(copy_context().run, _collected, run, lane) for lane in others]
        outcomes = [_collected(run, first), *(future.result() for future in running)]
        for outcome in outcomes:
            yield from outcome.done
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error

    def _learned(self, spark: str, pushed: Sequence[Pushed], expected: timedelta) -> Iterator[Done]:
        done = self.forecaster.split(pushed)
        before = self.forecaster.learn(spark, done)
        return ((replace(stage, actions_before=before), expected) for stage in done)

    def close(self) -> None:
        """Wait for the actions that run."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Outcome(NamedTuple):
    """What a lane did, and what stopped it."""

    done: list[Done]
    error: Exception | None = None


def _collected(run: Callable[[Lane], Iterator[Done]], lane: Lane) -> _Outcome:
    done: list[Done] = []
    try:
        done.extend(run(lane))
    except Exception as error:  # noqa: BLE001 - raised when the other lanes are done
        return _Outcome(done, error)
    return _Outcome(done)
