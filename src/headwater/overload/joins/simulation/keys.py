"""Equi-join keys: drawn to give the selectivities, or taken from recorded data.

Drawn: a tuple in a state of selectivity s has a key uniform over floor(1 / s) values, and a tuple that
probes the state has one of them with probability s * floor(1 / s), else a key that nothing has; so any pair
matches with probability s exactly, even if 1 / s is not an integer.  If both directions of a join have the
same selectivity, a tuple uses the same key for both, which is a true equi-join; if they differ, as in the
paper's Figure 2.a, each direction has its own key.  A joined tuple gets fresh keys, as if the next join's
attribute depended on both of its parts.

Recorded: every tuple has one key, a joined tuple keeps it, and selectivities are what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headwater.overload.joins.model.join_plan import JoinPlan

__all__ = ["DrawnKeys", "KeySource", "Keys", "RecordedKeys"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Keys:
    """For each tuple of a batch: the key it is stored under, and the key it looks for."""

    stored: Integers
    sought: Integers

    def __getitem__(self, positions: Integers) -> Keys:
        return Keys(self.stored[positions], self.sought[positions])


class KeySource(Protocol):
    def draw(self, node: str, count: int, inherited: Integers | None) -> Keys:
        """Keys for new tuples of a node; `inherited` are those of the tuples they were joined from."""
        ...


@dataclass(frozen=True)
class DrawnKeys:
    """Keys that give a plan's selectivities."""

    plan: JoinPlan
    random: np.random.Generator

    def draw(self, node: str, count: int, inherited: Integers | None) -> Keys:
        own = self.plan.states[node].selectivity
        other = self.plan.states[self.plan.siblings[node]].selectivity
        stored = self.random.integers(0, _values(own), count)
        values = _values(other)
        sought = stored if own == other else self.random.integers(0, values, count)
        chance = min(1.0, other * values)
        if chance < 1.0 - 1e-12:
            sought = np.where(self.random.random(count) < chance, sought, -1)
        return Keys(stored, sought)


def _values(selectivity: float) -> int:
    return int(1.0 / selectivity * (1 + 1e-12)) if selectivity > 1e-12 else 1_000_000_000


@dataclass(frozen=True)
class RecordedKeys:
    """Joined tuples keep the key that joined them; streams bring their own."""

    def draw(self, node: str, count: int, inherited: Integers | None) -> Keys:
        if inherited is None:
            raise ValueError("recorded streams bring their own keys")
        return Keys(inherited, inherited)
