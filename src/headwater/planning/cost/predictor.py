"""How long an action will take: the operators' models, corrected by the actions that were run.

    seconds  =  a * (fixed cost of the action + fixed parts of its stages)  +  b * (seconds for its rows)

a and b are 1 before anything has run.  Every action that was run is a lesson: for exactly its set of stages,
because Spark plans the same query for them each time, and for all actions, whose factors are the prior of a
set that was never run.  The factors are fitted by non-negative least squares of relative errors; the prior
counts a little, and recent lessons count more than old ones.  Recomputing a stage, or copying it, is a set of
its own.

A stage also has habits that no operator's model knows: how many changes it makes of each change that it
reads, and how many rows it scans for that.  Its next push is assumed to be like its last.

What is learnt for the two ways of refreshing a view is in ways.py.

`headwater plan`, the forecasts of a run and the choice between delta and recompute all use this predictor.
Lessons are read back from the pushes table (storage/records/lessons.py), so nothing else is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from statistics import median

from headwater.algebra.stages.stage import Stage
from headwater.model import RefreshPolicy
from headwater.planning.cost.correction import KEEP, Correction
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.lesson import (
    WARMING,
    Done,
    Kind,
    Lesson,
    by_delta,
    is_copy,
    kind_of,
    recomputed_as_a_whole,
    slowdown,
    view_of,
)
from headwater.planning.cost.learning.ways import Refresh, Ways, choose_way, usual_recompute
from headwater.planning.cost.operators import OPERATORS, Operators
from headwater.planning.cost.refresh import Choice, choose, recompute_is_faster
from headwater.planning.cost.stage_seconds import (
    Seconds,
    Shape,
    choice_seconds,
    copy_seconds,
    delta_seconds,
    recompute_seconds,
    shape_of,
)
from headwater.planning.stages.actions import Mode
from headwater.scheduling.forecast import Forecast

__all__ = [
    "WARMING", "Correction", "Done", "Kind", "Lesson", "Parts", "Predictor", "by_delta", "kind_of",
]  # fmt: skip

FADING_OF_ALL = 0.9  # all actions together: one small action says little about the next large one


@dataclass(frozen=True, slots=True)
class Parts:
    """The seconds of an action: its own fixed cost, and what each stage adds."""

    action: float
    stages: Mapping[str, float]

    def shares(self) -> dict[str, float]:
        """The share of each stage in the action; the action's own cost is shared evenly."""
        even = self.action / len(self.stages) if self.stages else 0.0
        total = self.action + sum(self.stages.values())
        if total <= 0:
            return dict.fromkeys(self.stages, 1 / len(self.stages)) if self.stages else {}
        return {stage: (seconds + even) / total for stage, seconds in self.stages.items()}


@dataclass(frozen=True, slots=True)
class Predictor:
    """Operators, corrections and habits. Immutable: `learn` returns a better one."""

    operators: Operators = OPERATORS
    shapes: Mapping[str, Shape] = field(default_factory=dict)  # of stages
    sites: Mapping[str, str] = field(default_factory=dict)  # of stages
    joint: Mapping[frozenset[str], Correction] = field(default_factory=dict)  # stages of one action
    alone: Mapping[tuple[str, Mode], Correction] = field(default_factory=dict)  # recomputed or copied
    usual: Correction = Correction(fading=FADING_OF_ALL)
    yields: Mapping[str, float] = field(default_factory=dict)  # changes made per change read
    scans: Mapping[str, int] = field(default_factory=dict)  # rows scanned
    cpu: tuple[float, ...] = ()  # CPU-seconds per second of the last actions
    ways: Mapping[str, Ways] = field(default_factory=dict)  # of views: their deltas, recomputed as a whole

    def for_stages(self, stages: Iterable[Stage], site_of: Callable[[str], str]) -> Predictor:
        """The same predictor, for these stages as well."""
        more = list(stages)
        return replace(
            self,
            shapes={**self.shapes, **{stage.name: shape_of(stage) for stage in more}},
            sites={**self.sites, **{stage.name: site_of(stage.name) for stage in more}},
        )

    def choose(self, stage: Stage, by_delta: Effort, anew: Effort, policy: RefreshPolicy) -> Choice:
        """Delta or recompute, and why. A stage without a plan has no delta."""
        if stage.plan is None:
            return Choice(True, "no delta rule")
        if policy is not RefreshPolicy.AUTO:
            return Choice(False, f"REFRESH POLICY {policy.value}")
        return choose(*self._both_ways(stage.name, by_delta, anew))

    def recomputes(self, stage: Stage, by_delta: Effort, anew: Effort, policy: RefreshPolicy) -> bool:
        """The same without the reason: `plan` asks a dozen times for each view."""
        if stage.plan is None or policy is not RefreshPolicy.AUTO:
            return stage.plan is None
        if (view := view_of(stage.name)) in self.ways:
            return self.ways[view].recomputed
        return recompute_is_faster(*self._both_ways(stage.name, by_delta, anew))

    def choose_way(self, refresh: Refresh) -> Choice:
        """A view's delta, or a recompute of the view as a whole, and why."""
        view = refresh.kept.view
        anew = Effort(0, sum(refresh.sizes[name] for name in refresh.whole.reads), refresh.sizes[view])
        whole = self.operators_say(view, Mode.FULL, anew)
        fixed = self._action_at(view)
        delta = sum(self._delta_of(refresh)) + fixed
        ways = self.ways.get(view, Ways())
        usual = usual_recompute(self.ways.values())
        return choose_way(ways, delta, sum(whole) + fixed, refresh.emptied, refresh.promise, usual)

    def _delta_of(self, refresh: Refresh) -> Seconds:
        """What the operators say of a view's stages, each with the changes that those before it make."""
        changes, total = dict(refresh.changed), Seconds(0.0, 0.0)
        for stage in refresh.kept.stages:
            changed = sum(changes.get(name, 0) for name in stage.reads)
            beside = sum(refresh.sizes.get(name, 0) for name in stage.reads)
            effort = self.usually(stage.name, Effort(changed, beside, changed))
            changes[stage.name] = effort.result
            total = total.plus(self.operators_say(stage.name, Mode.INCREMENTAL, effort))
        return total

    def recomputed_as_a_whole(self, view: str) -> bool:
        """Whether a view was refreshed so the last time."""
        return view in self.ways and self.ways[view].recomputed

    def published(self, view: str, seconds: float) -> Predictor:
        """The predictor after a view's plain table was brought up to date."""
        if view not in self.ways:
            return self
        return replace(self, ways={**self.ways, view: self.ways[view].published(seconds)})

    def _both_ways(self, stage: str, by_delta: Effort, anew: Effort) -> tuple[timedelta, timedelta]:
        """A stage by itself, by its delta and recomputed."""
        action = self._action_at(stage)
        delta = self.operators_say(stage, Mode.INCREMENTAL, self.usually(stage, by_delta))
        return self._as_usual(delta, action), self._as_usual(
            self.operators_say(stage, Mode.FULL, anew), action
        )

    def _as_usual(self, operators: Seconds, action: float) -> timedelta:
        """With the factors of all actions: those of single sets, from other loads, do not compare."""
        return timedelta(seconds=self.usual.seconds(Seconds(operators.fixed + action, operators.rows)))

    def operators_say(self, stage: str, mode: Mode, effort: Effort) -> Seconds:
        """What a stage adds to its action, uncorrected."""
        shape, site = self.shapes.get(stage, Shape()), self.sites.get(stage, "default")
        match mode:
            case Mode.INCREMENTAL | Mode.PROBE:
                return delta_seconds(shape, effort, self.operators, site)
            case Mode.EMPTY:
                return Seconds(0.0, 0.0)
            case Mode.COPY:
                return copy_seconds(effort, self.operators, site)
            case Mode.CHOOSE:
                return choice_seconds(effort, self.operators, site)
            case Mode.INITIAL | Mode.FULL:
                return recompute_seconds(shape, effort, self.operators, site)

    def usually(self, stage: str, effort: Effort) -> Effort:
        """A delta's effort, with results and scanned rows as the stage's last push suggests."""
        result = round(effort.changed * self.yields[stage]) if stage in self.yields else effort.result
        return Effort(effort.changed, self.scans.get(stage, effort.scanned), result)

    def forecast(self, works: Mapping[str, Done], before: int | None = None) -> Forecast:
        """How long an action will take; `before` as in a lesson."""
        working = {stage: done for stage, done in works.items() if done.mode is not Mode.EMPTY}
        if not working:
            return Forecast()
        correction = self._correction(working)
        slower = 1.0 if is_copy(working) else slowdown(before)
        return correction.forecast(self._operators_say(working), slower)

    def parts(self, works: Mapping[str, Done], as_usual: bool = False) -> Parts:
        """An action's expected seconds: its own, and what each stage adds.

        `as_usual`: with the factors of all actions, to compare it with one that never ran.
        """
        factors = ((None if as_usual else self._learnt(works)) or self.usual).factors
        stages = {}
        for stage, done in works.items():
            operators = self.operators_say(stage, done.mode, done.effort)
            stages[stage] = factors.fixed * operators.fixed + factors.rows * operators.rows
        return Parts(factors.fixed * self._action_say(works), stages)

    def learn(self, lesson: Lesson) -> Predictor:
        """The predictor after one more lesson."""
        return self.learn_all((lesson,))

    def learn_all(self, lessons: Iterable[Lesson]) -> Predictor:
        """The predictor after more lessons, oldest first. Those of unknown stages are skipped."""
        usable = [
            lesson for lesson in lessons if lesson.stages and lesson.stages.keys() <= self.shapes.keys()
        ]
        by_delta: list[tuple[Seconds, float]] = []
        joint: dict[frozenset[str], list[tuple[Seconds, float]]] = {}
        alone: dict[tuple[str, Mode], list[tuple[Seconds, float]]] = {}
        habits: dict[str, Effort] = {}
        for lesson in usable:
            measured = self._operators_say(lesson.stages), lesson.seconds / lesson.slowdown
            if lesson.by_delta:
                by_delta.append(measured)
                joint.setdefault(frozenset(lesson.stages), []).append(measured)
                habits |= {stage: done.effort for stage, done in lesson.stages.items() if done.effort.changed}
            else:
                for key in {_alone(stage, done.mode) for stage, done in lesson.stages.items()}:
                    alone.setdefault(key, []).append(measured)
        usual = self.usual.learn_all(by_delta)
        start = usual.as_prior()
        taught = {key: self.joint.get(key, start).learn_all(own) for key, own in joint.items()}
        taught_alone = {key: self.alone.get(key, start).learn_all(own) for key, own in alone.items()}
        cpu = [
            lesson.cpu_seconds / lesson.seconds for lesson in usable if lesson.by_delta and lesson.seconds > 0
        ]
        return replace(
            self,
            joint={**self.joint, **taught},
            alone={**self.alone, **taught_alone},
            usual=usual,
            yields={**self.yields, **{stage: last.result / last.changed for stage, last in habits.items()}},
            scans={**self.scans, **{stage: last.scanned for stage, last in habits.items()}},
            cpu=(*self.cpu, *cpu)[-KEEP:],
            ways=self._ways_after(usable),
        )

    def _ways_after(self, lessons: Iterable[Lesson]) -> dict[str, Ways]:
        ways = dict(self.ways)
        for lesson in lessons:
            for view, stages, took in lesson.by_view():
                if (whole := recomputed_as_a_whole(stages)) is not None:
                    said = sum(map(sum, (self.operators_say(*_asked(*done)) for done in stages.items())))
                    ways[view] = ways.get(view, Ways()).learn(whole, said + self._action_at(view), took)
        return ways

    def factor(self, stages: Iterable[str]) -> float | None:
        """Measured over predicted, in the actions of any of these stages; None if there were none."""
        wanted = set(stages)
        ratios = [
            measured / total
            for names, correction in self.joint.items()
            if names & wanted
            for operators, measured in correction.lessons
            if (total := sum(operators)) > 0
        ]
        return median(ratios) if ratios else None

    @property
    def cpu_per_second(self) -> float:
        """The cores that an action keeps busy."""
        return median(self.cpu) if self.cpu else 1.0

    @property
    def corrected_operators(self) -> Operators:
        """The operators with the factors of all actions: what the search for a plan uses."""
        return self.operators.scaled(*self.usual.factors)

    def _operators_say(self, works: Mapping[str, Done]) -> Seconds:
        total = Seconds(0.0, 0.0)
        for stage, done in works.items():
            total = total.plus(self.operators_say(stage, done.mode, done.effort))
        return total.plus(Seconds(self._action_say(works), 0.0))

    def _action_say(self, works: Mapping[str, Done]) -> float:
        """The fixed cost of an action; a copy runs without Spark and has none."""
        return 0.0 if is_copy(works) else self._action_at(next(iter(works)))

    def _action_at(self, stage: str) -> float:
        return self.operators.action / self.operators.speeds.get(self.sites.get(stage, "default"), 1.0)

    def _correction(self, works: Mapping[str, Done]) -> Correction:
        return self._learnt(works) or self.usual.as_prior()

    def _learnt(self, works: Mapping[str, Done]) -> Correction | None:
        """What was learnt from actions of just these stages."""
        if by_delta(works):
            return self.joint.get(frozenset(works)) if self.joint else None
        stage, done = next(iter(works.items()))
        return self.alone.get(_alone(stage, done.mode))


def _alone(stage: str, mode: Mode) -> tuple[str, Mode]:
    """Computing a stage for the first time is much like recomputing it."""
    return stage, Mode.FULL if mode is Mode.INITIAL else mode


def _asked(stage: str, done: Done) -> tuple[str, Mode, Effort]:
    return stage, done.mode, done.effort
