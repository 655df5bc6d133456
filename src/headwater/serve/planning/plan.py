"""What keeping a project's views will take, before anything is run: `headwater plan`. No Spark is started.

All views are planned together: each is admitted or refused by itself, then the admitted ones share what they
can (planning/improve/plan_all.py).  The resulting graph is compiled into stages and their actions
(planning/stages), exactly as a run would do it, and those are what is shown and priced.  Operators are as
calibrated, corrected by the pushes so far.

Views that are only asked about (EXPLAIN CREATE MATERIALIZED VIEW, `--with`) are added to the plan of those
that are kept, one by one: they would cost what the plan costs more with them.  Their effects on the other
views are listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from headwater.catalog import Catalog, build
from headwater.model import Project
from headwater.planning.cost.predictor import Predictor
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, without_views
from headwater.planning.improve.adding import add_view
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import admit, eased_promise
from headwater.planning.stages.push_plan import PushPlan
from headwater.planning.weaving.weave import TreeChange, Woven, tree_changes
from headwater.serve.planning.planned import Corrections, Effect, Estimate, Planned, PlannedView, RunningPlan
from headwater.serve.planning.pricing import Pricing, with_slow
from headwater.serve.planning.remembered import continued, remembered
from headwater.serve.planning.situation import Survey, survey
from headwater.serve.planning.staging import Staging, staging, staging_of, weaver_of
from headwater.storage.records.lessons import learnt
from headwater.storage.warehouse import Warehouse

__all__ = ["Effect", "Estimate", "Planned", "PlannedView", "asking", "plan", "plan_views"]


def asking(project: Project) -> Project:
    """The project with the views that EXPLAIN statements ask about among its own, after all others.

    A question about a view that is there already is asked under another name, so both can be compared.
    """
    views = dict(project.views)
    for view in project.explained:
        name = view.name
        while name.lower() in {declared.lower() for declared in views}:
            name += " (asked)"
        views[name] = replace(view, name=name)
    return replace(project, views=views, explained=())


def plan(now: Catalog, asked: Project, warehouse: Warehouse) -> Planned:
    """Plan the views that are kept now, and those that only `asked` has as if they were kept too."""
    kept = now.project
    extended = now if asked.views.keys() == kept.views.keys() else build(asked)
    given = survey(extended, warehouse)
    declared = [given.sharings[name] for name in now.kept]
    extra = [given.sharings[name] for name in extended.kept if name not in now.kept]
    remembered_plan = _remembered(now, declared, given, warehouse)
    predictor = learnt(now if remembered_plan is None else remembered_plan.staging.catalog, warehouse)
    situation = _with_delays([*declared, *extra], corrected(given.situation, predictor))
    pricing = Pricing(extended, given, given.situation, predictor, weaver_of(extended, given))
    made, stages, pushes = pricing.planned(declared, situation)
    more, pushes_with = made, pushes
    if extra:
        for sharing in extra:
            more = add_view(more, sharing, situation).plan
        more, _, pushes_with = pricing.in_time(with_slow(more, extra, situation), situation)
    eased, fresh = _eased(declared, made, situation)
    will_keep = fresh if remembered_plan is None else remembered_plan.plan
    promises = {sharing.view: sharing for sharing in eased}
    known = () if remembered_plan is None else remembered_plan.staging.woven.known
    keeping = replace(pricing, weaver=weaver_of(now, given, known))
    if will_keep is made and extended is now:
        kept_stages, keeps = stages, pushes
    else:
        kept_sharings = {name: promises[name] for name in will_keep.sharings}
        kept_stages = keeping.staging(now, will_keep.graph, kept_sharings)
        keeps = keeping.priced(kept_stages, will_keep.graph, list(kept_sharings.values()))
    woven = kept_stages.woven
    return Planned(
        project=kept.name,
        views=tuple(
            pricing.view(name, more, pushes_with, asked=name not in now.kept) for name in extended.kept
        ),
        sources=given.sources,
        plan=made,
        plan_with=more,
        pushes=pushes,
        pushes_with=pushes_with,
        keeps=keeps,
        woven=woven,
        rewoven=_rewoven(woven, extended, given, more) if extra else (),
        effects=tuple(_effects(pushes, pushes_with)) if extra else (),
        corrections=_corrections(predictor, extended, pushes_with),
        calibration=given.calibration,
        core_hour=float(kept.prices.core_hour),
        running=None
        if remembered_plan is None
        else _compared(remembered_plan.plan, fresh, eased, now, keeping, pricing),
    )


def _rewoven(woven: Woven, extended: Catalog, given: Survey, more: GlobalPlan) -> tuple[TreeChange, ...]:
    """What becomes of the trees that are kept once the views asked about are there."""
    weaver = weaver_of(extended, given, woven.known)
    homes = given.situation.homes
    staged = staging_of(extended, more.sharings, more.graph, more.sharings, homes, weaver)
    return tree_changes(woven, staged.woven)


@dataclass(frozen=True, slots=True)
class _RememberedPlan:
    """The plan that runs keep to, with the views that are declared now."""

    plan: GlobalPlan
    staging: Staging


def _remembered(
    catalog: Catalog, sharings: Sequence[Sharing], given: Survey, warehouse: Warehouse
) -> _RememberedPlan | None:
    last = remembered(warehouse)
    if last is None:
        return None
    wanted = {sharing.view: sharing for sharing in sharings}
    continuing = continued(last, catalog, wanted, given.situation)
    weaver = weaver_of(catalog, given, last.trees)
    staged = staging(catalog, continuing.graph, wanted, given.situation.homes, weaver)
    return _RememberedPlan(continuing, staged)


def corrected(situation: Situation, predictor: Predictor) -> Situation:
    """The situation with operators as fast, and cores as dear, as pushes have shown."""
    ratio = Decimal(repr(predictor.cpu_per_second))
    sites = {
        name: replace(site, prices=replace(site.prices, core_hour=site.prices.core_hour * ratio))
        for name, site in situation.sites.items()
    }
    return replace(situation, operators=predictor.corrected_operators, sites=sites)


def plan_views(catalog: Catalog, warehouse: Warehouse) -> tuple[GlobalPlan, Survey]:
    """The global plan by which a catalog's views are kept, and what it rests on.

    A refused view is kept all the same, as fresh as possible, and shares as if it had promised that.
    """
    given = survey(catalog, warehouse)
    sharings = list(given.sharings.values())
    predictor = learnt(catalog, warehouse)
    situation = _with_delays(sharings, corrected(given.situation, predictor))
    pricing = Pricing(catalog, given, given.situation, predictor, weaver_of(catalog, given))
    made, _, _ = pricing.planned(sharings, situation)
    return _eased(sharings, made, situation)[1], given


def _eased(
    sharings: Sequence[Sharing], made: GlobalPlan, situation: Situation
) -> tuple[list[Sharing], GlobalPlan]:
    """The views with promises that can be kept, and their plan: `made`, if none was refused."""
    eased = [eased_promise(sharing, made.admissions[sharing.view]) for sharing in sharings]
    if eased == list(sharings):
        return eased, made
    in_time = [sharing for sharing in sharings if made.admissions[sharing.view].admitted]
    return eased, with_slow(plan_all(eased, situation), in_time, situation)


def _with_delays(sharings: Sequence[Sharing], situation: Situation) -> Situation:
    """A view over views begins when those are fresh. `sharings` are in dependency order."""
    read = {input.relation for sharing in sharings for input in (*sharing.core.inputs, *sharing.also)}
    for sharing in sharings:
        if sharing.view in read and sharing.view not in situation.delays:
            seconds = admit(sharing, situation).critical_path.seconds
            situation = replace(situation, delays={**situation.delays, sharing.view: seconds})
    return situation


def _effects(before: PushPlan, after: PushPlan) -> Iterator[Effect]:
    for view, push in before.views.items():
        old, new = push.seconds, after.views[view].seconds
        paid, pays = before.dollars[view], after.dollars[view]
        if not (math.isclose(old, new, rel_tol=1e-6) and math.isclose(paid, pays, rel_tol=1e-6)):
            yield Effect(view, old, new, paid, pays)


def _corrections(predictor: Predictor, catalog: Catalog, pushes: PushPlan) -> Corrections:
    """How this project's actions compared with what the operators say."""
    factors = {
        view: predictor.factor(name for action in push.actions for name in action.names)
        for view, push in pushes.views.items()
    }
    measured: Mapping[str, float] = {view: factor for view, factor in factors.items() if factor is not None}
    if not measured:
        return Corrections()
    sites = {catalog.site_of(view) for view in measured}
    usual = predictor.factor(predictor.shapes) or 1.0
    return Corrections(measured, dict.fromkeys(sites, usual), dict.fromkeys(sites, predictor.cpu_per_second))


def _compared(
    keeping: GlobalPlan,
    fresh: GlobalPlan,
    sharings: Sequence[Sharing],
    catalog: Catalog,
    as_kept: Pricing,
    anew: Pricing,
) -> RunningPlan:
    """What the plan that runs keep to costs now, and what a new one would, for the views that both have.

    `as_kept` keeps the trees that run, `anew` weaves afresh.
    """
    common = [
        sharing for sharing in sharings if sharing.view in keeping.sharings and sharing.view in fresh.sharings
    ]
    wanted = {sharing.view: sharing for sharing in common}
    dollars, trees = [], []
    for plan, pricing in ((keeping, as_kept), (fresh, anew)):
        graph = _only(plan, common)
        stages = pricing.staging(catalog, graph, wanted)
        dollars.append(sum(pricing.priced(stages, graph, common).dollars.values()))
        trees.append({tree.stage: frozenset(tree.views) for tree in stages.woven.trees})
    return RunningPlan(keeping.graph, keeping.graph == fresh.graph and trees[0] == trees[1], *dollars)


def _only(plan: GlobalPlan, sharings: Sequence[Sharing]) -> PlanGraph:
    wanted = {sharing.view for sharing in sharings}
    return without_views(plan.graph, *(view for view in plan.graph.views if view not in wanted))
