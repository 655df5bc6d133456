"""What the executor expects of pushes before it starts them, and what it learns from each.

A model is kept for every set of stages that was pushed in one Spark action, because what Spark must plan is
the same each time; a set not seen before starts from what all actions taught.  Recomputing a stage, or
copying it from another site, has a model of its own.  Sparks work side by side, so a push takes as long as
the slowest one in each step; where they share a machine, each one's model has learnt that it is slower.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
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

    def __add__(self, after: Forecast) -> Forecast:
        return Forecast(self.expected + after.expected, self.cautious + after.cautious)

    def __or__(self, beside: Forecast) -> Forecast:
        return Forecast(max(self.expected, beside.expected), max(self.cautious, beside.cautious))


NOTHING = Forecast(timedelta(), timedelta())


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

    def expected(self, jobs: Sequence[Job]) -> dict[str, timedelta]:
        """For each of one Spark's jobs, how long the action will take that it is part of."""
        together = [job for job in jobs if job.small]
        alone = [job for job in jobs if job.mode is not Mode.EMPTY and not job.small]
        found = {job.stage.name: self._alone(job).predict(self._usual(job)) for job in alone}
        if together:
            joint = self.model(_names(together)).predict(_sum([self._usual(job) for job in together]))
            found |= dict.fromkeys(_names(together), joint)
        return found

    def _usual(self, job: Job) -> Effort:
        """What a job has to do, with as many changes out per change in as its stage usually makes."""
        if job.mode is not Mode.INCREMENTAL or job.stage.name not in self.yields:
            return job.effort
        return replace(job.effort, result=round(job.effort.changed * self.yields[job.stage.name]))

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        """How long pushing views to a time would take."""
        pending: dict[str, int] = {}
        forecast = NOTHING
        action: dict[str, Effort] = {}  # levels that will be pushed at once
        for level in self.pushing.catalog.levels(views):
            efforts = {}
            for _, stage in level:
                time = self.pushing.timeline(stage.name).time()
                pending[stage.name] = sum(self._changes(one, time, until, pending) for one in stage.reads)
                if time != BEGINNING and pending[stage.name]:
                    efforts[stage.name] = self._effort(stage, pending[stage.name])
                pending[stage.name] = round(pending[stage.name] * self.yields.get(stage.name, 1.0))
            forecast += Forecast(COMMIT * len(level), COMMIT * len(level))
            copies = {name: efforts.pop(name) for name in efforts.keys() & self.pushing.catalog.copies.keys()}
            read = {name for _, stage in level for name in stage.reads if name in action}
            if action and not self._joins(action, efforts, copies, sum(pending[name] for name in read)):
                forecast, action = forecast + self._step(action), {}
            forecast += _longest(_foreseen(self.recompute(one), effort) for one, effort in copies.items())
            action |= efforts
        return forecast + self._step(action)

    def _joins(
        self, action: Collection[str], stages: Collection[str], copies: Collection[str], kept: int
    ) -> bool:
        """Whether stages will probably be pushed in one action with those of earlier levels."""
        pushing, names = self.pushing, {*action, *stages}
        if any(pushing.catalog.copies[name] in action for name in copies):
            return False
        sparks = {pushing.address(name) for name in names}
        return len(sparks) <= 1 and kept <= MOST_KEPT and not names & self._apart()

    def _apart(self) -> set[str]:
        """The stages that are never pushed together with others: they have no delta."""
        return {stage.name for _, stage in self.pushing.catalog.stages() if stage.plan is None}

    def _step(self, efforts: Mapping[str, Effort]) -> Forecast:
        """Stages that wait for none of each other: Sparks side by side, on each what can be together."""
        sparks: dict[str, list[str]] = {}
        for name in efforts:
            sparks.setdefault(self.pushing.address(name), []).append(name)
        return _longest(self._together(names, efforts) for names in sparks.values())

    def _together(self, names: Collection[str], efforts: Mapping[str, Effort]) -> Forecast:
        apart = self._apart() & set(names)
        joint = frozenset(names) - apart
        span = _foreseen(self.model(joint), _sum([efforts[name] for name in joint])) if joint else NOTHING
        for name in apart:
            span += _foreseen(self.recompute(name), efforts[name])
        return span

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

    def _changes(self, relation: str, after: int, until: int, pending: dict[str, int]) -> int:
        """Changes that a reader at `after` has not seen; with those to come of a stage pushed first."""
        timeline = self.pushing.timeline_of(relation)
        seen = timeline.rows_between(after, until) if timeline.exists() else 0
        return seen + pending.get(relation, 0)

    def _effort(self, stage: Stage, changed: int) -> Effort:
        sizes = [self.pushing.rows(name) for name in stage.reads if name != stage.name]
        own = self.pushing.rows(stage.name) if stage.kind in (StageKind.LINEAR, StageKind.GROUPS) else 0
        return Effort(changed, sum(sizes) + own, round(changed * self.yields.get(stage.name, 1.0)))


def _foreseen(model: TimeModel, effort: Effort) -> Forecast:
    return Forecast(model.predict(effort), model.cautious(effort))


def _longest(spans: Iterable[Forecast]) -> Forecast:
    longest = NOTHING
    for span in spans:
        longest |= span
    return longest


def _names(jobs: Sequence[Job]) -> frozenset[str]:
    return frozenset(job.stage.name for job in jobs)


def _sum(efforts: Sequence[Effort]) -> Effort:
    return Effort(
        sum(one.changed for one in efforts),
        sum(one.scanned for one in efforts),
        sum(one.result for one in efforts),
        sum(one.stages for one in efforts),
    )
