"""Run real tuples through a join plan under allowances, and count results and stale results.

Time advances in short steps.  In each, every stream's arrivals move up their path: as many as the node's
allowance permits probe the partner's state, their results enter the state above, and so on to the root,
where results are counted.  Arrivals are processed stream by stream, so a pair that arrives within one step
is counted exactly once. An allowance is a bucket of tokens filled at its rate: what a lull leaves over is
spent in the next burst, up to ten seconds' worth.

With a `guard`, tuples that have spoiled under that set of tolerances are purged, as the paper's Section 4.2
asks ("must be purged from the plan within" the tolerance): a refresh rate holds on average, while tuples
come in bursts. What the guard keeps back is counted, so its share can be judged.

Cost: for each step and node, a sort of the state and a binary search for each probe; results are never
enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.simulation.keys import Integers, Keys, KeySource
from headwater.overload.joins.simulation.shelf import Batch, Floats, Matches, Shelf

__all__ = ["Arrivals", "Counts", "Run", "poisson"]

_BURST_SECONDS = 10.0
Arrivals = Callable[[str, float, float], Keys]
"""Keys of the tuples of a stream that arrive from a time on for some seconds."""


def poisson(plan: JoinPlan, keys: KeySource, random: np.random.Generator) -> Arrivals:
    """Poisson arrivals at the plan's rates."""

    def arrivals(stream: str, start: float, seconds: float) -> Keys:
        rate = plan.rates[stream] or 0.0
        return keys.draw(stream, int(random.poisson(rate * seconds)), None)

    return arrivals


@dataclass(slots=True)
class Counts:
    """What was seen since the last reading; the monitor of the adaptation loop reads these."""

    tolerances: int
    seconds: float = 0.0
    results: int = 0
    kept_back: int = 0
    probes: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, int] = field(default_factory=dict)
    matches: dict[str, int] = field(default_factory=dict)
    arrivals: dict[str, int] = field(default_factory=dict)
    stale: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self.stale = np.zeros(self.tolerances, dtype=np.int64)

    @property
    def resources(self) -> int:
        """Probes in all."""
        return sum(self.probes.values())


class Run:
    """A plan being run. `now` advances with `advance`; `counts` may be taken at any time."""

    def __init__(
        self,
        plan: JoinPlan,
        shelves: Mapping[str, Shelf],
        arrivals: Arrivals,
        keys: KeySource,
        tolerances: Sequence[Mapping[str, float]],
        random: np.random.Generator,
        guard: int | None = None,
    ) -> None:
        self.plan, self.shelves, self.arrivals, self.keys = plan, shelves, arrivals, keys
        self.random, self.guard, self.now = random, guard, 0.0
        self.lasting = {
            stream: np.array([tolerance.get(stream, np.inf) for tolerance in tolerances], dtype=np.float64)
            for stream in plan.streams
        }
        self.counts = Counts(len(tolerances))
        self.rates: Mapping[str, float] = {}
        self.tokens: dict[str, float] = {}

    def allow(self, half_ways: Mapping[str, float]) -> None:
        """Set the probes per second of every node, from now on."""
        for own, rate in half_ways.items():
            most = rate * _BURST_SECONDS
            self.tokens[own] = min(self.tokens.get(own, 0.0), most)
        self.rates = half_ways

    def take_counts(self) -> Counts:
        """What was counted since the last call."""
        taken, self.counts = self.counts, Counts(len(self.counts.stale))
        return taken

    def advance(self, seconds: float, step: float) -> None:
        """Run for `seconds` in steps of about `step`."""
        steps = max(1, round(seconds / step))
        for _ in range(steps):
            self._step(seconds / steps)

    def _step(self, step: float) -> None:
        start, self.now = self.now, self.now + step
        self.counts.seconds += step
        for own, rate in self.rates.items():
            self.tokens[own] = min(self.tokens[own] + rate * step, max(rate * _BURST_SECONDS, 1.0))
        for stream in self.plan.streams:
            batch = self._arrive(stream, start, step)
            _add(self.counts.arrivals, stream, len(batch))
            self._walk(stream, batch)

    def _arrive(self, stream: str, start: float, step: float) -> Batch:
        keys = self.arrivals(stream, start, step)
        born = start + step * np.sort(self.random.random(len(keys.stored)))
        return Batch(keys, born[:, None] + self.lasting[stream])

    def _walk(self, own: str, batch: Batch) -> None:
        """Move tuples up their path, node by node, until none may probe or the root is reached."""
        while len(batch):
            self.shelves[own].insert(batch, self.now)
            partner = self.plan.siblings[own]
            probing = self._permitted(own, batch)
            if not len(probing):
                return
            matches = self.shelves[partner].probe(probing.keys.sought)
            self._tally(own, partner, len(probing), matches)
            if self.plan.parents[own] == self.plan.root:
                self._results(partner, probing, matches)
                return
            own = self.plan.parents[own]
            batch = self._joined(own, partner, probing, matches)

    def _permitted(self, own: str, batch: Batch) -> Batch:
        """As many tuples as there are tokens, drawn at random."""
        allowed = min(len(batch), int(self.tokens.get(own, 0.0)))
        self.tokens[own] = self.tokens.get(own, 0.0) - allowed
        if allowed == len(batch):
            return batch
        return batch[np.sort(self.random.choice(len(batch), allowed, replace=False))]

    def _tally(self, own: str, partner: str, probes: int, matches: Matches) -> None:
        _add(self.counts.probes, own, probes)
        _add(self.counts.pairs, partner, probes * len(self.shelves[partner]))
        _add(self.counts.matches, partner, matches.total)

    def _joined(self, node: str, partner: str, probing: Batch, matches: Matches) -> Batch:
        probes, matched = matches.pairs()
        spoils: Floats = np.minimum(probing.spoils[probes], self.shelves[partner].spoils[matched])
        sought = probing.keys.sought[probes]
        if self.guard is not None:
            fresh = np.flatnonzero(spoils[:, self.guard] >= self.now)
            spoils, sought = spoils[fresh], sought[fresh]
        return Batch(self.keys.draw(node, len(spoils), sought), spoils)

    def _results(self, partner: str, probing: Batch, matches: Matches) -> None:
        counts = matches.counts[:, None]
        spoiled = np.where(
            probing.spoils < self.now, counts, self.shelves[partner].spoiled_before(matches, self.now)
        ).sum(axis=0)
        total = matches.total
        if self.guard is not None:
            kept_back = int(spoiled[self.guard])
            self.counts.kept_back += kept_back
            total, spoiled = total - kept_back, np.maximum(spoiled - kept_back, 0)
        self.counts.results += total
        self.counts.stale += spoiled


def _add(counter: dict[str, int], key: str, more: int) -> None:
    counter[key] = counter.get(key, 0) + more
