"""Sliding windows over update streams: which tuple starts a window, which closes it, and what a window
costs.

A key's first tuple starts its first window; windows then begin every `slide` seconds of source time.  A
window exists if a tuple falls in its first slide, and that tuple is its *starter*.  The window from s holds
the tuples in [s, s + size). Source time moves in ticks, so the tuple that reaches the last tick, s + size -
tick, or any later time, *closes* it.

A tuple is marked before the operator sees it (`win_spec`): the starter of the committed window with the
window's end, other starters with 0, all others with -1.  The operator opens windows only where a mark
allows it, so dropping whole windows never leaves a window with holes.

    size 3, slide 1, tick 1, tuples at 1 2 3 4:   windows 1..3 and 2..4 have closed, those from 3 and 4 are
    open
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

from headwater.errors import InputError

__all__ = ["MarkedTuple", "OpenWindows", "Operator", "WindowSpec", "mark"]


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """Size and slide of a window, in seconds of source time, and the tick in which that time moves."""

    size: float
    slide: float
    tick: float = 1.0

    def __post_init__(self) -> None:
        if not self.size > 0 or not self.slide > 0:
            raise InputError(
                "HW630", f"a window of {self.size:g} s that slides by {self.slide:g} s: both must be above 0"
            )
        if self.slide > self.size:
            raise InputError(
                "HW631", f"the slide of {self.slide:g} s is above the window of {self.size:g} s",
                detail="Tuples between two windows would belong to none.",
                hint="Choose a slide of at most the window.",
            )  # fmt: skip
        if not 0 <= self.tick <= self.size:
            raise InputError("HW632", f"a tick of {self.tick:g} s does not fit a window of {self.size:g} s")

    @property
    def overlap(self) -> int:
        """How many windows hold a tuple at most: the paper's o."""
        return ceil(self.size / self.slide)

    def number(self, at: float, origin: float) -> int:
        """The number of the latest window that has begun at `at`."""
        return floor((at - origin) / self.slide + 1e-9)

    def start(self, number: int, origin: float) -> float:
        return origin + number * self.slide

    def holds(self, start: float, at: float) -> bool:
        return start - 1e-9 <= at < start + self.size - 1e-9

    def closed_by(self, start: float, at: float) -> bool:
        return at >= start + self.size - self.tick - 1e-9

    def cost(self, tuple_cost: float) -> float:
        """Section 6.1.2: the cost of a window whose overlapping windows are all computed, in units of
        ticks.
        """
        return tuple_cost * sum(self.size - i * self.slide for i in range(self.overlap))

    def cost_bounds(self, tuple_cost: float) -> tuple[float, float]:
        """Its lower bound, which update semantics reach by computing one window at a time, and its upper
        bound.

        The paper prints (o + 1) (size - o slide / 2), a sum of one term too many: the term is 0 when the
        slide divides the size and negative otherwise, so that the printed bound can lie below the cost (3 <
        4 for size 3, slide 2).
        """
        overlap = self.overlap
        return tuple_cost * self.size, overlap * tuple_cost * (self.size - (overlap - 1) / 2 * self.slide)


class OpenWindows:
    """The windows of one key that have begun and not closed: at most `overlap` of them, unless tuples share
    ticks.
    """

    __slots__ = ("_last", "_spec", "origin", "starts")

    def __init__(self, spec: WindowSpec) -> None:
        self._spec = spec
        self.origin: float | None = None
        self._last = -1
        self.starts: deque[float] = deque()

    def arrive(self, at: float) -> tuple[float | None, list[float]]:
        """The window this tuple starts, if any, and those it closes, oldest first."""
        if self.origin is None:
            self.origin = at
        number = self._spec.number(at, self.origin)
        started = None
        if number > self._last:
            self._last = number
            started = self._spec.start(number, self.origin)
            self.starts.append(started)
        closed = []
        while self.starts and self._spec.closed_by(self.starts[0], at):
            closed.append(self.starts.popleft())
        return started, closed


@dataclass(frozen=True, slots=True)
class MarkedTuple:
    """A tuple as the operator reads it: `win_spec` is a window's end, 0 (do not open) or -1 (no starter)."""

    at: float
    value: float
    win_spec: float


def mark(
    tuples: Iterable[tuple[float, float]], start: float, origin: float, spec: WindowSpec
) -> list[MarkedTuple]:
    """Mark (time, value) pairs for a commit to the window from `start`: only that window may open."""
    marked, last = [], None
    for at, value in tuples:
        number = spec.number(at, origin)
        begins = number != last
        allowed = begins and abs(spec.start(number, origin) - start) < 1e-9
        marked.append(MarkedTuple(at, value, start + spec.size if allowed else 0.0 if begins else -1.0))
        last = number
    return marked


class Operator:
    """An aggregate stripped of window delimiting: it opens, updates and emits as the marks say (Table 1)."""

    def __init__(self, spec: WindowSpec) -> None:
        self.spec = spec
        self.open: list[tuple[float, list[float]]] = []  # end of the window, its values

    def read(self, item: MarkedTuple) -> list[tuple[float, list[float]]]:
        """Take a tuple; returns the windows it completed, as (end, values)."""
        if item.win_spec > 0:
            self.open.append((item.win_spec, []))
        for end, values in self.open:
            if item.at < end - 1e-9:
                values.append(item.value)
        done = [
            (end, values) for end, values in self.open if self.spec.closed_by(end - self.spec.size, item.at)
        ]
        self.open = [window for window in self.open if window not in done]
        return done
