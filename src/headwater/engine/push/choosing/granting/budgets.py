"""Budgets for the stages of a push that choose: from the forecast and the promises, or as the user set them.

Update streams and adapted joins of one push share its time (overload/budget.py).  Those whose rate is set by
hand take what they may, and the others what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from headwater.engine.push.choosing.granting.adapted_joins import AdaptedJoin
from headwater.engine.push.choosing.granting.update_streams import UpdateStream, update_streams
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import Budget, allowed_time, share_time
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["CautiousOf", "allowed", "budgets"]

CautiousOf = Callable[[Mapping[str, Budget]], timedelta]  # of a push with such budgets
Chooser = UpdateStream | AdaptedJoin


def budgets(
    workplace: Workplace,
    views: Collection[str],
    until: int,
    joins: Iterable[AdaptedJoin],
    forecast: CautiousOf,
) -> dict[str, Budget]:
    """By stage. `joins`: those to be pushed; `forecast` says how long the push would take, cautiously."""
    choosers: list[Chooser] = [*update_streams(workplace, views, until), *joins]
    given: dict[str, Budget] = {}
    compete: list[Chooser] = []
    for chooser in choosers:
        budget = chooser.by_hand()
        if budget is None:
            compete.append(chooser)
        else:
            given |= chooser.budgets(budget)
    return given | _shared(workplace, views, until, compete, lambda more: forecast(given | dict(more)))


def _shared(
    workplace: Workplace, views: Collection[str], until: int, compete: Sequence[Chooser], forecast: CautiousOf
) -> dict[str, Budget]:
    if not compete:
        return {}
    by_name = {chooser.claim.name: chooser for chooser in compete}

    def of_units(units: Mapping[str, int]) -> timedelta:
        return forecast(
            {
                stage: budget
                for name, taken in units.items()
                for stage, budget in by_name[name].budgets(Budget(taken)).items()
            }
        )

    shared = share_time([chooser.claim for chooser in compete], allowed(workplace, views, until), of_units)
    return {
        stage: budget
        for name, granted in shared.items()
        for stage, budget in by_name[name].budgets(granted).items()
    }


def allowed(workplace: Workplace, views: Collection[str], until: int) -> timedelta:
    """How long the push may take: as the tightest promise of its views allows."""
    catalog = workplace.catalog
    times = {view: workplace.timeline(view).time() for view in views}
    return min(
        allowed_time(
            catalog.project.views[view].freshness,
            timedelta(microseconds=until - time if time != BEGINNING else 0),
        )
        for view, time in times.items()
    )
