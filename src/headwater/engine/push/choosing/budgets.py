"""Budgets for the stages of a push that choose: from the forecast and the promises, or as the user set them.

Several of them share the time of a push in the proportion of what stands before each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta

from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import Budget, Load, allowed_time, by_forecast, by_rate
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["CautiousOf", "allowed", "budgets"]

CautiousOf = Callable[[Mapping[str, Budget]], timedelta]  # of a push with such budgets


def budgets(
    workplace: Workplace, views: Collection[str], until: int, forecast: CautiousOf
) -> dict[str, Budget]:
    """By stage. `forecast` says how long the push would take, cautiously."""
    catalog = workplace.catalog
    stages = [
        stage
        for level in catalog.levels(views)
        for _, stage in level
        if stage.kind is StageKind.CHOOSING and BEGINNING < workplace.timeline(stage.name).time() < until
    ]
    if not stages:
        return {}
    loads = {stage.name: _load(workplace, stage, until) for stage in stages}
    per_second = catalog.project.overload.updates_per_second
    if per_second is not None:
        return {
            name: by_rate(load, per_second, (until - workplace.timeline(name).time()) / 1e6)
            for name, load in loads.items()
        }
    whole = Load(sum(load.units for load in loads.values()), any(load.choosing for load in loads.values()))
    budget = by_forecast(
        whole,
        allowed(workplace, views, loads, until),
        lambda units: forecast({name: Budget(_share(units, load, whole)) for name, load in loads.items()}),
        all_at_once=forecast({}),
    )
    if budget.units is None:
        return dict.fromkeys(loads, budget)
    return {
        name: Budget(_share(budget.units, load, whole), budget.cost, budget.reason)
        for name, load in loads.items()
    }


def _share(units: int, load: Load, whole: Load) -> int:
    return max(1, units * load.units // max(whole.units, 1))


def _load(workplace: Workplace, stage: Stage, until: int) -> Load:
    """At most every change that has arrived is of another key, and each key waits once."""
    table = table_of(stage.name)
    source, tally = workplace.warehouse.source(table), workplace.waiting(table).tally()
    arrived = source.rows_between(workplace.timeline(stage.name).time(), until)
    return Load(arrived + tally.waits, tally.choosing)


def allowed(workplace: Workplace, views: Collection[str], stages: Collection[str], until: int) -> timedelta:
    """How long the push may take: as the tightest promise of the views above these stages allows."""
    catalog = workplace.catalog
    times = {view: workplace.timeline(view).time() for view in views}
    return min(
        allowed_time(
            catalog.project.views[view].freshness,
            timedelta(microseconds=until - time if time != BEGINNING else 0),
        )
        for view, time in times.items()
        if any(view in catalog.serves(stage) for stage in stages)
    )
