"""Fill a join plan's states as they would be after running under an allocation for a long time.

The time that a tuple has been in its state is uniform between 0 and the state's residence, which is its
window, or its size over the rate at which it is refilled; a tuple of a state that is never refilled is older
than any tolerance. Of a joined tuple, one part arrived just now and the other was stored, as often as the
allocation has each side probe.  Starting there spares the simulation a warm-up of several windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headwater.overload.joins.model.allocation import Allocation
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.tree import Join, Node, name, nodes
from headwater.overload.joins.simulation.keys import Keys, KeySource
from headwater.overload.joins.simulation.shelf import Batch, Floats, Shelf

__all__ = ["Steady"]


@dataclass(frozen=True)
class Steady:
    """The steady state of a plan. `tolerances`: the sets of tolerances watched, each by stream in seconds."""

    plan: JoinPlan
    allocation: Allocation
    tolerances: Sequence[Mapping[str, float]]
    keys: KeySource
    random: np.random.Generator

    def shelves(self) -> dict[str, Shelf]:
        """Every state, full, at time zero."""
        return {
            name(node): self._shelf(node) for node in nodes(self.plan.tree) if name(node) != self.plan.root
        }

    def residence(self, own: str) -> float:
        """Seconds from a tuple's entry into a state to its exit."""
        state = self.plan.states[own]
        if own in self.plan.rates:
            return self.plan.window(own)
        if state.window is not None:
            return state.window
        rate = self.allocation.entering[own]
        return state.size / rate if rate > 0 else float("inf")

    def _shelf(self, node: Node) -> Shelf:
        own = name(node)
        state = self.plan.states[own]
        residence = self.residence(own)
        filling = self.allocation.entering.get(own, self.plan.rates.get(own))
        timed = state.window is not None and filling is not None
        count = round(state.window * filling if timed and state.window and filling else state.size)
        ages = np.sort(self.random.random(count))[::-1] * residence if count else np.zeros(0)
        spoils = _aged(self._lasting(node, count), ages)
        return Shelf(state, Batch(self._keys(own, count), spoils), -ages)

    def _keys(self, own: str, count: int) -> Keys:
        return self.keys.draw(own, count, None)

    def _lasting(self, node: Node, count: int) -> Floats:
        """How long new tuples of a node last before they spoil, for each set of tolerances."""
        if not isinstance(node, Join):
            lasts = [tolerance.get(node.stream, np.inf) for tolerance in self.tolerances]
            return np.tile(np.array(lasts, dtype=np.float64), (count, 1))
        left, right = self._lasting(node.left, count), self._lasting(node.right, count)
        probing = self.random.random(count) < self._left_share(node)
        stored = self.random.random(count)
        left = _aged(left, np.where(probing, 0.0, stored * self.residence(name(node.left))))
        right = _aged(right, np.where(probing, stored * self.residence(name(node.right)), 0.0))
        return np.minimum(left, right)

    def _left_share(self, node: Join) -> float:
        """The share of a join's results produced by its left input probing."""
        produced = {
            own: self.allocation.half_ways[own] * self.plan.states[self.plan.siblings[own]].productivity
            for own in (name(node.left), name(node.right))
        }
        total = sum(produced.values())
        return produced[name(node.left)] / total if total > 0 else 0.5


def _aged(lasting: Floats, ages: Floats) -> Floats:
    """The time left before tuples spoil, given their ages; what never spoils does not, however old."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(lasting), lasting, lasting - ages[:, None])
