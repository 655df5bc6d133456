"""What `best` learns while it runs: how often each key is updated, and how long a backlog lasts.

**Rates** are counts over the time during which there was a backlog, because only then does a rate matter: a
key that is silent for hours and comes in bursts is fast.  They are drawn towards the mean rate of all keys
as far as the spread of the counts may be chance (a gamma prior fitted by moments).  So equal keys look
equal, and `best` serves them as IN-PLACE does.

**Backlogs** last from the first waiting key to the moment nothing waits.  Seen from a random moment within a
backlog, the remaining time is half the mean square over the mean; a backlog that is still growing counts as
if it ended now.

Cost: O(1) an event, plus a pass over the keys each time the entries have grown by a quarter.
Doubt: counts never fade, so a key that changes its behaviour is believed late.  Fading counts gained half a
percent on an hour of real quotes and cost one percent on steady keys.
"""

from __future__ import annotations

from math import log2

import numpy as np

from headwater.overload.updates.queue.cells import Floats, Ints, KeyCells

__all__ = ["FINE", "Backlog", "Rates", "prior_strength"]

FINE = 96  # a logarithmic scale of intervals: steps an octave
CERTAIN = 1e4  # a prior worth this many updates: the keys differ by chance alone


def prior_strength(mean: float, variance: float) -> float:
    """How many updates the prior is worth, by the counts' mean and variance: many if only chance differs."""
    beyond_chance = variance - mean
    return min(mean * mean / beyond_chance, CERTAIN) if beyond_chance > 1e-4 * mean else CERTAIN


class Backlog:
    """How long backlogs last."""

    def __init__(self) -> None:
        self.began_at = 0.0
        self.total = 0.0
        self.squares = 0.0

    def ended(self, now: float) -> None:
        length = now - self.began_at
        self.total += length
        self.squares += length * length

    def time(self, at: float) -> float:
        """The total time during which there was a backlog."""
        return self.total + at - self.began_at

    def end_rate(self, now: float) -> float:
        """One over the mean remaining time, seen from a random moment within a backlog."""
        length = now - self.began_at
        squares = self.squares + length * length
        return 2.0 * (self.total + length) / squares if squares > 0.0 else 0.0

    def state(self) -> dict[str, float]:
        return {"began_at": self.began_at, "total": self.total, "squares": self.squares}

    def restore(self, state: dict[str, float]) -> None:
        self.began_at, self.total, self.squares = state["began_at"], state["total"], state["squares"]


class Rates:
    """Mean time between updates of a key: its count over time, with the counts of all keys as the prior."""

    def __init__(self, cells: KeyCells, backlog: Backlog, cost: float) -> None:
        self.cells = cells
        self.backlog = backlog
        self.shortest = max(cost, 1e-9)
        self.strength = 0.0
        self.prior = 0.0
        self.entries = 0
        self.refit_at = 1
        self.reference = 0  # the mean interval of all keys, on the fine scale; moved only when it drifts

    def count_entries(self, entries: int, at: float) -> None:
        """Keys began to wait; from time to time the prior is fitted again."""
        self.entries += entries
        if self.entries >= self.refit_at:
            self.refit(at)

    def refit(self, at: float) -> None:
        """Fit the prior to the counts, and schedule the next fit."""
        self.refit_at = self.entries + self.entries // 4 + 16
        elapsed = max(self.backlog.time(at), self.shortest)
        counts = self.cells.updates[: self.cells.size]
        counts = counts[counts > 0]
        mean, variance = float(counts.mean()), float(counts.var())
        self.strength = prior_strength(mean, variance)
        self.prior = self.strength * elapsed / mean
        fine = round(FINE * log2(elapsed / mean))
        if abs(fine - self.reference) > FINE // 16:
            self.reference = fine

    def interval(self, key: int, at: float) -> float:
        elapsed = self.backlog.total + at - self.backlog.began_at
        if elapsed < self.shortest:
            elapsed = self.shortest
        return (elapsed + self.prior) / (self.cells.updates_view[key] + self.strength)

    def intervals(self, keys: Ints, ats: Floats) -> Floats:
        """As `interval`, for many keys."""
        elapsed = np.maximum(self.backlog.total + ats - self.backlog.began_at, self.shortest)
        return (elapsed + self.prior) / (self.cells.updates[keys] + self.strength)

    def state(self) -> dict[str, float]:
        return {
             "strength": self.strength, "prior": self.prior,
            "entries": self.entries, "refit_at": self.refit_at, "reference": self.reference,
        }  # fmt: skip

    def restore(self, state: dict[str, float]) -> None:
        self.strength, self.prior = state["strength"], state["prior"]
        self.entries, self.refit_at = int(state["entries"]), int(state["refit_at"])
        self.reference = int(state["reference"])
