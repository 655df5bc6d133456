"""Staleness, exactly: sums of trapezia, not samples.

The staleness of a key is the time since its oldest pending update arrived, and zero if none is pending.
While an update that arrived at s is the oldest pending one, from u to v, the integral grows by ((v - s)^2 -
(u - s)^2) / 2. An update becomes the oldest on arrival or, if an older one was still pending, when that one
is cleared.

    application staleness    an update is pending until processing completes
    queue staleness          an update is pending until it is dequeued

Averages are taken over [0, horizon] for each key, then over the keys seen.  `Profile` holds the sum of all
keys' staleness over time, also exactly: each trapezium adds a quadratic to the running integral at the grid
points it covers and a constant to those after it, so a million trapezia cost a few array operations.

For a key whose waits are w and whose cost is c, section 5.1 shows that each wait adds between w c and w c +
c^2 / 2 to the difference of the two integrals (`difference_bounds`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headwater.overload.updates.queue.cells import Floats

__all__ = ["KeyStaleness", "Profile", "area", "difference_bounds"]


def area(since: float, begin: float, end: float) -> float:
    """The integral of t - since from `begin` to `end`."""
    return ((end - since) ** 2 - (begin - since) ** 2) / 2


def difference_bounds(wait_total: float, served: int, cost: float) -> tuple[float, float]:
    """Section 5.1: bounds of the application integral minus the queue integral, over complete cycles."""
    return wait_total * cost, wait_total * cost + served * cost * cost / 2


@dataclass(frozen=True, slots=True)
class KeyStaleness:
    """Time averages of each key, by key number."""

    application: Floats
    queue: Floats
    weight: Floats

    def mean(self) -> tuple[float, float]:
        """Application and queue staleness, averaged over keys."""
        if not len(self.application):
            return 0.0, 0.0
        return float(self.application.mean()), float(self.queue.mean())

    def weighted(self) -> float:
        total = float(self.weight.sum())
        return float(self.application @ self.weight) / total if total else 0.0


class Profile:
    """The sum of staleness over all keys as a function of time, averaged in equal bins."""

    def __init__(self, horizon: float, bins: int = 400) -> None:
        self.edges = np.linspace(0.0, horizon, bins + 1)
        self._coefficients = np.zeros((3, bins + 2))
        self._parts: list[tuple[float, float, float]] = []

    def add(self, since: float, begin: float, end: float) -> None:
        self._parts.append((since, begin, end))
        if len(self._parts) >= 1 << 16:
            self._flush()

    def _flush(self) -> None:
        since, begin, end = np.array(self._parts).T
        self._parts.clear()
        first = np.searchsorted(self.edges, begin, "left")
        after = np.searchsorted(self.edges, end, "left")
        offset = (since**2 - (begin - since) ** 2) / 2
        total = ((end - since) ** 2 - (begin - since) ** 2) / 2
        for row, value in enumerate((offset, -since, np.full(len(since), 0.5))):
            np.add.at(self._coefficients[row], first, value)
            np.add.at(self._coefficients[row], after, -value)
        np.add.at(self._coefficients[0], after, total)

    def means(self) -> tuple[Floats, Floats]:
        """The middle of each bin and the mean total staleness in it."""
        if self._parts:
            self._flush()
        constant, linear, square = np.cumsum(self._coefficients, axis=1)[:, :-1]
        integral = constant + linear * self.edges + square * self.edges**2
        widths = np.diff(self.edges)
        return (self.edges[:-1] + self.edges[1:]) / 2, np.diff(integral) / np.where(widths > 0, widths, 1.0)
