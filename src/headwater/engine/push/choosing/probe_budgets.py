"""Allowances for the inputs of adapted joins: what the promise leaves a push to do, divided by a policy.

The probes of a push are granted as the budget of any stage that chooses (overload/budget.py): as many as
fit the time, by the forecast, or as many as the user set for a second.  A policy divides them among the
inputs.

A push whose fixed costs alone are too long for the promise would look for nothing and be late all the same.
It may take somewhat longer than without any probe, so that a view never stops finding matches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push.choosing.budgets import CautiousOf, allowed
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import Budget, Load, by_forecast, by_rate
from headwater.overload.joins.adaptation.allowances import (
    allowances,
    probes_needed,
    share_of_matches,
)
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["probe_budgets"]

PROBING = 1.25  # of what a push takes without any probe: so long it may take, however late the view is


def probe_budgets(
    workplace: Workplace, views: Collection[str], until: int, forecast: CautiousOf
) -> dict[str, Budget]:
    """By stage. `forecast` says how long the push would take, cautiously."""
    granted: dict[str, Budget] = {}
    for join in _joins(workplace, views, until):
        per_second = workplace.catalog.project.overload.probes_per_second
        load = Load(join.needed)
        if per_second is not None:
            budget = by_rate(load, per_second, join.seconds, "probes")
        else:
            without = forecast(join.budgets(Budget(0)))
            budget = by_forecast(
                load,
                max(allowed(workplace, views, join.stages.values(), until), without * PROBING),
                lambda units, join=join: forecast(join.budgets(Budget(units))),  # type: ignore[misc]
            )
        granted |= join.budgets(budget)
    return granted


@dataclass(frozen=True, slots=True)
class _Join:
    """An adapted join before a push: rows that arrived, by stream, and the stages that take them."""

    stages: Mapping[str, str]
    arrived: Mapping[str, int]
    seconds: float
    plan: JoinPlan
    policy: str

    @property
    def needed(self) -> int:
        return probes_needed(self.plan, self.seconds)

    def budgets(self, budget: Budget) -> dict[str, Budget]:
        if budget.units is None or budget.units >= self.needed:
            return dict.fromkeys(self.stages.values(), replace(budget, units=None))
        granted = allowances(self.plan, self.arrived, self.seconds, budget.units, self.policy)
        found = {
            stream: path.cardinalities[-1] for stream, path in zip(self.arrived, self.plan.paths, strict=True)
        }
        share = share_of_matches(self.arrived, granted, found)
        reason = f"{budget.reason}; {self.policy} should find {share:.0%} of the matches with that"
        return {stage: Budget(granted[stream], budget.cost, reason) for stream, stage in self.stages.items()}


def _joins(workplace: Workplace, views: Collection[str], until: int) -> list[_Join]:
    needed = {kept.view: kept for level in workplace.catalog.levels(views) for kept, _ in level}
    joins = []
    for kept in needed.values():
        stages = [stage for stage in kept.stages if stage.kind is StageKind.PROBES]
        times = [workplace.timeline(stage.name).time() for stage in stages]
        if stages and min(times) > BEGINNING and max(times) < until:
            joins.append(_join(workplace, kept, stages, min(times), until))
    return joins


def _join(workplace: Workplace, kept: Kept, stages: list[Stage], after: int, until: int) -> _Join:
    project = workplace.catalog.project
    window = project.views[kept.view].window
    assert window is not None
    streams = {stage.probing.stream: stage for stage in stages if stage.probing is not None}
    arrived = {
        stream: workplace.timeline_of(stage.reads[0]).rows_between(
            workplace.timeline(stage.name).time(), until
        )
        for stream, stage in streams.items()
    }
    seconds = max((until - after) / 1e6, 1e-3)
    join = workplace.learnt.of(project, workplace.warehouse, kept.view, until)
    rates = {stream: rows / seconds for stream, rows in arrived.items()}
    return _Join(
        {stream: stage.name for stream, stage in streams.items()},
        arrived,
        seconds,
        join.learnt.believed(rates, window.seconds),
        project.overload.join_policy,
    )
