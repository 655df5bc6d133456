"""Streams in memory that a view joins within a window: how many rows came when, and what a row finds.

    rows present   those of a stream that came within a window before a moment
    a row finds    selectivity ** streams * the product of the rows present of the others

So matches grow with a power of the rates.  A result goes when its oldest row is too old (leaving.py says
when); pushes have to take those out, whatever they choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from headwater.algebra.stages.stage import Stage, StageKind
from headwater.bench.simulation.overload.place import Deltas, MemoryPlace, MemoryTimeline
from headwater.engine.push.choosing.learnt_joins import LearntJoins
from headwater.model import JoinWindow
from headwater.overload.budget import EVERYTHING, Budget
from headwater.overload.joins.adaptation.leaving import leaving
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode
from headwater.storage.choosing.probes import Probes

__all__ = ["JOIN", "JoinedStreams"]

JOIN = "joined"
SAMPLED = 400  # rows that are followed along their paths
MOMENTS = 5  # of a push, at which the rows present are counted


class _Inputs(MemoryTimeline):
    """The stage of an input, as far as it is asked whether rows grow too old."""

    def snapshot(self) -> _Inputs:
        return self

    @property
    def files(self) -> tuple[_Inputs, ...]:
        return (self,) if self.total() else ()

    def may_hold(self, *_: object) -> bool:
        return True


class _NoLog:
    def exists(self) -> bool:
        return False


@dataclass(slots=True)
class JoinedStreams(MemoryPlace):
    selectivity: float = 0.0  # of a pair
    learnt: LearntJoins = field(default_factory=LearntJoins)
    made: list[tuple[int, float]] = field(default_factory=list)  # results, and when
    limited: bool = False  # in the last push
    found: float = 0.0  # matches, of
    there: float = 0.0  # that there were

    def system(self, name: str) -> _NoLog:
        """Nothing was noted by runs before."""
        return _NoLog()

    def timeline(self, stage: str) -> MemoryTimeline:
        inputs = stage.startswith(f"{JOIN}$")
        return self.timelines.setdefault(stage, _Inputs() if inputs else MemoryTimeline())

    def doing(self, until: int, budgets: Mapping[str, Budget]) -> Deltas:
        return _Probing(self, until, budgets)

    @property
    def window(self) -> JoinWindow:
        window = self.catalog.project.views[JOIN].window
        assert window is not None
        return window

    @property
    def keep(self) -> float:
        return min((stream.tolerance or self.window.length).total_seconds() for stream in self.window.streams)

    def tree(self, until: int) -> JoinPlan:
        return self.learnt.of(self.catalog.project, self, JOIN, until).tree  # type: ignore[arg-type]

    def present(self, stream: str, after: int, until: int) -> float:
        """Rows in the window of a stream, on average over a push."""
        length = round(self.window.seconds * 1e6)
        moments = (after + (until - after) * number // MOMENTS for number in range(1, MOMENTS + 1))
        return fmean(self.timeline(stream).rows_between(moment - length, moment) for moment in moments)

    def paths(self, after: int, until: int) -> dict[str, tuple[float, ...]]:
        """What a row of each stream becomes at each join of its path."""
        plan = self.tree(until)
        names = dict(zip(plan.streams, (stream.name for stream in self.window.streams), strict=True))
        there = {letter: self.present(name, after, until) for letter, name in names.items()}
        becomes: dict[str, tuple[float, ...]] = {}
        for path in plan.paths:
            rows, steps = 1.0, []
            for hop in path.hops:
                rows *= math.prod(self.selectivity * there[letter] for letter in hop.partner)
                steps.append(rows)
            becomes[names[path.stream]] = tuple(steps)
        return becomes

    def note(self, pushed: Mapping[str, Probes]) -> None:
        """As engine/push/choosing/note_push.py does it."""
        self.limited = any(probes.allowance is not None for probes in pushed.values())
        self.learnt.take_in(self.catalog.project, self, JOIN, list(pushed.values()))  # type: ignore[arg-type]


@dataclass(slots=True)
class _Probing(Deltas):
    _noted: dict[str, Probes] = field(default_factory=dict)

    def ended(self) -> None:
        if self._noted:
            streams = self.place
            assert isinstance(streams, JoinedStreams)
            streams.note(self._noted)

    def work(self, stage: Stage) -> tuple[Mode, Effort]:
        streams = self.place
        assert isinstance(streams, JoinedStreams)
        if stage.kind is StageKind.PROBES:
            return self._probe(streams, stage)
        return self._join(streams, stage) if stage.name == JOIN else Deltas.work(self, stage)

    def _probe(self, streams: JoinedStreams, stage: Stage) -> tuple[Mode, Effort]:
        """Rows come, and as many go as came when rows were as old as those that go."""
        after, source = streams.timeline(stage.name).time(), streams.timeline(stage.reads[0])
        old = round(streams.keep * 1e6)
        arrived, gone = (
            source.rows_between(after, self.until),
            source.rows_between(after - old, self.until - old),
        )
        budget = self.budgets.get(stage.name, EVERYTHING)
        probed = arrived if budget.units is None else min(budget.units, arrived)
        assert stage.probing is not None
        self._noted[stage.probing.stream] = Probes(
            self.until, JOIN, stage.probing.stream, (self.until - after) / 1e6, arrived, probed, 0,
            budget.units, budget.reason,
        )  # fmt: skip
        return (Mode.PROBE if arrived or gone else Mode.EMPTY), Effort(arrived + gone, 0, arrived + gone)

    def _join(self, streams: JoinedStreams, stage: Stage) -> tuple[Mode, Effort]:
        after = streams.timeline(stage.name).time()
        paths = streams.paths(after, self.until)
        found = 0.0
        for name, probes in self._noted.items():
            found += probes.probed * paths[name][-1]
            streams.there += probes.arrived * paths[name][-1]
            there = streams.present(name, after, self.until)
            self._noted[name] = _sampled(probes, paths[name], there)
        goes = leaving(streams.made, after, self.until, streams.window.seconds, streams.keep)
        changed = sum(self.made[name] for name in stage.reads)
        streams.found += found
        streams.made = [*streams.made, (self.until, found)][-200:]
        results = round(found + goes)
        return (Mode.INCREMENTAL if changed or results else Mode.EMPTY), Effort(changed, 0, results)


def _sampled(probes: Probes, becomes: Sequence[float], present: float) -> Probes:
    """With what some of the rows that came find."""
    rows = min(probes.arrived, SAMPLED)
    if not rows:
        return probes
    shown = rows * becomes[-1] * probes.probed / probes.arrived
    after = tuple(rows * each for each in becomes)
    return replace(probes, sampled=rows, after=after, shown=shown, present=present)
