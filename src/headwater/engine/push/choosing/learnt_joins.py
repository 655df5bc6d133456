"""What is known of each adapted join, as its pushes have shown (overload/joins/adaptation/learn.py).

A run that begins goes through what the pushes of the last hour noted, and stands where the one before stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf

from headwater.algebra.stages.stage import Kept
from headwater.clock import micros
from headwater.model import JoinWindow, Project
from headwater.overload.joins.adaptation.allowances import Present
from headwater.overload.joins.adaptation.learn import Analysis, Learnt, PathSample, Seen, learn
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.storage.choosing.probes import Probes, probes_since
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.warehouse import Warehouse

__all__ = ["LearntJoin", "LearntJoins"]

LOOKED_BACK = 3_600_000_000  # microseconds before the newest push
MOST_APART = 4  # inputs: of more, the joins apart are so many that planning them takes longer
# Of a push: to join the rows that leave with all that is stored takes less than to plan joins apart if fewer.
MANY_MATCHES = 100_000
LATELY = 3  # pushes
MOST_MADE = 200  # pushes of which it is remembered how many results they made


@dataclass(frozen=True, slots=True)
class LearntJoin:
    """`limited`: in the last push not all rows were allowed to probe. `made`: when results were, and how
    many. `matches`: the same, had all rows probed. `silent_at`: the time of the last push in which rows came
    that did not.
    """

    streams: tuple[str, ...]
    learnt: Learnt
    limited: bool = False
    made: tuple[tuple[int, float], ...] = ()
    matches: tuple[tuple[int, float], ...] = ()
    silent_at: int = BEGINNING
    present: Present = field(default_factory=dict)  # rows in the windows, halfway through the last push

    @property
    def lately(self) -> float:
        """The most results that one of the last pushes found."""
        return max((found for _, found in self.made[-LATELY:]), default=0.0)

    @property
    def tree(self) -> JoinPlan:
        """How the streams are joined; its numbers say nothing."""
        return self.learnt.believed(dict.fromkeys(self.streams, 1.0), 1.0)


@dataclass(slots=True)
class LearntJoins:
    """Of all adapted joins, by view; only the run has one."""

    _joins: dict[str, LearntJoin] = field(default_factory=dict)

    def of(self, project: Project, warehouse: Warehouse, view: str, until: int) -> LearntJoin:
        """As of the pushes before `until`."""
        known, window = self._joins.get(view), _window(project, view)
        streams = tuple(stream.name for stream in window.streams)
        if known is not None and (known.streams, known.learnt.tree) == (streams, window.tree):
            return known
        known = LearntJoin(streams, Learnt(window.tree))
        noted = [probes for probes in probes_since(warehouse, until - LOOKED_BACK) if probes.view == view]
        for at, push in groupby(noted, key=lambda probes: probes.at):
            if at < until:
                known, _ = _after(project, view, known, list(push))
        self._joins[view] = known
        return known

    def apart(self, project: Project, warehouse: Warehouse, kept: Kept, until: int) -> bool:
        """Whether results of rows that leave are looked for by which row came last (stages/by_last.py).

        That pays if rows are stored that did not probe, and matches are many.  It is right either way.
        """
        inputs = [stage.probing for stage in kept.stages if stage.probing is not None]
        if not 0 < len(inputs) <= MOST_APART:
            return False
        join = self.of(project, warehouse, kept.view, until)
        recent = until - 2 * micros(max(probing.keep for probing in inputs))
        most = max((matches for at, matches in join.matches if at > recent), default=0.0)
        return join.silent_at > recent and most >= MANY_MATCHES

    def take_in(
        self, project: Project, warehouse: Warehouse, view: str, push: Sequence[Probes]
    ) -> Analysis | None:
        """A push that has just been noted."""
        before = self.of(project, warehouse, view, push[0].at)
        self._joins[view], analysis = _after(project, view, before, push)
        return analysis


def _after(
    project: Project, view: str, known: LearntJoin, push: Sequence[Probes]
) -> tuple[LearntJoin, Analysis | None]:
    window, learnt = _window(project, view), known.learnt
    seen = _seen(push, known.streams, known.tree)
    if seen is None:
        return known, None
    names = dict(zip(known.tree.streams, known.streams, strict=True))
    learnt, analysis = learn(learnt, seen, window.seconds, project.overload.join_policy, names)
    counted = [row.matches for row in push if row.matches is not None]
    made = (*known.made, (seen.at, sum(found for _, found in counted)))
    every = sum(every for every, _ in counted) if counted else inf  # unknown: perhaps many
    matches = (*known.matches, (seen.at, every))
    silent_at = seen.at if any(row.probed < row.arrived for row in push) else known.silent_at
    return LearntJoin(
        known.streams, learnt, seen.limited, made[-MOST_MADE:], matches[-MOST_MADE:], silent_at, seen.present
    ), analysis


def _seen(push: Sequence[Probes], streams: Sequence[str], tree: JoinPlan) -> Seen | None:
    """None: it says nothing of the view as it is declared now."""
    noted: Mapping[str, Probes] = {probes.stream: probes for probes in push}
    if not noted.keys() <= set(streams):
        return None
    hops = {name: len(path.hops) for name, path in zip(streams, tree.paths, strict=True)}
    samples = {
        name: PathSample(probes.sampled, probes.after, present=probes.present)
        for name, probes in noted.items()
        if probes.sampled and probes.after and len(probes.after) == hops[name]
    }
    seconds = max(probes.seconds for probes in push)
    return Seen(
        push[0].at,
        seconds,
        {name: noted[name].arrived if name in noted else 0 for name in streams},
        {name: noted[name].probed if name in noted else 0 for name in streams},
        samples,
        any(probes.allowance is not None for probes in push),
    )


def _window(project: Project, view: str) -> JoinWindow:
    window = project.views[view].window
    assert window is not None
    return window
