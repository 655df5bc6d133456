"""The question: a join plan, the resources available, and how fresh results must be.

Refresh rates may be given for states (tuples per second that must enter) or derived from tolerances of
streams (seconds); if both apply to a state, the stricter counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.policies.freshness import refresh_rates

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """`resources` in probes per second, `refresh` by state in tuples per second, `tolerance` in seconds."""

    plan: JoinPlan
    resources: float
    refresh: Mapping[str, float] = field(default_factory=dict)
    tolerance: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def needed(self) -> dict[str, float]:
        """Tuples per second that must enter each susceptible state, and streams' states in `refresh`."""
        derived = refresh_rates(self.plan, self.tolerance) if self.tolerance else {}
        return {
            state: max(self.refresh.get(state, 0.0), derived.get(state, 0.0))
            for state in (*self.plan.susceptible, *(name for name in self.refresh if name in self.plan.rates))
        }
