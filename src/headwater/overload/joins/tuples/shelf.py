"""A join state holding real tuples, and probing it by the batch.

A tuple on the shelf is a key and, for each set of tolerances watched, the time at which it spoils: the first
moment when one of the stream tuples in it is older than its tolerance.  Nothing else of a tuple matters for
counting.  Tuples lie in order of arrival; probing sorts them by key once for each batch and finds every
probe's matches as one range, so counting results costs a binary search each and never lists them.

Invariant: at most `size` tuples with a count window; none older than `window` seconds with a time window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.overload.joins.plan import State
from headwater.overload.joins.tuples.keys import Integers, Keys

__all__ = ["Batch", "Matches", "Shelf"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tuples of one node: their keys, and when each spoils under each set of tolerances (a row for each
    tuple)."""

    keys: Keys
    spoils: Floats

    def __len__(self) -> int:
        return len(self.spoils)

    def __getitem__(self, chosen: Integers) -> Batch:
        return Batch(self.keys[chosen], self.spoils[chosen])


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
    """The tuples of a state. Changes in place: it is the one mutable thing a simulation is about."""

    def __init__(self, state: State, batch: Batch, entered: Floats) -> None:
        self.state = state
        self.keys = batch.keys.kept
        self.spoils = batch.spoils
        self.entered = entered
        self._sorted: tuple[Integers, Integers] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def insert(self, batch: Batch, now: float) -> None:
        """Add tuples and purge what leaves the window."""
        keys = np.concatenate([self.keys, batch.keys.kept])
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
