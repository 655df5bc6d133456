"""What pushes really take on a simulated machine, which no forecast is told.

    seconds = (fixed cost of the action and its stages + seconds for its rows) * cold * slow * chance

A Spark that has just started is slow, and new code again; others load the machine for minutes at a time; and
every action takes somewhat longer or shorter than the one before.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode

__all__ = ["Costs", "Machine"]

COLD = (3.0, 1.8, 1.5, 1.3, 1.2, 1.1)  # the first actions of a set of stages


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of an action, of a stage in it, of a change that is read, and of one that is made."""

    action: float
    stage: float
    read: float
    made: float
    choosing: float  # an action that chooses: how many times as long as another
    waiting: float  # a row that waits

    def seconds(self, stages: Mapping[str, tuple[Mode, Effort]]) -> float:
        total = self.action + self.stage * len(stages)
        for mode, effort in stages.values():
            total += self.read * effort.changed + self.made * effort.result
            if mode is Mode.CHOOSE:
                total += (self.choosing - 1) * self.action + self.waiting * effort.scanned
        return total


@dataclass(slots=True)
class Machine:
    costs: Costs
    chance: random.Random
    noise: float = 0.15  # the standard deviation of how long an action takes, as a fraction
    slow: float = 1.0  # how many times as long everything takes just now, because of others
    _run: dict[tuple[frozenset[str], bool], int] = field(default_factory=dict)

    def seconds(self, stages: Mapping[str, tuple[Mode, Effort]]) -> float:
        chance = math.exp(self.chance.gauss(0.0, self.noise))
        return self.costs.seconds(stages) * self._cold(stages) * self.slow * min(chance, 2.0)

    def _cold(self, stages: Mapping[str, tuple[Mode, Effort]]) -> float:
        kind = frozenset(stages), any(mode is Mode.CHOOSE for mode, _ in stages.values())
        run = self._run[kind] = self._run.get(kind, 0) + 1
        known: Collection[int] = self._run.values()
        # Code that others have run already is not as slow as the very first.
        first = COLD[run - 1] if run <= len(COLD) else 1.0
        return first if len(known) == 1 else 1.0 + (first - 1.0) / 2
