"""Adapted joins before a push: how many probes all matches would take, and who gets those that are granted.

A policy divides the probes of a join among its inputs (overload/joins/adaptation/allowances.py).

What a push takes is decided by the results that it makes and takes out, and these grow with a power of the
rates: at eight times the load a row of three streams finds 64 times as much.  So what the last push made of a
row says nothing about the next; the rows in the windows do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push.workplace import Workplace
from headwater.model import JoinWindow
from headwater.overload.budget import Budget, Claim, Load, by_rate
from headwater.overload.joins.adaptation.allowances import (
    allowances,
    probes_needed,
    share_of_matches,
)
from headwater.overload.joins.adaptation.leaving import leaving
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["AdaptedJoin", "adapted_joins"]


@dataclass(frozen=True, slots=True)
class AdaptedJoin:
    """Rows that arrived, by stream, and the stages that take them."""

    view: str
    stages: Mapping[str, str]
    arrived: Mapping[str, int]
    seconds: float
    plan: JoinPlan
    policy: str
    weight: float
    per_second: float | None  # set by hand
    expected: JoinPlan  # which says how much rows find
    leaving: float = 0.0  # results that go because their rows grow too old

    @property
    def needed(self) -> int:
        return probes_needed(self.plan, self.seconds)

    @property
    def claim(self) -> Claim:
        return Claim(self.view, Load(self.needed), self.needed, self.weight)

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(self.stages.values())

    def results(self, budgets: Mapping[str, Budget]) -> int:
        """Changes of the view, by the budgets of the stages: what is found, and what goes.

        What is found must go later. It counts as if as much went now, or the push that has to take it out
        would have no time for anything else, and the one after it too much.
        """
        found = 0.0
        for (stream, stage), path in zip(self.stages.items(), self.expected.paths, strict=True):
            units = budgets[stage].units if stage in budgets else None
            probed = self.arrived[stream] if units is None else min(units, self.arrived[stream])
            found += probed * path.cardinalities[-1]
        return round(found + max(found, self.leaving))

    def by_hand(self) -> Budget | None:
        if self.per_second is None:
            return None
        return by_rate(Load(self.needed), self.per_second, self.seconds, "probes")

    def budgets(self, budget: Budget) -> dict[str, Budget]:
        """Of each input, by the policy."""
        if budget.units is None or budget.units >= self.needed:
            return dict.fromkeys(self.stages.values(), replace(budget, units=None))
        granted = allowances(self.plan, self.arrived, self.seconds, budget.units, self.policy)
        found = {
            stream: path.cardinalities[-1] for stream, path in zip(self.arrived, self.plan.paths, strict=True)
        }
        share = share_of_matches(self.arrived, granted, found)
        reason = f"{budget.reason}; {self.policy} should find {share:.0%} of the matches with that"
        return {
            stage: replace(budget, units=granted[stream], reason=reason)
            for stream, stage in self.stages.items()
        }


def adapted_joins(workplace: Workplace, views: Collection[str], until: int) -> list[AdaptedJoin]:
    """Those that are to be pushed."""
    needed = {kept.view: kept for level in workplace.catalog.levels(views) for kept, _ in level}
    joins = []
    for kept in needed.values():
        stages = [stage for stage in kept.stages if stage.kind is StageKind.PROBES]
        times = [workplace.timeline(stage.name).time() for stage in stages]
        if stages and min(times) > BEGINNING and max(times) < until:
            joins.append(_join(workplace, kept, stages, min(times), until))
    return joins


def _join(workplace: Workplace, kept: Kept, stages: list[Stage], after: int, until: int) -> AdaptedJoin:
    project = workplace.catalog.project
    window = project.views[kept.view].window
    assert window is not None
    streams = {stage.probing.stream: stage for stage in stages if stage.probing is not None}
    arrived = {
        stream: workplace.timeline_of(stage.reads[0]).arrivals_between(
            workplace.timeline(stage.name).time(), until
        )
        for stream, stage in streams.items()
    }
    seconds = max((until - after) / 1e6, 1e-3)
    join = workplace.learnt.of(project, workplace.warehouse, kept.view, until)
    rates = {stream: rows / seconds for stream, rows in arrived.items()}
    present = {stream: _present(window, rates[stream], join.present.get(stream, 0.0)) for stream in streams}
    keep = min(stage.probing.keep.total_seconds() for stage in stages if stage.probing is not None)
    return AdaptedJoin(
        kept.view,
        {stream: stage.name for stream, stage in streams.items()},
        arrived,
        seconds,
        join.learnt.believed(rates, window.seconds, present),
        project.overload.join_policy,
        window.weight,
        project.overload.probes_per_second,
        join.learnt.expected(rates, window.seconds, present),
        leaving(join.made, after, until, window.seconds, keep),
    )


def _present(window: JoinWindow, rate: float, before: float) -> float:
    """Rows of a stream in its window: as many as there were, or as many as there will soon be.

    The log of its source does not say: what is compacted has a later time than its rows.
    """
    if window.rows is not None:
        return float(window.rows)
    return max(rate * window.seconds, before)
