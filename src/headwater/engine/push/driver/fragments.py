"""Fragments by key and time, in the order in which windows ask for them.

A window asks for the fragments of its key between its start and its end.  They lie beside each other, so that
sums are differences of running sums, whatever the number of windows that a fragment lies in; extremes are
sought in the range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.engine.push.driver.numbers import Integers, Numbers, TooLarge

__all__ = ["Fragments", "Lengths", "Windows", "fragments", "net_fragments", "touched_windows"]

NOTHING = np.iinfo(np.int64).min
MOST_DISTANT = 2**62
MOST_WINDOWS = 4_000_000  # of one view: rows that are years apart are Spark's


@dataclass(frozen=True, slots=True)
class Lengths:
    """Of a view's windows, in microseconds."""

    size: int
    slide: int
    offset: int


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of keys, each once, in the order of key and start."""

    keys: Integers
    starts: Integers

    def take(self, where: npt.NDArray[np.bool_]) -> Windows:
        return Windows(self.keys[where], self.starts[where])


@dataclass(frozen=True, slots=True)
class Fragments:
    """Changes of fragments, or fragments; in the order of key and start."""

    keys: Integers
    starts: Integers
    states: Mapping[str, Numbers]
    weights: Integers
    codes: Integers  # of key and start, ascending
    begin: int
    span: int

    def ranges(self, windows: Windows, size: int) -> tuple[Integers, Integers]:
        """For each window the fragments that lie in it: from, and up to."""
        low, high = (
            np.searchsorted(self.codes, windows.keys * self.span + self._within(starts)).astype(np.int64)
            for starts in (windows.starts, windows.starts + size)
        )
        return low, high

    def _within(self, moments: Integers) -> Integers:
        return np.clip(moments - self.begin, 0, self.span - 1)

    def sums(self, state: str, low: Integers, high: Integers) -> Integers:
        """What the changes add to a state that adds up."""
        numbers = self.states[state]
        changes = numbers.values * self.weights
        if not numbers.valid.all() or np.abs(changes.astype(np.float64)).sum() >= MOST_DISTANT:
            raise TooLarge
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(changes)])
        return np.asarray(running[high] - running[low])

    def extremes(
        self, state: str, sign: int, of: npt.NDArray[np.bool_], low: Integers, high: Integers
    ) -> Numbers:
        """The greatest value (sign 1) or the least (-1) among some of the fragments of each range."""
        numbers = self.states[state]
        counted = np.where(of & numbers.valid, sign * numbers.values, NOTHING)
        padded = np.append(counted, NOTHING)
        bounds = np.stack([low, high], axis=1).reshape(-1)
        most = np.maximum.reduceat(padded, bounds)[::2] if len(low) else np.empty(0, np.int64)
        most = np.where(low < high, most, NOTHING)
        there = most != NOTHING
        return Numbers(np.where(there, sign * most, 0), there)


def fragments(
    keys: Integers, starts: Integers, states: Mapping[str, Numbers], weights: Integers
) -> Fragments:
    begin = int(starts.min()) if len(starts) else 0
    span = int(starts.max()) - begin + 2 if len(starts) else 2
    most = int(keys.max()) + 1 if len(keys) else 1
    if most * span >= MOST_DISTANT:
        raise TooLarge
    codes = keys * span + (starts - begin)
    order = np.argsort(codes, kind="stable")
    taken = {name: state.take(order) for name, state in states.items()}
    return Fragments(keys[order], starts[order], taken, weights[order], codes[order], begin, span)


def net_fragments(changes: Fragments) -> Fragments:
    """The fragments that are there: whatever else their changes say is taken back."""
    codes, first = np.unique(changes.codes, return_index=True)

    def added(values: Integers) -> Integers:
        return np.add.reduceat(values, first) if len(first) else values

    weights = added(changes.weights)
    states = {
        name: Numbers(
            added(state.values * changes.weights), added(state.valid.astype(np.int64) * changes.weights) > 0
        )
        for name, state in changes.states.items()
    }
    there = weights > 0
    return Fragments(
        changes.keys[first][there],
        changes.starts[first][there],
        {name: state.take(there) for name, state in states.items()},
        weights[there],
        codes[there],
        changes.begin,
        changes.span,
    )


def touched_windows(changes: Fragments, lengths: Lengths) -> tuple[Windows, Integers, Integers]:
    """The windows that hold a changed fragment, and for each its range of fragments."""
    keys, first = np.unique(changes.keys, return_index=True)
    last = np.append(first[1:], len(changes.keys)) - 1
    size, slide, offset = lengths.size, lengths.slide, lengths.offset
    earliest = changes.starts[first] - size + 1 if len(first) else first
    earliest = earliest + (offset - earliest) % slide
    latest = changes.starts[last] - (changes.starts[last] - offset) % slide if len(last) else last
    counts = np.maximum(0, (latest - earliest) // slide + 1)
    total = int(counts.sum())
    if total > MOST_WINDOWS:
        raise TooLarge
    number = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    windows = Windows(np.repeat(keys, counts), np.repeat(earliest, counts) + number * slide)
    low, high = changes.ranges(windows, size)
    held = low < high
    return windows.take(held), low[held], high[held]
