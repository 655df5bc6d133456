"""What graphs cost as they will be run: compiled into stages, and those into the actions of pushes.

Whether a view is admitted is decided here, by its actions.  The search (planning/search) judges thousands of
graphs by their operators, which know neither that AUTO recomputes a stage when that is faster nor that a
delta holds the net change alone; so a view that it refuses is tried all the same, and one that it admits may
still be too slow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from headwater.catalog import Catalog
from headwater.planning.cost.costs import HOUR
from headwater.planning.cost.predictor import Predictor
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, union
from headwater.planning.improve.adding import add_view, drop_view
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import Admission
from headwater.planning.stages.push_plan import PushPlan, ViewPush, push_plan
from headwater.planning.weaving.weave import Weaver
from headwater.serve.planning.planned import Estimate, PlannedView
from headwater.serve.planning.situation import Survey
from headwater.serve.planning.staging import Staging, staging_of

if TYPE_CHECKING:
    from headwater.serve.planning.join_estimate import JoinEstimate

__all__ = ["Pricing", "with_slow"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """Turns graphs into the plans of their pushes, with seconds and dollars."""

    catalog: Catalog  # with the views asked about
    given: Survey
    situation: Situation
    predictor: Predictor
    weaver: Weaver

    def planned(
        self, sharings: Sequence[Sharing], situation: Situation
    ) -> tuple[GlobalPlan, Staging, PushPlan]:
        """The plan of all views whose pushes, action by action, keep their promises, with its stages."""
        return self.in_time(with_slow(plan_all(sharings, situation), sharings, situation), situation)

    def in_time(self, made: GlobalPlan, situation: Situation) -> tuple[GlobalPlan, Staging, PushPlan]:
        """The plan without views whose own push, action by action, takes longer than they promise."""
        while True:
            stages = self.staging(self.catalog, made.graph, made.sharings)
            pushes = self.priced(stages, made.graph, list(made.sharings.values()), smallest=True)
            slow = [
                view
                for view, push in pushes.views.items()
                if self._too_late(view, push, made.sharings[view].freshness)
            ]
            if not slow:
                return made, stages, pushes
            for view in slow:
                made = _refused(made, view, pushes.views[view], situation)

    def staging(self, catalog: Catalog, graph: PlanGraph, sharings: Mapping[str, Sharing]) -> Staging:
        """Some of the views, sharing what the graph says and woven, as if there were no others."""
        return staging_of(catalog, sharings, graph, sharings, self.situation.homes, self.weaver)

    def alone(self, sharing: Sharing, admissions: Mapping[str, Admission]) -> PushPlan:
        """The push of a view as if there were no others but those that it reads, kept for it alone."""
        needed = (*self.catalog.ancestors(sharing.view), sharing.view)
        wanted = {name: self.given.sharings[name] for name in needed}
        graph = union(admissions[name].graph for name in needed)
        stages = staging_of(self.catalog, needed, graph, wanted, self.situation.homes)
        admitted = admissions[sharing.view].admitted
        return self.priced(stages, graph, [sharing], smallest=not admitted)

    def priced(
        self, stages: Staging, graph: PlanGraph, sharings: Sequence[Sharing], smallest: bool = False
    ) -> PushPlan:
        """The plan of the pushes of stages."""
        catalog = stages.catalog
        predictor = self.predictor.for_stages((stage for _, stage in catalog.stages()), catalog.site_of)
        return push_plan(graph, sharings, stages.staged, self.situation, predictor, smallest)

    def view(self, name: str, made: GlobalPlan, pushes: PushPlan, asked: bool) -> PlannedView:
        sharing, admission = self.given.sharings[name], made.admissions[name]
        alone = self.alone(sharing, made.admissions)
        push = pushes.views.get(name, alone.views[name])
        inputs = (*sharing.core.inputs, *sharing.also)
        rate = sum(self.situation.facts[input.relation].rate for input in inputs)
        dollars_alone = math.inf if admission.planned.price.lacking else alone.dollars[name]
        estimate = Estimate(
            admission,
            push,
            sharing.freshness,
            made.paths.get(name, admission.critical_path),
            _pushes(rate, push.carries),
            dollars_alone,
            pushes.dollars.get(name, dollars_alone),
            self._measured(push.actions[-1].names if push.actions else ()),
            self._join(name, push),
        )
        used = {source: self.given.sources[source] for source in sorted(self.catalog.sources(name))}
        return PlannedView(self.catalog.project.views[name], self.catalog.kept[name], estimate, asked, used)

    def _join(self, name: str, push: ViewPush) -> JoinEstimate | None:
        project, operators = self.catalog.project, self.predictor.corrected_operators
        if project.views[name].window is None:
            return None
        from headwater.serve.planning.join_estimate import join_estimate

        return join_estimate(project.views[name], project, self.situation.facts, push, operators)

    def _too_late(self, name: str, push: ViewPush, freshness: timedelta) -> bool:
        """Whether a push is too slow for the view's promise, or for the tolerances of its join."""
        join = self._join(name, push)
        seconds = push.seconds if join is None else join.push_seconds
        return seconds > freshness.total_seconds() or (join is not None and not join.feasible)

    def _measured(self, stages: Sequence[str]) -> int:
        """How many actions an estimate of some stages rests on."""
        return sum(
            len(correction.lessons)
            for names, correction in self.predictor.joint.items()
            if not names.isdisjoint(stages)
        )


def _refused(made: GlobalPlan, view: str, push: ViewPush, situation: Situation) -> GlobalPlan:
    """The plan without a view, whose admission says why."""
    admission = made.admissions[view]
    reason = f"the actions of a push would take {push.seconds:.2f} s"
    refusal = replace(
        admission, admitted=False, chosen="", reason=reason, planned=admission.fastest, smallest=push.smallest
    )
    answers = {**made.admissions, view: refusal}
    return replace(drop_view(made, view, situation), admissions=answers)


def _pushes(rate: float, carries: float) -> float:
    """Pushes an hour that carry something, if changes arrive at random at this rate."""
    return HOUR / carries * (1.0 - math.exp(-rate * carries))


def with_slow(made: GlobalPlan, sharings: Iterable[Sharing], situation: Situation) -> GlobalPlan:
    """The plan with those of the views that only the time of their operators kept out.

    The search adds up deltas, operator by operator.  What a push really takes, its actions say.
    """
    for sharing in sharings:
        admission = made.admissions[sharing.view]
        if not admission.admitted and not admission.planned.price.lacking:
            made = add_view(made, sharing, situation, whatever_time=True).plan
    return made
