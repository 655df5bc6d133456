"""What the executor expects of pushes before it starts them, and what it learns from each.

A model is kept for every set of stages that was pushed in one Spark action, because what Spark must plan is
the same each time; a set not seen before starts from what all actions taught.  Recomputing a stage has a
model of its own.  The duration of a push is the sum over its actions.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.algebra.stages import Stage, StageKind
from headwater.engine.learnt import Learnt
from headwater.engine.push import Job, Mode, Pushed, Pushing
from headwater.engine.together import MOST_KEPT
from headwater.model import RefreshPolicy
from headwater.sharing.time_model import Choice, Effort, TimeModel, choose
from headwater.storage.delta_log import BEGINNING

__all__ = ["Forecast", "Foresight"]

COMMIT = timedelta(milliseconds=15)  # a stage whose time only moves on


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long a push is expected to take, and how long with the models' usual error on top."""

    expected: timedelta
    cautious: timedelta

    def plus(self, expected: timedelta, cautious: timedelta) -> Forecast:
        return Forecast(self.expected + expected, self.cautious + cautious)


@dataclass(slots=True)
class Foresight:
    pushing: Pushing
    joint: dict[frozenset[str], TimeModel] = field(default_factory=dict)
    full: dict[str, TimeModel] = field(default_factory=dict)
    usual: TimeModel = field(default_factory=TimeModel)
    yields: dict[str, float] = field(default_factory=dict)  # changes out per change in
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start_from(self, learnt: Learnt) -> None:
        """Go on with what earlier runs learnt."""
        self.joint, self.full, self.usual = dict(learnt.joint), dict(learnt.full), learnt.usual

    def model(self, stages: frozenset[str]) -> TimeModel:
        """Of pushing these stages incrementally in one action."""
        return self.joint.get(stages) or self.usual.as_prior()

    def recompute(self, stage: str) -> TimeModel:
        return self.full.get(stage) or self.usual.as_prior()

    def choose(self, stage: Stage, incremental: Effort, full: Effort) -> Choice:
        """Delta or recompute, and why."""
        catalog = self.pushing.catalog
        anew = self.recompute(stage.name).predict(full)
        view = catalog.project.views.get(stage.name.split("$")[0])
        if stage.kind is StageKind.SQL:
            reasons = "; ".join(one.reason for one in catalog.kept[stage.name].obstacles)
            return Choice(True, f"no delta rule: {reasons}", anew)
        by_delta = self.model(frozenset({stage.name})).predict(incremental)
        if view is not None and view.refresh is not RefreshPolicy.AUTO:
            return Choice(False, f"REFRESH POLICY {view.refresh.value}", by_delta)
        return choose(by_delta, anew)

    def expected(self, jobs: Sequence[Job]) -> timedelta:
        """How long a level that is about to be pushed will take."""
        together = [job for job in jobs if job.small]
        alone = [job for job in jobs if job.mode is not Mode.EMPTY and not job.small]
        total = sum((self._alone(job).predict(self._foreseen(job)) for job in alone), timedelta())
        if together:
            total += self.model(_names(together)).predict(_sum([self._foreseen(job) for job in together]))
        return total

    def _foreseen(self, job: Job) -> Effort:
        """What a job has to do, with as many changes out per change in as its stage usually makes."""
        if job.mode is not Mode.INCREMENTAL or job.stage.name not in self.yields:
            return job.effort
        return replace(job.effort, result=round(job.effort.changed * self.yields[job.stage.name]))

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        """How long pushing views to a time would take."""
        pending: dict[str, int] = {}
        forecast = Forecast(timedelta(), timedelta())
        action: dict[str, Effort] = {}  # levels that will be pushed at once
        for level in self.pushing.catalog.levels(views):
            efforts = {}
            for _, stage in level:
                time = self._time(stage.name)
                pending[stage.name] = sum(self._changes(one, time, until, pending) for one in stage.reads)
                if time != BEGINNING and pending[stage.name]:
                    efforts[stage.name] = self._effort(stage, pending[stage.name])
                pending[stage.name] = round(pending[stage.name] * self.yields.get(stage.name, 1.0))
            forecast = forecast.plus(COMMIT * len(level), COMMIT * len(level))
            read = {name for _, stage in level for name in stage.reads if name in action}
            if action and not self._joins(action, efforts, sum(pending[name] for name in read)):
                forecast, action = self._and(forecast, action), {}
            action |= efforts
        return self._and(forecast, action)

    def _joins(self, action: Collection[str], stages: Collection[str], kept: int) -> bool:
        """Whether stages will probably be pushed in one action with those of earlier levels."""
        catalog = self.pushing.catalog
        apart = {stage.name for _, stage in catalog.stages() if stage.plan is None} | catalog.copies.keys()
        names = {*action, *stages}
        together = len({catalog.site_of(name) for name in names}) <= 1 and kept <= MOST_KEPT
        return together and not names & apart

    def _and(self, forecast: Forecast, action: Mapping[str, Effort]) -> Forecast:
        if not action:
            return forecast
        model, effort = self.model(frozenset(action)), _sum(list(action.values()))
        return forecast.plus(model.predict(effort), model.cautious(effort))

    def learn(self, done: Sequence[Pushed]) -> None:
        """One lesson for every action."""
        with self._lock:
            for action in {one.action for one in done if one.mode is not Mode.EMPTY}:
                members = [one for one in done if one.action == action]
                self.yields |= {one.stage: one.effort.result / max(one.effort.changed, 1) for one in members}
                effort = _sum([one.effort for one in members])
                duration = members[0].duration
                if members[0].mode is Mode.INCREMENTAL:
                    names = _names([one.job for one in members])
                    self.joint[names] = self.model(names).learn(effort, duration)
                    self.usual = self.usual.learn(effort, duration)
                else:
                    # Computing a stage for the first time is much like recomputing it.
                    name = members[0].stage
                    self.full[name] = self.recompute(name).learn(effort, duration)

    def _alone(self, job: Job) -> TimeModel:
        if job.mode is Mode.INCREMENTAL:
            return self.model(frozenset({job.stage.name}))
        return self.recompute(job.stage.name)

    def _time(self, stage: str) -> int:
        timeline = self.pushing.timeline(stage)
        return timeline.time() if timeline.exists() else BEGINNING

    def _changes(self, relation: str, after: int, until: int, pending: dict[str, int]) -> int:
        """Changes that a reader at `after` has not seen; with those to come of a stage pushed first."""
        timeline = self.pushing.timeline_of(relation)
        seen = timeline.rows_between(after, until) if timeline.exists() else 0
        return seen + pending.get(relation, 0)

    def _effort(self, stage: Stage, changed: int) -> Effort:
        sizes = [self.pushing.rows(name) for name in stage.reads if name != stage.name]
        own = self.pushing.rows(stage.name) if stage.kind in (StageKind.LINEAR, StageKind.GROUPS) else 0
        return Effort(changed, sum(sizes) + own, round(changed * self.yields.get(stage.name, 1.0)))


def _names(jobs: Sequence[Job]) -> frozenset[str]:
    return frozenset(job.stage.name for job in jobs)


def _sum(efforts: Sequence[Effort]) -> Effort:
    return Effort(
        sum(one.changed for one in efforts),
        sum(one.scanned for one in efforts),
        sum(one.result for one in efforts),
        sum(one.stages for one in efforts),
    )
