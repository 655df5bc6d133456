"""The unit-time cost of a join plan: probing, inserting and purging, counted separately.

    cost(a half-way B) = rate of a * (probe(S_B) + insert(S_A) + purge(S_A))       (the paper's Equation 14)

The paper limits probes alone: they dominate, and every arriving tuple is inserted and purged even if it may
not probe.  So allocations spend `probing` only, and this module adds the other two for those who size a
machine. Probing a nested-loop state touches every tuple; a hashed one touches one bucket.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.overload.joins.model.allocation import Allocation
from headwater.overload.joins.model.join_plan import JoinPlan, State

__all__ = ["Cost", "UnitCosts", "hashed", "nested_loop", "unit_time_cost"]


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """The cost of one operation, in any unit; the default counts operations."""

    probe: float = 1.0
    insert: float = 1.0
    purge: float = 1.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost per second, by sub-task."""

    probing: float
    inserting: float
    purging: float

    @property
    def total(self) -> float:
        return self.probing + self.inserting + self.purging


def nested_loop(state: State) -> UnitCosts:
    """A scan of the entire state per probe; a circular list makes updates constant."""
    return UnitCosts(probe=state.size)


def hashed(state: State, buckets: int) -> UnitCosts:
    """A look at one bucket per probe."""
    return UnitCosts(probe=1.0 + state.size / buckets)


def unit_time_cost(plan: JoinPlan, allocation: Allocation, costs: UnitCosts | None = None) -> Cost:
    """What the plan costs per second under an allocation.

    Streams are inserted at their arrival rate (at their allowance if arrivals have no cap), intermediate
    tuples at the rate they are produced.  Count windows are full, so each insert purges one tuple.
    """
    unit = costs or UnitCosts()
    probing = sum(path.resources for path in allocation.paths)
    entering = {path.stream: path.allowances[0] for path in allocation.paths}
    arriving = sum(
        entering[stream] if rate is None else rate
        for stream, rate in plan.rates.items()
        if stream in entering
    )
    moved = arriving + sum(allocation.entering[state] for state in plan.susceptible)
    return Cost(probing * unit.probe, moved * unit.insert, moved * unit.purge)
