"""What keeping a project's views will take, said before it is done: `headwater plan`. No Spark is started.

All views are planned together: each is admitted or refused by itself, then the admitted ones share what they
can (sharing/global_plan.py).  Once there are pushes, the plan is made a second time with what they taught
(corrections.py); views over views begin when those are fresh, so their critical paths contain each other's.

Views that are only asked about (EXPLAIN CREATE MATERIALIZED VIEW, `--with`) are added to the plan of those
that are kept, one by one: what the plan costs more with them is what they would cost, and what it does to the
others is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headwater.catalog import Catalog, build
from headwater.model import Project
from headwater.serve.corrections import Corrections, Pushes, corrected, corrections, read_pushes
from headwater.serve.planned import Effect, Estimate, KeptPlan, Planned, PlannedView
from headwater.serve.remembered import continued, remembered
from headwater.serve.situation import Gathered, gather
from headwater.sharing.admission import admit, eased_promise
from headwater.sharing.costs import HOUR
from headwater.sharing.global_plan import GlobalPlan, plan_all, plan_one_more
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation
from headwater.storage.warehouse import Warehouse

__all__ = ["Effect", "Estimate", "Planned", "PlannedView", "asking", "plan", "plan_views"]


def asking(project: Project) -> Project:
    """The project with the views that EXPLAIN statements ask about among its own, after all others.

    A question about a view that is there already is asked under another name, so both can be compared.
    """
    views = dict(project.views)
    for view in project.explained:
        name = view.name
        while name.lower() in {known.lower() for known in views}:
            name += " (asked)"
        views[name] = replace(view, name=name)
    return replace(project, views=views, explained=())


def plan(kept: Project, asked: Project, warehouse: Warehouse) -> Planned:
    """Plan the views of `kept`, and those that only `asked` has as if they were kept too."""
    now = build(kept)
    whole = now if asked.views.keys() == kept.views.keys() else build(asked)
    given = gather(whole, warehouse)
    mine = [given.sharings[name] for name in now.kept]
    extra = [given.sharings[name] for name in whole.kept if name not in now.kept]
    made, situation, found = _planned(mine, given.situation, read_pushes(warehouse))
    more, later = _one_by_one(made, mine, extra, situation)
    judged = _Judged(more, later, found)
    return Planned(
        project=kept.name,
        views=tuple(_view(whole, given, judged, name, name not in now.kept) for name in whole.kept),
        sources=given.sources,
        plan=made,
        plan_with=more,
        busy_cores=judged.busy_cores(),
        effects=tuple(_effects(made, more)) if extra else (),
        corrections=found,
        calibration=given.calibration,
        core_hour=float(kept.prices.core_hour),
        kept=_kept(now, mine, made, situation, warehouse),
    )


def _kept(
    catalog: Catalog, mine: Sequence[Sharing], made: GlobalPlan, situation: Situation, warehouse: Warehouse
) -> KeptPlan | None:
    """What the plan that runs keep to costs now; refused views are kept by it, too, as fresh as can be."""
    known = remembered(warehouse)
    if known is None:
        return None
    eased, fresh = _eased(mine, made, situation)
    plan = continued(known, catalog, {one.view: one for one in eased}, situation)
    return KeptPlan(
        plan.graph, plan.graph == fresh.graph, sum(plan.shared.values()), sum(fresh.shared.values())
    )


def plan_views(catalog: Catalog, warehouse: Warehouse) -> tuple[GlobalPlan, Gathered]:
    """The global plan by which a catalog's views are kept, and what it rests on.

    A view that is refused is kept all the same, as fresh as can be: so it shares its work, as if it had
    promised what can be kept.
    """
    given = gather(catalog, warehouse)
    sharings = list(given.sharings.values())
    made, situation, _ = _planned(sharings, given.situation, read_pushes(warehouse))
    return _eased(sharings, made, situation)[1], given


def _eased(
    sharings: Sequence[Sharing], made: GlobalPlan, situation: Situation
) -> tuple[list[Sharing], GlobalPlan]:
    """The views with promises that can be kept, and their plan: the one made, if none was refused."""
    eased = [eased_promise(one, made.admissions[one.view]) for one in sharings]
    return eased, made if eased == list(sharings) else plan_all(eased, situation)


def _planned(
    sharings: Sequence[Sharing], situation: Situation, pushes: Pushes
) -> tuple[GlobalPlan, Situation, Corrections]:
    """The plan, made again with what pushes taught if they say anything."""
    first = _with_delays(sharings, situation)
    made = plan_all(sharings, first)
    sites = {one.view: one.site for one in sharings}
    cores = {site: load.cores for site, load in made.shares.resources.loads.items()}
    found = corrections(pushes, made.graph, sites, first, cores)
    if not found.views and not found.cpu:
        return made, first, found
    second = _with_delays(sharings, corrected(situation, found))
    return plan_all(sharings, second), second, found


def _with_delays(sharings: Sequence[Sharing], situation: Situation) -> Situation:
    """A view over views begins when those are fresh. `sharings` are in dependency order."""
    read = {one.relation for sharing in sharings for one in (*sharing.core.inputs, *sharing.also)}
    for sharing in sharings:
        if sharing.view in read and sharing.view not in situation.delays:
            seconds = admit(sharing, situation).critical_path.seconds
            situation = replace(situation, delays={**situation.delays, sharing.view: seconds})
    return situation


def _one_by_one(
    made: GlobalPlan, mine: Sequence[Sharing], extra: Sequence[Sharing], situation: Situation
) -> tuple[GlobalPlan, Situation]:
    """The plan with further views: what is there stays."""
    if extra:
        situation = _with_delays([*mine, *extra], situation)
    for sharing in extra:
        made = plan_one_more(made, sharing, situation).plan
    return made, situation


@dataclass(frozen=True, slots=True)
class _Judged:
    """A global plan with what it says of each view."""

    plan: GlobalPlan
    situation: Situation
    found: Corrections

    def estimate(self, sharing: Sharing) -> Estimate:
        admission = self.plan.admissions[sharing.view]
        price = admission.planned.price
        path, dollars = self.plan.paths.get(sharing.view), self.plan.shared.get(sharing.view)
        inputs = (*sharing.core.inputs, *sharing.also)
        return Estimate(
            admission,
            price.path if path is None else path,
            _pushes(sum(self.situation.facts[one.relation].rate for one in inputs), price.carries),
            admission.dollars_per_hour,
            admission.dollars_per_hour if dollars is None else dollars,
            self.found.pushes.get(sharing.view, 0),
        )

    def busy_cores(self) -> float:
        """Busy all the time, on average, of all sites."""
        ratios = {site: ratio / self.found.seconds.get(site, 1.0) for site, ratio in self.found.cpu.items()}
        loads = self.plan.shares.resources.loads
        return sum(load.cores * ratios.get(site, 1.0) for site, load in loads.items())


def _pushes(rate: float, carries: float) -> float:
    """An hour's pushes that carry something, if changes come at random at their rate."""
    return HOUR / carries * (1.0 - math.exp(-rate * carries))


def _effects(before: GlobalPlan, after: GlobalPlan) -> Iterator[Effect]:
    for view in before.sharings:
        old, new = before.paths[view].seconds, after.paths[view].seconds
        paid, pays = before.shared[view], after.shared[view]
        if not (math.isclose(old, new) and math.isclose(paid, pays)):
            yield Effect(view, old, new, paid, pays)


def _view(catalog: Catalog, given: Gathered, judged: _Judged, name: str, asked: bool) -> PlannedView:
    used = {source: given.sources[source] for source in sorted(catalog.sources(name))}
    estimate = judged.estimate(given.sharings[name])
    return PlannedView(catalog.project.views[name], catalog.kept[name], estimate, asked, used)
