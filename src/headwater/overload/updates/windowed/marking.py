"""Marks that tell an operator which window a tuple may open (section 6.1).

A tuple is marked before the operator sees it (`win_spec`): the starter of the committed window with the
window's end, other starters with 0, all other tuples with -1.  The operator opens a window only where a mark
allows it, so dropping entire windows never leaves a window with holes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.overload.updates.windowed.window_spec import WindowSpec

__all__ = ["MarkedTuple", "Operator", "mark"]


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
