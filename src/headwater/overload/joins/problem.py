"""The question: a plan, the resources there are, and how fresh results must be.

Refresh rates may be given for states (tuples a second that must enter) or derived from tolerances of streams
(seconds); where both speak of a state, the stricter holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from headwater.overload.joins.freshness import refresh_rates
from headwater.overload.joins.plan import Plan

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """`resources` in probes a second, `refresh` by state in tuples a second, `tolerance` in seconds."""

    plan: Plan
    resources: float
    refresh: Mapping[str, float] = field(default_factory=dict)
    tolerance: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def needed(self) -> dict[str, float]:
        """Tuples a second that must enter each susceptible state, and any stream's state asked for."""
        derived = refresh_rates(self.plan, self.tolerance) if self.tolerance else {}
        return {
            state: max(self.refresh.get(state, 0.0), derived.get(state, 0.0))
            for state in (*self.plan.susceptible, *(each for each in self.refresh if each in self.plan.rates))
        }

    def with_resources(self, resources: float) -> Problem:
        return replace(self, resources=resources)
