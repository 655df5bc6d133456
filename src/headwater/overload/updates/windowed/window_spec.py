"""Sliding windows over update streams: which tuple starts a window, which closes it, and what a window costs.

A key's first tuple starts its first window; windows then begin every `slide` seconds of source time.  A
window exists if a tuple falls in its first slide, and that tuple is its *starter*.  The window from s holds
the tuples in [s, s + size).  Source time moves in ticks, so the tuple that reaches the last tick, s + size -
tick, or any later time, *closes* it.

    size 3, slide 1, tick 1, tuples at 1 2 3 4:   windows 1..3 and 2..4 have closed, 3.. and 4.. are open
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import ceil, floor

from headwater.errors import InputError

__all__ = ["OpenWindows", "WindowSpec"]


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
        """The maximum number of windows that hold a tuple: the paper's o."""
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
        """Section 6.1.2: the cost, in ticks, of a window whose overlapping windows are all computed."""
        return tuple_cost * sum(self.size - i * self.slide for i in range(self.overlap))

    def cost_bounds(self, tuple_cost: float) -> tuple[float, float]:
        """Its lower bound, reached by update semantics, which compute one window at a time; its upper bound.

        The paper prints (o + 1) (size - o slide / 2), a sum with one term too many: the term is 0 if the
        slide divides the size and negative otherwise, so the printed bound can be below the cost (3 < 4 for
        size 3, slide 2).
        """
        overlap = self.overlap
        return tuple_cost * self.size, overlap * tuple_cost * (self.size - (overlap - 1) / 2 * self.slide)


class OpenWindows:
    """The windows of one key that have begun and not closed: at most `overlap`, unless tuples share ticks."""

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
