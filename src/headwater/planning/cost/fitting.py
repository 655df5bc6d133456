"""What an operator costs, from measurements: seconds = fixed + per tuple + per scanned row, none negative.

A machine is measured at a few sizes, several times each.  Points of one size are first reduced to their
median, because a pause of the JVM or a busy neighbour makes single measurements too long and never too short;
then non-negative least squares of relative errors gives the coefficients: a push of ten rows should be
predicted as well as one of a hundred thousand.  A term that never varied in the measurements is not fitted:
it is 0, and the fixed cost includes it.

R^2 is the share of the medians' variance that the line explains; the error is the median of
|measured - predicted| / measured.  A line that explains next to nothing says nothing about other sizes: the
machine was busy with something else, or the sizes were too small to tell.  It is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fit", "Point", "fit", "medians"]

LEAST = 0.005  # seconds: shorter measurements cannot be distinguished
LEAST_R_SQUARED = 0.2


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

    @property
    def is_usable(self) -> bool:
        return self.r_squared >= LEAST_R_SQUARED

    def predict(self, tuples: float, scanned: float) -> float:
        return self.fixed + self.per_tuple * tuples + self.per_scanned * scanned


def medians(points: Sequence[Point]) -> tuple[Point, ...]:
    """One point for each size, in order."""
    seconds: dict[tuple[int, int], list[float]] = {}
    for point in points:
        seconds.setdefault((point.tuples, point.scanned), []).append(point.seconds)
    return tuple(Point(*size, median(measured)) for size, measured in sorted(seconds.items()))


def fit(points: Sequence[Point]) -> Fit:
    """The least-squares line through the medians; a single size gives its fixed cost alone."""
    from scipy.optimize import nnls

    middle = medians(points)
    features = np.array([(1.0, point.tuples, point.scanned) for point in middle])
    seconds = np.array([point.seconds for point in middle])
    used = [0, *(column for column in (1, 2) if np.ptp(features[:, column]) > 0)]
    # Columns of one size keep the solver's tolerance meaningful: rows come in millions.
    scale = np.abs(features[:, used]).max(axis=0)
    weights = 1.0 / np.maximum(seconds, LEAST)
    solution, _ = nnls(features[:, used] / scale * weights[:, None], seconds * weights)
    coefficients = np.zeros(3)
    coefficients[used] = solution / scale
    residuals = seconds - features @ coefficients
    return Fit(
        float(coefficients[0]),
        float(coefficients[1]),
        float(coefficients[2]),
        _r_squared(seconds, residuals),
        float(np.median(np.abs(residuals) / np.maximum(seconds, LEAST))),
        tuple(float(residual) for residual in residuals),
    )


def _r_squared(seconds: NDArray[np.float64], residuals: NDArray[np.float64]) -> float:
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    return 1.0 if spread == 0 else max(0.0, 1.0 - float((residuals**2).sum()) / spread)
