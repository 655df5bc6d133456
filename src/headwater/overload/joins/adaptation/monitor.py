"""Monitoring: running estimates of rates, selectivities and the service rate, as windowed averages.

A sample is what a few seconds of running showed.  The monitor holds the last few and pools their counts, so
a selectivity is matches over pairs tried in the entire window.  A half-way join that the allocation starves
shows nothing about its selectivity; it is then assumed to have changed as the other direction of the same
join has, because both come from one predicate.

Invariant: an estimate is replaced only if at least `enough` events support the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from headwater.overload.joins.model.join_plan import JoinPlan, State

__all__ = ["Monitor", "Sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts over a few seconds: `matches` of `pairs` tried, by the state probed; `arrivals` by stream."""

    seconds: float
    results: float
    resources: float
    arrivals: Mapping[str, float]
    pairs: Mapping[str, float]
    matches: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Monitor:
    """The last `length` samples."""

    length: int = 6
    enough: float = 100.0
    samples: tuple[Sample, ...] = ()

    def observe(self, sample: Sample) -> Monitor:
        return replace(self, samples=(*self.samples, sample)[-self.length :])

    def forget(self) -> Monitor:
        """Keep the last sample only: what was before the change no longer counts."""
        return replace(self, samples=self.samples[-1:])

    @property
    def seconds(self) -> float:
        return sum(sample.seconds for sample in self.samples)

    @property
    def throughput(self) -> float:
        return sum(sample.results for sample in self.samples) / self.seconds

    def estimate(self, plan: JoinPlan) -> JoinPlan:
        """The plan with observed values in place of assumed ones."""
        rates = {stream: self._rate(stream, rate) for stream, rate in plan.rates.items()}
        return replace(plan, rates=rates, states={**plan.states, **self._states(plan)})

    def _rate(self, stream: str, before: float | None) -> float | None:
        seen = sum(sample.arrivals.get(stream, 0.0) for sample in self.samples)
        return before if before is None or seen < self.enough else seen / self.seconds

    def _states(self, plan: JoinPlan) -> dict[str, State]:
        seen = {
            own: selectivity for own in plan.states if (selectivity := self._selectivity(own)) is not None
        }
        states: dict[str, State] = {}
        for own, state in plan.states.items():
            other = plan.siblings[own]
            if own in seen:
                states[own] = replace(state, selectivity=seen[own])
            elif other in seen and plan.states[other].selectivity > 0:
                change = seen[other] / plan.states[other].selectivity
                states[own] = replace(state, selectivity=min(1.0, state.selectivity * change))
        return states

    def _selectivity(self, own: str) -> float | None:
        matches = sum(sample.matches.get(own, 0.0) for sample in self.samples)
        pairs = sum(sample.pairs.get(own, 0.0) for sample in self.samples)
        # Few matches among very many pairs is evidence as well: the selectivity has collapsed.
        return matches / pairs if matches >= self.enough or pairs >= self.enough * 10_000 else None
