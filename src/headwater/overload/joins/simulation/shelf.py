"""A join state holding real tuples, and probing it by the batch.

A tuple on the shelf is a key and, for each watched set of tolerances, the time at which it spoils: the first
moment when one of the stream tuples in it is older than its tolerance.  Counting needs nothing else.  Tuples
are in order of arrival; probing sorts them by key once per batch and finds every probe's matches as one
range, so counting results costs a binary search each and never enumerates them.

Invariant: at most `size` tuples with a count window; none older than `window` seconds with a time window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.overload.joins.model.join_plan import State
from headwater.overload.joins.simulation.keys import Integers, Keys

__all__ = ["Batch", "Matches", "Shelf"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tuples of a node: keys, and when each (a row) spoils under each set of tolerances (a column)."""

    keys: Keys
    spoils: Floats

    def __len__(self) -> int:
        return len(self.spoils)

    def __getitem__(self, positions: Integers) -> Batch:
        return Batch(self.keys[positions], self.spoils[positions])


@dataclass(frozen=True, slots=True)
class Matches:
    """For each probe, the range of its matches in the shelf sorted by key."""

    first: Integers
    last: Integers
    order: Integers

    @property
    def counts(self) -> Integers:
        return self.last - self.first

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def pairs(self) -> tuple[Integers, Integers]:
        """Every match: the position of the probe in its batch, and of the tuple on the shelf."""
        counts = self.counts
        probes = np.repeat(np.arange(len(counts)), counts)
        ahead = np.arange(len(probes)) - np.repeat(np.cumsum(counts) - counts, counts)
        return probes, self.order[self.first[probes] + ahead]


class Shelf:
    """The tuples of a state. Mutable: it is what a simulation changes."""

    def __init__(self, state: State, batch: Batch, entered: Floats) -> None:
        self.state = state
        self.keys = batch.keys.stored
        self.spoils = batch.spoils
        self.entered = entered
        self._sorted: tuple[Integers, Integers] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def insert(self, batch: Batch, now: float) -> None:
        """Add tuples and purge what leaves the window."""
        keys = np.concatenate([self.keys, batch.keys.stored])
        spoils = np.concatenate([self.spoils, batch.spoils])
        entered = np.concatenate([self.entered, np.full(len(batch), now)])
        window = self.state.window
        if window is None:
            start = max(0, len(keys) - round(self.state.size))
        else:
            start = int(np.searchsorted(entered, now - window + 1e-9, side="left"))
        self.keys, self.spoils, self.entered = keys[start:], spoils[start:], entered[start:]
        self._sorted = None

    def probe(self, sought: Integers) -> Matches:
        """All matches of a batch of probes."""
        if self._sorted is None:
            order = np.argsort(_small(self.keys), kind="stable")
            self._sorted = self.keys[order], order
        keys, order = self._sorted
        first = np.searchsorted(keys, sought, side="left")
        return Matches(first, np.searchsorted(keys, sought, side="right"), order)

    def spoiled_before(self, matches: Matches, now: float) -> Integers:
        """For each probe (a row) and set of tolerances (a column), the matches that have spoiled by now."""
        spoiled = self.spoils[matches.order] < now
        running = np.zeros((len(self) + 1, spoiled.shape[1]), dtype=np.int64)
        np.cumsum(spoiled, axis=0, out=running[1:])
        return running[matches.last] - running[matches.first]


def _small(keys: Integers) -> npt.NDArray[np.int64] | npt.NDArray[np.uint16]:
    """Keys below 65,536 as 16 bits, for which numpy sorts by radix: five times as fast."""
    return keys.astype(np.uint16) if len(keys) and keys.max() < 65_536 else keys
