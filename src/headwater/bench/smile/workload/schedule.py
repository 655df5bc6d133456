"""How many tweets come when: phases of constant rate, and a stream as uneven as the real one.

A schedule is cut into batches before the run starts, so that two runs of one schedule get the same rows even
if one of them falls behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

__all__ = ["Phase", "batches", "gardenhose", "length", "phase_at"]


@dataclass(frozen=True, slots=True)
class Phase:
    """A rate of tweets per second for a time.

    Meanwhile `readers` read each view in a closed loop, and `pages` of the project are open in browsers.
    """

    seconds: float
    rate: float
    readers: int = 0
    pages: int = 0


def length(phases: Sequence[Phase]) -> float:
    return sum(phase.seconds for phase in phases)


def phase_at(phases: Sequence[Phase], seconds: float) -> Phase | None:
    """The phase at an instant after the start; None when all are over."""
    for phase in phases:
        if seconds < phase.seconds:
            return phase
        seconds -= phase.seconds
    return None


def batches(phases: Sequence[Phase], every: float) -> list[int]:
    """The tweets of each batch: batch number k holds what came in the k-th interval of `every` seconds."""
    ends = list(accumulate(phase.seconds for phase in phases))
    starts = [end - phase.seconds for end, phase in zip(ends, phases, strict=True)]

    def arrived(until: float) -> float:
        return sum(
            phase.rate * min(max(until - start, 0.0), phase.seconds)
            for start, phase in zip(starts, phases, strict=True)
        )

    count = max(1, round(length(phases) / every))
    totals = [int(arrived(every * number) + 1e-6) for number in range(count + 1)]
    return [later - earlier for earlier, later in zip(totals, totals[1:], strict=False)]


def gardenhose(seconds: float, average: float = 100.0, step: float = 5.0, seed: int = 8) -> list[Phase]:
    """A stream like the paper's Figure 8c: it drifts between half and twice its average, with short bursts.

    The paper's own recording is not public; this one is synthetic, the same every time.
    """
    count = max(1, round(seconds / step))
    chance = np.random.default_rng(seed)
    drift = np.zeros(count)
    for number in range(1, count):
        drift[number] = 0.97 * drift[number - 1] + chance.normal(0, 0.09)
    bursts = np.where(chance.random(count) < 0.02, chance.uniform(2, 6, count), 1.0)
    shape = np.exp(drift) * bursts
    return [Phase(step, float(rate)) for rate in average * shape / shape.mean()]
