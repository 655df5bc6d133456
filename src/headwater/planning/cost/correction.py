"""The factors of a set of stages: what the operators say of an action, corrected by what was measured.

    seconds  =  a * (fixed cost of the action + fixed parts of its stages)  +  b * (seconds for its rows)

They are fitted by non-negative least squares of relative errors; the prior counts a little, and recent
lessons count more than old ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.planning.cost.stage_seconds import Seconds
from headwater.scheduling.forecast import Forecast

__all__ = ["KEEP", "Correction"]

Matrix = npt.NDArray[np.floating[Any]]

KEEP = 40  # lessons of a set of stages
RECENT = 10  # of these, by which the usual error is told
FADING = 0.65  # Spark gets faster while it warms up, and slower when others load the machine
FIRMNESS = 0.1  # the weight of the prior; the newest lesson's is 1
FEW = 5  # lessons
FAMILIAR = 2.0  # times the rows of any lesson: up to there a forecast is as good as ever
LEAST_KNOWN = 0.02  # seconds for rows: so far the operators are trusted before anything has run
LEAST_SECONDS = 0.05
LEAST_FACTOR = 0.05
LEAST_FOR_ROWS = 0.2  # times what the operators say


@dataclass(frozen=True, slots=True)
class Correction:
    """The factors of one set of stages. Immutable: `learn` returns a better one."""

    lessons: tuple[tuple[Seconds, float], ...] = ()  # predicted by the operators, and measured
    prior: Seconds = Seconds(1.0, 1.0)
    factors: Seconds = Seconds(1.0, 1.0)
    spread: float = 0.5  # of measured over predicted, as a fraction
    fading: float = FADING
    known: float = 0.0  # the most seconds for rows of any lesson, as the operators predicted

    def seconds(self, operators: Seconds) -> float:
        return self.factors.fixed * operators.fixed + self.factors.rows * operators.rows

    def forecast(self, operators: Seconds, slowdown: float = 1.0) -> Forecast:
        expected = timedelta(seconds=self.seconds(operators) * slowdown)
        rows = timedelta(seconds=self.factors.rows * operators.rows * slowdown)
        # After a few lessons the fixed part is known, whatever rows cost.
        unknown = expected if len(self.lessons) < FEW else rows
        return Forecast(expected, expected * (1.0 + self.spread) + unknown * self._beyond(operators))

    def _beyond(self, operators: Seconds) -> float:
        """More caution for an action of many times the rows of any before: nobody knows what those cost.

        The first push of a run has few rows. The next, under overload, has those of half a promise: fifty
        times as many. It has to begin early.
        """
        familiar = FAMILIAR * max(self.known, LEAST_KNOWN)
        return math.log2(operators.rows / familiar) if operators.rows > familiar else 0.0

    def learn(self, operators: Seconds, measured: float) -> Correction:
        return self.learn_all(((operators, measured),))

    def learn_all(self, lessons: Sequence[tuple[Seconds, float]]) -> Correction:
        """The same as learning one after the other, with a single fit."""
        if not lessons:
            return self
        seen = (*self.lessons, *lessons)[-KEEP:]
        known = max(self.known, *(operators.rows for operators, _ in lessons))
        fitted = replace(self, lessons=seen, factors=self._fit(seen), known=known)
        return replace(fitted, spread=_spread(fitted))

    def as_prior(self) -> Correction:
        """The start for a set of stages that was never run: these factors, and no lessons."""
        return Correction(prior=self.factors, factors=self.factors, known=self.known)

    def _fit(self, lessons: Sequence[tuple[Seconds, float]]) -> Seconds:
        # A prior that says that rows are nearly free would be hard to unlearn; the other way it is easy.
        start = np.maximum(self.prior, (LEAST_FACTOR, 1.0))
        parts = np.array([operators for operators, _ in lessons]) * start
        measured = np.array([seconds for _, seconds in lessons])
        # Errors count in proportion to what was expected: a push of ten rows as much as one of a million.
        fading = self.fading ** np.arange(len(lessons))[::-1]
        weights = fading / np.maximum(parts.sum(axis=1), LEAST_SECONDS)
        rows = np.vstack([parts * weights[:, None], np.diag([FIRMNESS, FIRMNESS])])
        wanted = np.concatenate([measured * weights, [FIRMNESS, FIRMNESS]])
        # Where pushes are alike, chance alone may say that rows are free: then a budget would have no end.
        least = np.array([0.0, LEAST_FOR_ROWS]) / start
        solution = least + _non_negative(rows, wanted - rows @ least)
        return Seconds(*(float(factor) for factor in solution * start))


def _non_negative(rows: Matrix, wanted: Matrix) -> Matrix:
    """The two factors that come closest to what is wanted.

    If one of the best two is negative, it is zero in the best that are not. (Solved here because importing
    scipy for it takes as long as a push, and would be part of the first.)
    """
    square, right = rows.T @ rows, rows.T @ wanted
    both = np.linalg.solve(square, right)
    if (both >= 0).all():
        return both
    alone = np.maximum(right / np.diag(square), 0.0)
    candidates = (np.array([alone[0], 0.0]), np.array([0.0, alone[1]]))
    return min(candidates, key=lambda factors: float(np.sum((rows @ factors - wanted) ** 2)))


def _spread(correction: Correction) -> float:
    """How much longer than predicted actions take now and then, and more after few lessons: the second may
    take twice as long as the first."""
    errors = [
        measured / max(correction.seconds(operators), LEAST_SECONDS) - 1.0
        for operators, measured in correction.lessons[-RECENT:]
    ]
    overrun = sorted(errors)[-(1 + len(errors) // 5)]  # but for the worst fifth
    usual = median(map(abs, errors))
    return min(max(overrun, usual, 0.1), 1.0) + 1.0 / len(correction.lessons)
