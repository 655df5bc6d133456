"""A view more or a view less beside a plan that runs: nothing that exists is made in another way.

A new view takes the cheapest addition (additions.py) that keeps its promise and for which the sites have
room. A dropped one takes along only what nobody else uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.planning.cost.costs import HOUR, exceeded, longest, window
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, part_of, union, without_views
from headwater.planning.improve.additions import Addition, additions
from headwater.planning.improve.global_plan import GlobalPlan, loads_of, with_shares
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import Admission, admit, refused
from headwater.units import seconds_text

__all__ = ["AddedView", "add_view", "drop_view"]


@dataclass(frozen=True, slots=True)
class AddedView:
    """A view asked for beside a plan: the plan with it (as it was, if it is refused) and what changes."""

    plan: GlobalPlan
    admission: Admission
    marginal: float = 0.0  # dollars per hour that the whole costs more
    pays: float = 0.0  # what the new view would pay
    others: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # view -> pays before, after
    kind: str = ""  # of the addition
    added: PlanGraph = field(default_factory=PlanGraph)  # what is new

    @property
    def admitted(self) -> bool:
        return self.admission.admitted


def add_view(
    plan: GlobalPlan, sharing: Sharing, situation: Situation, whatever_time: bool = False
) -> AddedView:
    """Admit a view beside a plan, with as much of what exists as pays; or refuse it and say why.

    A view of the same name is taken out first.  `whatever_time` leaves it to the caller to judge how long a
    push takes: operators price deltas, and AUTO recomputes a stage where that is faster.
    """
    plan = drop_view(plan, sharing.view, situation)
    admission = admit(sharing, situation)
    freshness = sharing.freshness.total_seconds()
    slow = admission.fastest.critical_path.seconds > freshness
    if not admission.admitted and slow and not whatever_time:
        return _refused(plan, admission)
    sharings = list(plan.sharings.values())
    options = additions(plan.graph, sharings, sharing, admission, situation)
    everyone = [*sharings, sharing]
    objections = [_objection(option, sharing, everyone, situation, whatever_time) for option in options]
    feasible = [option for option, objection in zip(options, objections, strict=True) if not objection]
    if not feasible:
        return _refused(plan, refused(admission, sharing, situation, objections[0]))
    best = min(feasible, key=lambda option: option.dollars)
    admitted = _by_actions(admission, freshness) if slow else replace(admission, admitted=True)
    return _added(plan, sharing, admitted, best, situation)


def _by_actions(admission: Admission, freshness: float) -> Admission:
    """A view whose operators are too slow, admitted for the sake of the actions of its push."""
    reason = (
        f"applying all its changes would take {admission.fastest.critical_path.seconds:.2f} s of its"
        f" freshness of {seconds_text(freshness)}; a push recomputes it where that is faster"
    )
    return replace(admission, admitted=True, chosen="DPT", reason=reason)


def _refused(plan: GlobalPlan, admission: Admission) -> AddedView:
    asked = replace(plan, admissions={**plan.admissions, admission.view: admission})
    return AddedView(asked, admission)


def _objection(
    addition: Addition,
    sharing: Sharing,
    everyone: Sequence[Sharing],
    situation: Situation,
    whatever_time: bool,
) -> str:
    """Why an addition cannot be made; "" if it can."""
    path = longest(part_of(addition.graph, sharing.view), window(sharing.freshness), situation)
    if not whatever_time and path.seconds > sharing.freshness.total_seconds():
        return f"beside the other views it would take {path.seconds:.2f} s"
    if not situation.is_limited:
        return ""
    lacking = exceeded(loads_of(addition.graph, everyone, situation), {}, situation)
    return f"there is no room for it: {'; '.join(lacking)}" if lacking else ""


def _added(
    plan: GlobalPlan, sharing: Sharing, admission: Admission, addition: Addition, situation: Situation
) -> AddedView:
    alone = admission.planned.price.resources.per_second * HOUR
    grown = replace(
        plan,
        admissions={**plan.admissions, sharing.view: admission},
        sharings={**plan.sharings, sharing.view: sharing},
        before=union((plan.before, admission.graph)),
        graph=addition.graph,
        steps=(*plan.steps, *addition.steps),
        resources_alone=plan.resources_alone + alone,
    )
    after = with_shares(grown, situation)
    others = {view: (plan.shared[view], after.shared[view]) for view in plan.sharings}
    marginal = sum(after.shared.values()) - sum(plan.shared.values())
    added = _difference(addition.graph, plan.graph)
    return AddedView(after, admission, marginal, after.shared[sharing.view], others, addition.kind, added)


def _difference(graph: PlanGraph, other: PlanGraph) -> PlanGraph:
    return PlanGraph(
        {edge: serves for edge, serves in graph.edges.items() if edge not in other.edges},
        {vertex: serves for vertex, serves in graph.vertices.items() if vertex not in other.vertices},
    )


def drop_view(plan: GlobalPlan, view: str, situation: Situation) -> GlobalPlan:
    """The plan without a view: what others use stays as it is, and they pay for it alone now."""
    admissions = {name: admission for name, admission in plan.admissions.items() if name != view}
    if view not in plan.sharings:
        return replace(plan, admissions=admissions)
    admission = plan.admissions.get(view)  # none of a view of a restored plan
    alone = admission.planned.price.resources.per_second * HOUR if admission else 0.0
    smaller = replace(
        plan,
        admissions=admissions,
        sharings={name: sharing for name, sharing in plan.sharings.items() if name != view},
        before=without_views(plan.before, view),
        graph=without_views(plan.graph, view),
        resources_alone=plan.resources_alone - alone,
    )
    return with_shares(smaller, situation)
