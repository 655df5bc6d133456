"""Plan all views: admit each in its turn, merge the plans of the admitted, plumb, look further.

Views are admitted in the order given, each with what the others leave of the sites: a view that was promised
first does not lose its room to one that came later.  One for which there is no room with a plan of its own is
tried again beside the shared plan, where it may need little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headwater.planning.cost.costs import HOUR, Load
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, union
from headwater.planning.improve.adding import add_view
from headwater.planning.improve.global_plan import GlobalPlan, loads_of, with_shares
from headwater.planning.improve.plumbing import Climber, Step, climb
from headwater.planning.improve.reinsertion import Reinserter
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import Admission, admit
from headwater.planning.search.search import Aim, search

__all__ = ["plan_all"]


def plan_all(
    sharings: Sequence[Sharing], situation: Situation, by: Aim | None = None, rounds: int = 0, seed: int = 0
) -> GlobalPlan:
    """Plan all views. `by` forces DPD or DPT plans to begin with; `rounds` of reinserting random groups."""
    admissions, admitted = _admitted(sharings, situation, by)
    if not admitted:
        return GlobalPlan(admissions, {})
    before = union(admissions[sharing.view].graph for sharing in admitted)
    by_themselves = [sharing for sharing in admitted if _by_itself(sharing, situation)]
    others = [sharing for sharing in admitted if not _by_itself(sharing, situation)]
    plumbed = climb(union(admissions[sharing.view].graph for sharing in others), others, situation)
    graph, steps = plumbed.graph, list[Step]()
    if others:
        graph, steps = _looked_further(graph, others, situation, rounds, seed)
    graph = union((graph, *(admissions[sharing.view].graph for sharing in by_themselves)))
    prices = {view: admission.planned.price.resources.per_second for view, admission in admissions.items()}
    plan = GlobalPlan(
        admissions,
        {sharing.view: sharing for sharing in admitted},
        before,
        graph,
        (*plumbed.steps, *steps),
        resources_alone=sum(prices[sharing.view] for sharing in admitted) * HOUR,
        resources_merged=plumbed.dollars_before + sum(prices[view.view] for view in by_themselves) * HOUR,
    )
    plan = with_shares(plan, situation)
    for sharing in sharings:
        if _lacks_only_room(admissions[sharing.view]):
            plan = add_view(plan, sharing, situation).plan
    return plan


def _admitted(
    sharings: Sequence[Sharing], situation: Situation, by: Aim | None
) -> tuple[dict[str, Admission], list[Sharing]]:
    admissions: dict[str, Admission] = {}
    admitted: list[Sharing] = []
    taken: Mapping[str, Load] = {}
    for sharing in sharings:
        admission = admit(sharing, situation, taken)
        if by is not None and admission.admitted:
            admission = replace(admission, planned=search(sharing, situation, by, taken), chosen=by.value)
        admissions[sharing.view] = admission
        if admission.admitted:
            admitted.append(sharing)
            if situation.is_limited:
                plans = union(admissions[earlier.view].graph for earlier in admitted)
                taken = loads_of(plans, admitted, situation)
    return admissions, admitted


def _by_itself(sharing: Sharing, situation: Situation) -> bool:
    """Whether there is nothing to look for: a tail over one relation where that lies has only one plan.

    Such views share by weaving (planning/weaving), which knows what their aggregates have in common.
    """
    inputs = sharing.core.inputs
    return (
        not situation.is_limited
        and bool(sharing.tail)
        and len(inputs) == 1
        and not sharing.also
        and not inputs[0].filters
        and situation.home(inputs[0]) == sharing.site
    )


def _lacks_only_room(admission: Admission) -> bool:
    return not admission.admitted and bool(admission.planned.price.lacking)


def _looked_further(
    graph: PlanGraph, sharings: Sequence[Sharing], situation: Situation, rounds: int, seed: int
) -> tuple[PlanGraph, list[Step]]:
    """Views reinserted where they cost least, then the plumbing that this opens up."""
    reinserter = Reinserter(graph, sharings, situation)
    start = reinserter.draft_of(graph)
    best = reinserter.search(start, rounds, seed)
    if best is start:
        return graph, []
    replanned = reinserter.graph(best)
    step = Step(
        "replan",
        (),
        next(iter(reinserter.tails.values())).result,
        (start.dollars - best.dollars) * HOUR,
        len(graph.vertices) - len(replanned.vertices),
        len(graph.edges) - len(replanned.edges),
        "views taken out of the plan and put back where they cost least",
    )
    climber = Climber(replanned, sharings, situation, {})
    steps = [step, *climber.climb()]
    return climber.graph, steps
