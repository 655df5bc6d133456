"""The model: a join plan under unit-time cost, and the input paths it consists of.

A half-way join `i probes S` yields `selectivity * size` results for each tuple processed: its productivity.
An input path is the chain of half-way joins from a stream to the root.  One tuple entering at the leaf
becomes phi_1 tuples after the first join, phi_2 after the second, and so on; with a producer-consumer match
all of them are processed, so the tuple costs 1 + phi_1 + ... + phi_(n-1) probes and yields phi_n results:

    path productivity = phi_n / (1 + phi_1 + ... + phi_(n-1))         (the paper's Equation 8)

Resources are counted in probes per second, as in the paper; `cost.py` counts inserting and purging
separately.  A time-based window of T seconds has `rate * T` tuples; an intermediate one is sized by the rate
at which the plan would fill it without overload, which overestimates it under overload (the adaptation loop
measures the true size).

Invariant: every node but the root has a state.  Cost: the sum of the path lengths, at most k * (k - 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from operator import mul

from headwater.overload.joins.model.tree import Join, Node, joins, name, nodes, ordered_leaves

__all__ = ["Hop", "JoinPlan", "Path", "State", "saturation"]


@dataclass(frozen=True, slots=True)
class State:
    """The window of one input of a join. `selectivity` is that of probing it; `window` is in seconds."""

    size: float
    selectivity: float
    window: float | None = None

    @property
    def productivity(self) -> float:
        """Results per tuple that probes this state: the half-way join productivity of its partner."""
        return self.selectivity * self.size


@dataclass(frozen=True, slots=True)
class Hop:
    """One half-way join of a path: tuples of node `own` probe the state `partner`."""

    own: str
    partner: str
    productivity: float


@dataclass(frozen=True, slots=True)
class Path:
    """The half-way joins from a stream to the root. `rate` is the arrival rate, None if it sets no cap."""

    stream: str
    rate: float | None
    hops: tuple[Hop, ...]

    @property
    def cardinalities(self) -> tuple[float, ...]:
        """phi_1 .. phi_n: tuples after each join for one tuple at the leaf (Equation 5)."""
        return tuple(accumulate((hop.productivity for hop in self.hops), mul))

    @property
    def weights(self) -> tuple[float, ...]:
        """Probes at each hop for one tuple at the leaf: 1, phi_1, .., phi_(n-1)."""
        return (1.0, *self.cardinalities[:-1])

    @property
    def unit_cost(self) -> float:
        """Probes along the entire path for one tuple at the leaf."""
        return sum(self.weights)

    @property
    def productivity(self) -> float:
        return self.cardinalities[-1] / self.unit_cost

    @property
    def most(self) -> float:
        """The most resources the path can use: all its arrivals, up to the root. Infinite without a rate."""
        return float("inf") if self.rate is None else self.rate * self.unit_cost

    def divide(self, resources: float) -> tuple[float, ...]:
        """The probe allowance of each hop, producers and consumers matched (Equation 7)."""
        entering = resources / self.unit_cost
        return tuple(entering * weight for weight in self.weights)


@dataclass(frozen=True)
class JoinPlan:
    """A tree over named streams, their arrival rates, and the states of all nodes but the root."""

    tree: Node
    rates: Mapping[str, float | None]
    states: Mapping[str, State]

    @cached_property
    def streams(self) -> tuple[str, ...]:
        return ordered_leaves(self.tree)

    @cached_property
    def siblings(self) -> Mapping[str, str]:
        """For each node but the root, the node it is joined with."""
        pairs = [(name(join.left), name(join.right)) for join in joins(self.tree)]
        return dict(pairs) | {right: left for left, right in pairs}

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """For each node but the root, the join above it."""
        return {name(child): name(join) for join in joins(self.tree) for child in (join.left, join.right)}

    @cached_property
    def root(self) -> str:
        return name(self.tree)

    @cached_property
    def susceptible(self) -> tuple[str, ...]:
        """States that only joins fill, and that therefore go stale when starved: k - 2 of them (Lemma 2)."""
        inner = [name(node) for node in nodes(self.tree) if isinstance(node, Join)]
        return tuple(inner[:-1])

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The input path of each stream, in the order of the tree."""
        return tuple(self._path(stream) for stream in self.streams)

    def _path(self, stream: str) -> Path:
        hops: list[Hop] = []
        own = stream
        while own != self.root:
            partner = self.siblings[own]
            hops.append(Hop(own, partner, self.states[partner].productivity))
            own = self.parents[own]
        return Path(stream, self.rates[stream], tuple(hops))

    def window(self, stream: str) -> float:
        """Seconds that a tuple stays in its stream's own state; 0 if arrivals have no cap."""
        state, rate = self.states[stream], self.rates[stream]
        if state.window is not None:
            return state.window
        if rate is None:
            return 0.0
        return state.size / rate if rate > 0 else float("inf")

    def with_states(self, states: Mapping[str, State]) -> JoinPlan:
        """The same plan with some states replaced, for example when selectivities drift."""
        return replace(self, states={**self.states, **states})


def saturation(plan: JoinPlan) -> tuple[float, float]:
    """Resources and throughput if every arrival probes up to the root. Infinite without rates."""
    resources = sum(path.most for path in plan.paths)
    throughput = sum(path.most * path.productivity for path in plan.paths)
    return resources, throughput
