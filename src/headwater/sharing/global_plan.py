"""The plan of all views: who is admitted, what they share, and what each pays.

    plan_all        admit each view in its turn, merge the plans of the admitted, plumb, look further
    plan_one_more   a view more beside a plan that runs: nothing that exists is made in another way
    drop            a view less: only what nobody else uses goes

A view pays by Eq. (1) of the paper: resources * (1 + CP / s) + penalty.  Alone, its resources are those of
its own plan; in the global plan they are its share: what serves several views is paid in equal parts.

Views are admitted in the order given, each with what the others leave of the sites: a view that was promised
first does not lose its place to one that came later.  One for which there is no room with a plan of its own
is tried again beside the shared plan, where it may need little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.sharing.admission import Admission, admit
from headwater.sharing.better import Searcher
from headwater.sharing.costs import HOUR, Load, Path, exceeded, longest, resource_dollars, window
from headwater.sharing.graph import PlanGraph, Vertex, part_of, result_vertex, union, without_views
from headwater.sharing.one_more import Joining, joining
from headwater.sharing.plumbing import Climber, Step, climb
from headwater.sharing.pricing import carries_of
from headwater.sharing.relations import Sharing
from headwater.sharing.search import Aim, search
from headwater.sharing.shares import Shares, shares_of
from headwater.sharing.situation import Situation

__all__ = ["GlobalPlan", "OneMore", "drop", "plan_all", "plan_one_more", "restored"]


@dataclass(frozen=True, slots=True)
class GlobalPlan:
    """Everything that was decided. Dollars are per hour."""

    admissions: Mapping[str, Admission]  # of all views that asked, in their order
    sharings: Mapping[str, Sharing]  # of the admitted ones
    before: PlanGraph = field(default_factory=PlanGraph)  # their own plans, merged
    graph: PlanGraph = field(default_factory=PlanGraph)
    steps: tuple[Step, ...] = ()
    shares: Shares = field(default_factory=Shares)
    resources_alone: float = 0.0  # of all own plans, nothing shared
    resources_merged: float = 0.0  # of `before`
    resources: float = 0.0  # of `graph`

    @property
    def alone(self) -> dict[str, float]:
        """What each admitted view would pay with a plan of its own."""
        return {view: self.admissions[view].dollars_per_hour for view in self.sharings}

    @property
    def shared(self) -> Mapping[str, float]:
        """What each admitted view pays in the global plan."""
        return self.shares.dollars

    @property
    def paths(self) -> Mapping[str, Path]:
        """The critical path of each admitted view in the global plan."""
        return self.shares.paths

    @property
    def saved(self) -> float:
        """Of the dollars that all would pay alone, the part that sharing saves."""
        alone = sum(self.alone.values())
        return 1.0 - sum(self.shared.values()) / alone if alone else 0.0

    @property
    def tightest(self) -> str | None:
        """The admitted view whose critical path takes most of its freshness."""
        part = {
            view: path.seconds / self.sharings[view].freshness.total_seconds()
            for view, path in self.paths.items()
        }
        return max(part, key=lambda view: part[view], default=None)

    def results(self) -> dict[Vertex, tuple[str, ...]]:
        """Which views lie at which vertex."""
        found: dict[Vertex, tuple[str, ...]] = {}
        for view in self.sharings:
            vertex = result_vertex(self.graph, view)
            found[vertex] = (*found.get(vertex, ()), view)
        return found


@dataclass(frozen=True, slots=True)
class OneMore:
    """A view asked for beside a plan: the plan with it (as it was, if it is refused) and what changes."""

    plan: GlobalPlan
    admission: Admission
    marginal: float = 0.0  # dollars per hour that the whole costs more
    pays: float = 0.0  # what the new view would pay
    others: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # view -> pays before, after
    way: str = ""  # "inserted", "plumbed" or "beside"
    added: PlanGraph = field(default_factory=PlanGraph)  # what is new

    @property
    def admitted(self) -> bool:
        return self.admission.admitted


def plan_all(
    sharings: Sequence[Sharing], situation: Situation, by: Aim | None = None, rounds: int = 0, seed: int = 0
) -> GlobalPlan:
    """Plan all views. `by` forces DPD or DPT plans to begin with; `rounds` of looking further (better.py)."""
    admissions, admitted = _admitted(sharings, situation, by)
    if not admitted:
        return GlobalPlan(admissions, {})
    before = union(admissions[one.view].graph for one in admitted)
    plumbed = climb(before, admitted, situation)
    graph, steps = _further(plumbed.graph, admitted, situation, rounds, seed)
    alone = sum(admissions[one.view].planned.price.resources.per_second for one in admitted) * HOUR
    plan = _counted(
        GlobalPlan(admissions, {one.view: one for one in admitted}, before, graph, (*plumbed.steps, *steps)),
        situation,
    )
    plan = replace(plan, resources_alone=alone, resources_merged=plumbed.dollars_before)
    waiting = [
        one for one in sharings if not admissions[one.view].admitted and _lacks_room(admissions[one.view])
    ]
    for one in waiting:
        plan = plan_one_more(plan, one, situation).plan
    return plan


def _admitted(
    sharings: Sequence[Sharing], situation: Situation, by: Aim | None
) -> tuple[dict[str, Admission], list[Sharing]]:
    admissions: dict[str, Admission] = {}
    admitted: list[Sharing] = []
    taken: Mapping[str, Load] = {}
    for one in sharings:
        admission = admit(one, situation, taken)
        if by is not None and admission.admitted:
            admission = replace(admission, planned=search(one, situation, by, taken), chosen=by.value)
        admissions[one.view] = admission
        if admission.admitted:
            admitted.append(one)
            if _is_limited(situation):
                taken = _loads(union(admissions[each.view].graph for each in admitted), admitted, situation)
    return admissions, admitted


def _lacks_room(admission: Admission) -> bool:
    return bool(admission.planned.price.lacking)


def _is_limited(situation: Situation) -> bool:
    return any(site.cores is not None or site.gb is not None for site in situation.sites.values())


def _loads(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> Mapping[str, Load]:
    return resource_dollars(graph, situation, carries_of(graph, sharings, situation)).loads


def _further(
    graph: PlanGraph, sharings: Sequence[Sharing], situation: Situation, rounds: int, seed: int
) -> tuple[PlanGraph, list[Step]]:
    """Views planned anew within the whole, then what plumbing that opens up; undone if it did not pay."""
    searcher = Searcher(graph, sharings, situation)
    start = searcher.choice({edge.target: edge for edge in graph.edges}, searcher.sharings)
    found = searcher.search(start, rounds, seed)
    if found is start:
        return graph, []
    replanned = searcher.graph(found)
    step = Step(
        "replan",
        (),
        next(iter(searcher.tails.values())).result,
        (start.dollars - found.dollars) * HOUR,
        len(graph.vertices) - len(replanned.vertices),
        len(graph.edges) - len(replanned.edges),
        "views taken out of the plan and put back where they cost least",
    )
    climber = Climber(replanned, sharings, situation, {})
    steps = [step, *climber.climb()]
    return climber.graph, steps


def _counted(plan: GlobalPlan, situation: Situation) -> GlobalPlan:
    """The plan with what each view pays in it."""
    shares = shares_of(plan.graph, list(plan.sharings.values()), situation)
    return replace(plan, shares=shares, resources=shares.resources.per_second * HOUR)


def restored(graph: PlanGraph, sharings: Mapping[str, Sharing], situation: Situation) -> GlobalPlan:
    """A plan that was made before, to add views to; how its views were admitted is no longer known."""
    return _counted(GlobalPlan({}, sharings, graph, graph), situation)


def plan_one_more(plan: GlobalPlan, sharing: Sharing, situation: Situation) -> OneMore:
    """Admit a view beside a plan, with as much of what exists as pays; or refuse it and say why.

    A view of the same name is taken out first.
    """
    plan = drop(plan, sharing.view, situation)
    admission = admit(sharing, situation)
    freshness = sharing.freshness.total_seconds()
    if not admission.admitted and admission.fastest.critical_path.seconds > freshness:
        return OneMore(_asked(plan, admission), admission)
    everyone = [*plan.sharings.values(), sharing]
    ways = joining(plan.graph, list(plan.sharings.values()), sharing, admission, situation)
    kept = [way for way in ways if _keeps(way, sharing, everyone, situation) == ""]
    if not kept:
        reasons = [_keeps(way, sharing, everyone, situation) for way in ways]
        refused = replace(admission, admitted=False, chosen="", reason=reasons[0])
        return OneMore(_asked(plan, refused), refused)
    best = min(kept, key=lambda way: way.dollars)
    return _joined(plan, sharing, replace(admission, admitted=True), best, situation)


def _asked(plan: GlobalPlan, admission: Admission) -> GlobalPlan:
    return replace(plan, admissions={**plan.admissions, admission.view: admission})


def _keeps(way: Joining, sharing: Sharing, everyone: Sequence[Sharing], situation: Situation) -> str:
    """Why a way cannot be taken; "" if it can."""
    path = longest(part_of(way.graph, sharing.view), window(sharing.freshness), situation)
    if path.seconds > sharing.freshness.total_seconds():
        return f"beside the other views it would take {path.seconds:.2f} s"
    if not _is_limited(situation):
        return ""
    lacking = exceeded(_loads(way.graph, everyone, situation), {}, situation)
    return f"there is no room for it: {'; '.join(lacking)}" if lacking else ""


def _joined(
    plan: GlobalPlan, sharing: Sharing, admission: Admission, way: Joining, situation: Situation
) -> OneMore:
    grown = replace(
        plan,
        admissions={**plan.admissions, sharing.view: admission},
        sharings={**plan.sharings, sharing.view: sharing},
        before=union((plan.before, admission.graph)),
        graph=way.graph,
        steps=(*plan.steps, *way.steps),
    )
    after = _counted(grown, situation)
    alone = admission.planned.price.resources.per_second * HOUR
    after = replace(after, resources_alone=plan.resources_alone + alone)
    others = {view: (plan.shared[view], after.shared[view]) for view in plan.sharings}
    added = PlanGraph(
        {edge: serves for edge, serves in way.graph.edges.items() if edge not in plan.graph.edges},
        {one: serves for one, serves in way.graph.vertices.items() if one not in plan.graph.vertices},
    )
    marginal = sum(after.shared.values()) - sum(plan.shared.values())
    return OneMore(after, admission, marginal, after.shared[sharing.view], others, way.kind, added)


def drop(plan: GlobalPlan, view: str, situation: Situation) -> GlobalPlan:
    """The plan without a view: what others use stays as it is, and they pay for it alone now."""
    left = {name: one for name, one in plan.sharings.items() if name != view}
    admissions = {name: one for name, one in plan.admissions.items() if name != view}
    if view not in plan.sharings:
        return replace(plan, admissions=admissions)
    alone = plan.resources_alone - plan.admissions[view].planned.price.resources.per_second * HOUR
    smaller = replace(
        plan,
        admissions=admissions,
        sharings=left,
        before=without_views(plan.before, view),
        graph=without_views(plan.graph, view),
        resources_alone=alone,
    )
    return _counted(smaller, situation)
