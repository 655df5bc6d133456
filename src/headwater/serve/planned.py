"""The answer of `headwater plan` as values: each view's part of the plan, and the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from headwater.algebra.stages import Kept
from headwater.model import View
from headwater.serve.corrections import Corrections
from headwater.sharing.admission import Admission
from headwater.sharing.costs import Path
from headwater.sharing.facts import Facts
from headwater.sharing.global_plan import GlobalPlan
from headwater.sharing.graph import PlanGraph

__all__ = ["Effect", "Estimate", "KeptPlan", "Planned", "PlannedView"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A view's part of the plan. A refused view's numbers are those of the fastest plan for it alone."""

    admission: Admission
    path: Path  # in the global plan, of a push that carries as much as the promise allows
    pushes_per_hour: float  # that carry anything
    dollars_alone: float  # per hour, by Eq. (1), if no other view were there
    dollars_per_hour: float  # as shared
    measured: int = 0  # pushes that corrected the estimate

    @property
    def smallest(self) -> timedelta | None:
        """The smallest freshness that would be admitted; None: none would be."""
        return self.admission.smallest

    @property
    def admitted(self) -> bool:
        return self.admission.admitted

    @property
    def critical_path(self) -> timedelta:
        return timedelta(seconds=self.path.seconds)


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
    def tight(self) -> bool:
        """With a push always under way, readers see rows two pushes old."""
        return self.estimate.admitted and 2 * self.estimate.critical_path > self.view.freshness

    @property
    def chosen(self) -> str:
        return self.estimate.admission.chosen or "none"

    @property
    def reason(self) -> str:
        """Why the view is admitted or refused, in words."""
        one, freshness = self.estimate, self.view.freshness.total_seconds()
        if not one.admitted:
            return one.admission.reason
        path = f"a push is expected to take {_seconds(one.path.seconds)}"
        if self.tight:
            return (
                f"{path}, more than half of the {freshness:g} s promised: admitted, but with a push always"
                f" under way it would be up to {_seconds(2 * one.path.seconds)} stale"
            )
        return f"{path}, within the {freshness:g} s promised"


@dataclass(frozen=True, slots=True)
class Effect:
    """What the views asked about do to a view that is kept."""

    view: str
    seconds_before: float
    seconds: float
    dollars_before: float  # per hour
    dollars: float


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """The plan that runs keep to, with the views that are declared now. Dollars are per hour."""

    graph: PlanGraph
    same: bool  # as a new one would be
    dollars: float
    dollars_fresh: float  # of a new one

    @property
    def saves(self) -> float:
        """What `headwater run --replan` would save an hour."""
        return max(0.0, self.dollars - self.dollars_fresh)


@dataclass(frozen=True, slots=True)
class Planned:
    """The whole answer."""

    project: str
    views: tuple[PlannedView, ...]
    sources: Mapping[str, Facts]
    plan: GlobalPlan  # of the views that are kept
    plan_with: GlobalPlan  # with those asked about
    busy_cores: float
    effects: tuple[Effect, ...]  # of the views asked about on those that are kept
    corrections: Corrections
    calibration: str  # the file of the operators; "" for the defaults
    core_hour: float
    kept: KeptPlan | None = None  # None: no run has made a plan yet

    @property
    def dollars_alone(self) -> float:
        """Per hour, the sum of the views kept as if each were alone."""
        return sum(self.plan.alone.values())

    @property
    def dollars_per_hour(self) -> float:
        """Of the views that are kept, as shared."""
        return sum(self.plan.shared.values())

    @property
    def dollars_per_hour_with(self) -> float:
        """With those asked about."""
        return sum(self.plan_with.shared.values())

    @property
    def admitted(self) -> bool:
        return all(one.estimate.admitted for one in self.views)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"
