"""What an operator costs, from measurements: seconds = fixed + per tuple + per scanned row, none negative.

A machine is measured at a few sizes, several times each.  Points of one size are first reduced to their
median, because a pause of the JVM or of a neighbour makes single measurements too long and never too short;
then non-negative least squares of relative errors gives the coefficients: a push of ten rows should be
predicted as well as one of a hundred thousand.  A term that never varied in the measurements is not
fitted: it is 0, and the fixed cost holds what it would have cost.

R^2 is the share of the medians' variance that the line explains; the error is the median of
|measured - predicted| / measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fit", "Point", "fit", "medians"]

LEAST = 0.005  # seconds: shorter measurements are not told apart


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """One measurement: an edge that carried `tuples` changes and read `scanned` rows of a relation."""

    tuples: int
    scanned: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The line through the medians, and how well it fits them."""

    fixed: float
    per_tuple: float
    per_scanned: float
    r_squared: float
    error: float  # median relative error
    residuals: tuple[float, ...]  # seconds, measured - predicted, in the order of `medians`

    def predict(self, tuples: float, scanned: float) -> float:
        return self.fixed + self.per_tuple * tuples + self.per_scanned * scanned


def medians(points: Sequence[Point]) -> tuple[Point, ...]:
    """One point for each size, in order."""
    seconds: dict[tuple[int, int], list[float]] = {}
    for one in points:
        seconds.setdefault((one.tuples, one.scanned), []).append(one.seconds)
    return tuple(Point(*size, median(found)) for size, found in sorted(seconds.items()))


def fit(points: Sequence[Point]) -> Fit:
    """The least-squares line through the medians; a single size gives its fixed cost alone."""
    from scipy.optimize import nnls

    middle = medians(points)
    features = np.array([(1.0, one.tuples, one.scanned) for one in middle])
    seconds = np.array([one.seconds for one in middle])
    used = [0, *(column for column in (1, 2) if np.ptp(features[:, column]) > 0)]
    # Columns of one size keep the solver's tolerance meaningful: rows come in millions.
    scale = np.abs(features[:, used]).max(axis=0)
    weights = 1.0 / np.maximum(seconds, LEAST)
    solution, _ = nnls(features[:, used] / scale * weights[:, None], seconds * weights)
    found = np.zeros(3)
    found[used] = solution / scale
    residuals = seconds - features @ found
    return Fit(
        float(found[0]),
        float(found[1]),
        float(found[2]),
        _r_squared(seconds, residuals),
        float(np.median(np.abs(residuals) / np.maximum(seconds, LEAST))),
        tuple(float(one) for one in residuals),
    )


def _r_squared(seconds: NDArray[np.float64], residuals: NDArray[np.float64]) -> float:
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    return 1.0 if spread == 0 else max(0.0, 1.0 - float((residuals**2).sum()) / spread)
