"""What keeping the views will take, before it is done: seconds on the critical path, pushes, dollars.

For a view with freshness F, with the time model's estimate CP(x) of a push that carries x seconds of changes
(the views it reads are pushed first, so their stages are on the path too):

    critical path     CP(SLACK * F)
    admitted          CP(SLACK * F) <= F
    tight             2 * CP > F: with a push always under way, the last one's start is already 2 CP old
    interval          max(SLACK * F - CP, CP): how often the executor will push; a view is pushed at least as
                      often as the views that read it
    dollars per hour  pushes per hour * seconds of the view's own stages * busy cores
                      * price of a core hour / 3600

A push without changes costs nothing, so pushes are counted as if changes came at random at their rate: of
all pushes, 1 - exp(-rate * interval) carry something.  "Busy cores" is CPU-seconds over seconds of the
stage's measured pushes; before there are any, one core.

The smallest freshness is found by bisection.  CP grows with x along a straight line or below one (a full
refresh may become cheaper), so CP(SLACK * F) - F changes sign once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.model import RefreshPolicy, View
from headwater.sharing.facts import Facts, Origin, facts_of
from headwater.sharing.schedule import SLACK
from headwater.sharing.time_model import Effort, TimeModel, choose

__all__ = ["Estimate", "Inputs", "Step", "estimate"]

LONGEST = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything an estimate rests on. `kept` is in dependency order; `models` are (incremental, full)."""

    kept: Mapping[str, Kept]
    views: Mapping[str, View]
    sources: Mapping[str, Facts]
    stored: Mapping[str, int] = field(default_factory=dict)  # stage -> rows it holds, where it is computed
    models: Mapping[str, tuple[TimeModel, TimeModel]] = field(default_factory=dict)  # stage -> learnt
    busy: Mapping[str, float] = field(default_factory=dict)  # stage -> cores a push keeps busy
    core_hour: Decimal = Decimal("0.17")


@dataclass(frozen=True, slots=True)
class Step:
    """A stage on the critical path: what its push would do and how long it would take."""

    stage: str
    full: bool
    reason: str
    effort: Effort
    seconds: float
    measured: int  # pushes that the estimate of the time rests on


@dataclass(frozen=True, slots=True)
class Estimate:
    view: str
    path: tuple[Step, ...]
    own: tuple[Step, ...]  # those of the path that are the view's own
    critical_path: timedelta
    admitted: bool
    tight: bool
    smallest: timedelta | None  # the smallest freshness that would be admitted; None: none would be
    pushes_per_hour: float
    busy_cores: float  # kept busy all the time, on average
    dollars_per_hour: float


def estimate(given: Inputs) -> dict[str, Estimate]:
    """An estimate for every view, in dependency order."""
    known = _known(given)
    paths = {name: _View(given, known, name) for name in given.kept}
    intervals = {name: _interval(given.views[name].freshness, one) for name, one in paths.items()}
    for name in reversed(list(given.kept)):
        for read in given.kept[name].reads:
            if read in intervals:
                intervals[read] = min(intervals[read], intervals[name])
    return {name: _judge(given, one, intervals[name]) for name, one in paths.items()}


def _known(given: Inputs) -> dict[str, Facts]:
    """The facts of every relation: sources, then stages as they are computed from them."""
    known = dict(given.sources)
    for kept in given.kept.values():
        for stage in kept.stages:
            if stage.plan is not None:
                found = facts_of(stage.plan, known)
            else:
                found = _recomputed([known[name] for name in stage.reads])
            rows = given.stored.get(stage.name)
            known[stage.name] = found if rows is None else Facts(rows, found.rate, Origin.STATISTICS)
    return known


def _recomputed(reads: Sequence[Facts]) -> Facts:
    """SQL without a plan: as many rows as its largest input, and each change there may change one here."""
    return Facts(max((one.rows for one in reads), default=1.0), 2.0 * sum(one.rate for one in reads))


@dataclass(frozen=True, slots=True)
class _View:
    """A view's critical path as a function of the seconds of changes a push carries."""

    given: Inputs
    known: Mapping[str, Facts]
    name: str

    def path(self, seconds: float) -> tuple[Step, ...]:
        return tuple(self._step(stage, seconds) for name in self._order() for stage in self._stages(name))

    def duration(self, seconds: float) -> float:
        return sum(step.seconds for step in self.path(seconds))

    def rate(self) -> float:
        """Changes per second of what the view's own stages read."""
        return sum(self.known[name].rate for name in self.given.kept[self.name].reads)

    def _order(self) -> list[str]:
        """The views below, in dependency order, and the view itself."""
        needed = {self.name}
        for name in reversed(list(self.given.kept)):
            if name in needed:
                needed |= set(self.given.kept[name].reads)
        return [name for name in self.given.kept if name in needed]

    def _stages(self, view: str) -> tuple[Stage, ...]:
        return self.given.kept[view].stages

    def _step(self, stage: Stage, seconds: float) -> Step:
        by_delta, by_full = self._efforts(stage, seconds)
        incremental, full = self.given.models.get(stage.name, (TimeModel(), TimeModel()))
        delta_time, full_time = incremental.predict(by_delta), full.predict(by_full)
        view = self.given.views[stage.name.split("$")[0]]
        if stage.kind is StageKind.SQL:
            is_full, reason = True, "there is no delta rule for it"
        elif view.refresh is not RefreshPolicy.AUTO:
            is_full, reason = False, f"REFRESH POLICY {view.refresh.value}"
        else:
            choice = choose(delta_time, full_time)
            is_full, reason = choice.full, choice.reason
        effort, time, model = (by_full, full_time, full) if is_full else (by_delta, delta_time, incremental)
        return Step(stage.name, is_full, reason, effort, time.total_seconds(), len(model.observations))

    def _efforts(self, stage: Stage, seconds: float) -> tuple[Effort, Effort]:
        """What an incremental and a full push would do, in rows; the executor counts them the same way."""
        reads = [self.known[name] for name in stage.reads if name != stage.name]
        own = self.known[stage.name]
        changed = sum(one.rate for one in reads) * seconds
        result = min(own.rate * seconds, 2 * (own.rows + changed))
        moving = [one for one in reads if one.rate > 0]
        scanned = sum(one.rows for one in reads if len(moving) > 1 or one.rate == 0)
        scanned += own.rows if stage.kind in (StageKind.LINEAR, StageKind.GROUPS) else 0
        full_scan = sum(one.rows for one in reads) + own.rows
        return (
            Effort(math.ceil(changed), math.ceil(scanned), math.ceil(result)),
            Effort(0, math.ceil(full_scan), math.ceil(max(own.rows, result))),
        )


def _interval(freshness: timedelta, view: _View) -> float:
    """Seconds from one push to the next."""
    allowed = SLACK * freshness.total_seconds()
    duration = view.duration(allowed)
    return max(allowed - duration, duration, 0.001)


def _judge(given: Inputs, view: _View, interval: float) -> Estimate:
    freshness = given.views[view.name].freshness.total_seconds()
    path = view.path(SLACK * freshness)
    seconds = sum(step.seconds for step in path)
    mine = {stage.name for stage in given.kept[view.name].stages}
    carrying = 1.0 - math.exp(-view.rate() * interval)
    pushes = 3600.0 / interval * carrying
    paid = [step for step in view.path(interval) if step.stage in mine]
    core_seconds = pushes * sum(step.seconds * given.busy.get(step.stage, 1.0) for step in paid)
    return Estimate(
        view=view.name,
        path=path,
        own=tuple(step for step in path if step.stage in mine),
        critical_path=timedelta(seconds=seconds),
        admitted=seconds <= freshness,
        tight=freshness < 2 * seconds,
        smallest=_smallest(view),
        pushes_per_hour=pushes,
        busy_cores=core_seconds / 3600,
        dollars_per_hour=core_seconds / 3600 * float(given.core_hour),
    )


def _smallest(view: _View) -> timedelta | None:
    """The least F with CP(SLACK * F) <= F, rounded up to hundredths of a second."""
    low, high = 0.0, LONGEST.total_seconds()
    if view.duration(SLACK * high) > high:
        return None
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if view.duration(SLACK * middle) <= middle else (middle, high)
    return timedelta(seconds=math.ceil(high * 100 - 1e-6) / 100)
