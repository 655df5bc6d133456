"""The delta of one view over fragments: the arithmetic of algebra/delta/extremes.py, on arrays.

old     the stored states of the windows that a change touches
new     old + what the change adds; of an extreme, the further of old and gained
lost    an extreme went and nothing as far out came: sought anew among the fragments that are there now
delta   -old +new, without windows that are as they were
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.engine.push.driver.fragments import Fragments, Lengths, Windows, touched_windows
from headwater.engine.push.driver.numbers import LARGEST, Integers, Numbers, TooLarge

__all__ = ["MergedState", "Stored", "WindowChanges", "merge_windows"]

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class MergedState:
    """A state of a view: what it is called there, in the fragments, and how it is merged of theirs."""

    name: str
    part: str
    function: str  # sum, min or max

    @property
    def sign(self) -> int:
        return -1 if self.function == "min" else 1


@dataclass(frozen=True, slots=True)
class Stored:
    """Changes of a view as they are stored: windows, states and weights, in any order."""

    windows: Windows
    states: Mapping[str, Numbers]
    weights: Integers


@dataclass(frozen=True, slots=True)
class WindowChanges:
    """Rows to store: windows with their states, and weights."""

    windows: Windows
    states: Mapping[str, Numbers]
    weights: Integers


def merge_windows(
    changes: Fragments,
    lengths: Lengths,
    states: tuple[MergedState, ...],
    count: str,
    stored: Callable[[Windows], Stored],
    present: Callable[[Windows], Fragments],
) -> WindowChanges:
    """The change of a view by the changes of fragments.

    `count` names the state that counts rows, `stored` reads what the view holds of some windows (and may give
    more), `present` the fragments that are there now in some.
    """
    windows, low, high = touched_windows(changes, lengths)
    there, old = _old(windows, lengths.slide, stored(windows), states)
    came, went = changes.weights > 0, changes.weights < 0
    new: dict[str, Numbers] = {}
    lost = np.zeros(len(windows.keys), np.bool_)
    for state in states:
        before = old[state.name]
        if state.function == "sum":
            new[state.name] = _sum(before, changes.sums(state.part, low, high))
            continue
        gained = changes.extremes(state.part, state.sign, came, low, high)
        gone = changes.extremes(state.part, state.sign, went, low, high)
        new[state.name] = _further(state.sign, before, gained)
        lost |= _loses(state.sign, before, gained, gone)
    alive = new[count].values > 0
    lost &= alive
    if lost.any():
        _seek_anew(new, states, windows.take(lost), lost, lengths.size, present(windows.take(lost)))
    return _changed(windows, there, alive, old, new)


def _old(
    windows: Windows, slide: int, stored: Stored, states: tuple[MergedState, ...]
) -> tuple[Flags, dict[str, Numbers]]:
    """The stored states of windows: of all changes of a window, one row is left."""
    begin = int(windows.starts.min()) if len(windows.starts) else 0
    span = (int(windows.starts.max()) - begin) // slide + 1 if len(windows.starts) else 1
    codes = windows.keys * span + (windows.starts - begin) // slide
    number = (stored.windows.starts - begin) // slide
    wanted = stored.windows.keys * span + number
    at = np.minimum(np.searchsorted(codes, wanted), max(0, len(codes) - 1))
    meets = (
        (number >= 0) & (number < span) & (codes[at] == wanted)
        if len(codes)
        else np.zeros(len(wanted), np.bool_)
    )
    at, weights = at[meets], stored.weights[meets]

    def added(values: Integers) -> Integers:
        result = np.zeros(len(codes), np.int64)
        np.add.at(result, at, values * weights)
        return result

    old = {}
    for state in states:
        taken = stored.states[state.name].take(meets)
        old[state.name] = Numbers(added(taken.values), added(taken.valid.astype(np.int64)) > 0)
    return added(np.ones(len(at), np.int64)) > 0, old


def _sum(before: Numbers, change: Integers) -> Numbers:
    values = before.values + change
    if len(values) and np.abs(values).max() >= LARGEST:
        raise TooLarge
    return Numbers(values, np.ones(len(values), np.bool_))


def _further(sign: int, before: Numbers, gained: Numbers) -> Numbers:
    takes = gained.valid & (~before.valid | (sign * gained.values > sign * before.values))
    return Numbers(np.where(takes, gained.values, before.values), before.valid | gained.valid)


def _loses(sign: int, before: Numbers, gained: Numbers, gone: Numbers) -> Flags:
    """Whether the extreme went, or one further out, and nothing as far out came."""
    went = before.valid & gone.valid & (sign * gone.values >= sign * before.values)
    replaced = gained.valid & (sign * gained.values >= sign * gone.values)
    return np.asarray(went & ~replaced)


def _seek_anew(
    new: dict[str, Numbers],
    states: tuple[MergedState, ...],
    windows: Windows,
    lost: Flags,
    size: int,
    present: Fragments,
) -> None:
    low, high = present.ranges(windows, size)
    everything = np.ones(len(present.keys), np.bool_)
    for state in states:
        if state.function != "sum":
            sought = present.extremes(state.part, state.sign, everything, low, high)
            values, valid = new[state.name].values.copy(), new[state.name].valid.copy()
            values[lost], valid[lost] = sought.values, sought.valid
            new[state.name] = Numbers(values, valid)


def _changed(
    windows: Windows, there: Flags, alive: Flags, old: Mapping[str, Numbers], new: Mapping[str, Numbers]
) -> WindowChanges:
    """-old +new, without windows that stay as they are."""
    same = there & alive
    for name, before in old.items():
        after = new[name]
        same &= (before.values == after.values) & (before.valid == after.valid)
    goes, comes = there & ~same, alive & ~same
    both = {
        name: Numbers(
            np.concatenate([old[name].values[goes], new[name].values[comes]]),
            np.concatenate([old[name].valid[goes], new[name].valid[comes]]),
        )
        for name in old
    }
    rows = Windows(
        np.concatenate([windows.keys[goes], windows.keys[comes]]),
        np.concatenate([windows.starts[goes], windows.starts[comes]]),
    )
    weights = np.concatenate([np.full(goes.sum(), -1), np.full(comes.sum(), 1)]).astype(np.int64)
    return WindowChanges(rows, both, weights)
