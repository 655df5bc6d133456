"""The answer of `headwater plan` as values: each view's part of the plan, and the plan itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from headwater.algebra.stages.stage import Kept
from headwater.model import View
from headwater.planning.cost.costs import Path
from headwater.planning.facts.facts import Facts
from headwater.planning.graph.graph import PlanGraph
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.search.admission import Admission
from headwater.planning.stages.actions import Mode
from headwater.planning.stages.push_plan import PushPlan, ViewPush
from headwater.planning.weaving.weave import TreeChange, Woven
from headwater.units import seconds_text

if TYPE_CHECKING:
    from headwater.serve.planning.join_estimate import JoinEstimate

__all__ = ["Effect", "Estimate", "Planned", "PlannedView", "RunningPlan"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A view's part of the plan. A refused view's numbers are those of the fastest plan for it alone."""

    admission: Admission
    push: ViewPush  # its own push, carrying as much as the promise allows
    freshness: timedelta
    path: Path  # the longest path of the graph: the operators that its push waits for
    pushes_per_hour: float  # that carry anything
    dollars_alone: float  # per hour, by Eq. (1), if no other view were there
    dollars_per_hour: float  # as shared
    measured: int = 0  # actions that the estimate was corrected by
    join: JoinEstimate | None = None  # of a window join

    @property
    def smallest(self) -> timedelta | None:
        """The smallest freshness that would be admitted; None: none would be."""
        return self.push.smallest

    @property
    def admitted(self) -> bool:
        tolerant = self.join is None or self.join.feasible
        return self.admission.admitted and self.critical_path <= self.freshness and tolerant

    @property
    def critical_path(self) -> timedelta:
        return timedelta(seconds=self.push.seconds if self.join is None else self.join.push_seconds)


@dataclass(frozen=True, slots=True)
class PlannedView:
    """A view, how it is kept, and what that is expected to take."""

    view: View
    kept: Kept
    estimate: Estimate
    asked: bool  # only asked about, not kept
    used: Mapping[str, Facts]  # of the sources it depends on

    @property
    def refresh(self) -> str:
        return "full" if self.kept.obstacles else "incremental"

    @property
    def recomputed(self) -> bool:
        """Whether AUTO is expected to recompute it, though it has a delta."""
        stages = (stage for action in self.estimate.push.actions for stage in action.stages)
        return not self.kept.obstacles and any(
            stage.mode is Mode.FULL for stage in stages if stage.name == self.view.name
        )

    @property
    def tight(self) -> bool:
        """With a push always under way, readers see rows two pushes old."""
        return self.estimate.admitted and 2 * self.estimate.critical_path > self.view.freshness

    @property
    def chosen(self) -> str:
        return self.estimate.admission.chosen or "none"

    @property
    def _instead(self) -> str:
        smallest = self.estimate.smallest
        if smallest is None:
            return "no freshness would be admitted: changes come faster than they can be handled"
        return f"the smallest freshness that would be admitted is {seconds_text(smallest.total_seconds())}"

    @property
    def reason(self) -> str:
        """Why the view is admitted or refused, in words."""
        estimate, freshness = self.estimate, self.view.freshness.total_seconds()
        promise = f"its freshness of {seconds_text(freshness)}"
        seconds = estimate.push.seconds
        if estimate.admission.planned.price.lacking:
            return estimate.admission.reason
        if estimate.join is not None and not estimate.join.feasible:
            return estimate.join.reason
        if not estimate.admitted:
            slow = f"even the fastest plan takes {_seconds(seconds)}"
            if seconds <= freshness:
                slow = estimate.admission.reason
            return f"{slow}, longer than {promise}; {self._instead}"
        path = f"a push is expected to take {_seconds(seconds)}"
        if estimate.join is not None and estimate.join.push_seconds < seconds:
            share = f"{estimate.join.share_of_matches:.0%} of the matches"
            less = f"in {_seconds(estimate.join.push_seconds)} it finds {share}"
            return (
                f"a push that looks for all matches would take {_seconds(seconds)}; {less}, within {promise}"
            )
        if self.tight:
            return (
                f"{path}, more than half of {promise}: admitted, but with a push always under way it would"
                f" be up to {_seconds(2 * seconds)} stale"
            )
        return f"{path}, within {promise}"


@dataclass(frozen=True, slots=True)
class Corrections:
    """Measured over predicted: seconds of views' actions and of all actions at a site; cores kept busy."""

    views: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    cpu: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effect:
    """What the views asked about do to a view that is kept."""

    view: str
    seconds_before: float
    seconds: float
    dollars_before: float  # per hour
    dollars: float


WORTH_REPLANNING = 0.05  # of the plan's dollars


@dataclass(frozen=True, slots=True)
class RunningPlan:
    """The plan that runs keep to, with the views that are declared now. Dollars are per hour."""

    graph: PlanGraph
    same: bool  # as a new one would be
    dollars: float
    dollars_fresh: float  # of a new one

    @property
    def saves(self) -> float:
        """What `headwater run --replan` would save an hour."""
        return max(0.0, self.dollars - self.dollars_fresh)

    @property
    def is_outdated(self) -> bool:
        """Whether a new plan saves enough to be worth the change: `replan: auto` takes it then."""
        return not self.same and self.saves >= WORTH_REPLANNING * self.dollars > 0.0


@dataclass(frozen=True, slots=True)
class Planned:
    """The answer: the views as planned, and the plans with and without those asked about."""

    project: str
    views: tuple[PlannedView, ...]
    sources: Mapping[str, Facts]
    plan: GlobalPlan  # of the views that are kept
    plan_with: GlobalPlan  # with those asked about
    pushes: PushPlan  # the actions of the views that are kept
    pushes_with: PushPlan  # with those asked about
    keeps: PushPlan  # the actions of the plan that a run would keep to now, refused views among them
    woven: Woven  # the trees of that plan
    effects: tuple[Effect, ...]  # of the views asked about on those that are kept
    corrections: Corrections
    calibration: str  # the file of the operators; "" for the defaults
    core_hour: float
    rewoven: tuple[TreeChange, ...] = ()  # what the views asked about do to woven trees
    running: RunningPlan | None = None  # None: no run has made a plan yet

    @property
    def dollars_alone(self) -> float:
        """Per hour, the sum of the views kept as if each were alone."""
        return sum(
            view.estimate.dollars_alone for view in self.views if not view.asked and view.estimate.admitted
        )

    @property
    def dollars_per_hour(self) -> float:
        """What the views that are kept cost, as shared."""
        return sum(self.pushes.dollars.values())

    @property
    def dollars_per_hour_with(self) -> float:
        """With those asked about."""
        return sum(self.pushes_with.dollars.values())

    def dollars_of(self, views: Iterable[str]) -> tuple[float, float]:
        """Per hour, of some views: if each were alone, and as shared."""
        wanted = set(views)
        estimates = [view.estimate for view in self.views if view.view.name in wanted]
        return sum(one.dollars_alone for one in estimates), sum(one.dollars_per_hour for one in estimates)

    @property
    def spark_actions(self) -> int:
        """How many runs of Spark a push of all views is; copies are none."""
        return sum(action.stages[0].mode is not Mode.COPY for action in self.keeps.actions)

    @property
    def busy_cores(self) -> float:
        """Cores kept busy on average, at all sites together."""
        return sum(load.cores for load in self.pushes_with.loads.values())

    @property
    def admitted(self) -> bool:
        return all(view.estimate.admitted for view in self.views)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"
