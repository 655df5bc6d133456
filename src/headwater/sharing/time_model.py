"""How long a push will take: per stage + per changed row + per scanned row + per result row.

The coefficients start from a two-core machine's and are fitted again from every push by least squares with
no negative coefficient (a push never gets faster by reading more).  The prior counts as a few pushes, so
the first measurements already move the estimate and one odd push does not overturn it; recent pushes count
more than old ones.

The model is per view and per way of refreshing (incremental, full), because their constants differ by
what Spark must plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import numpy as np

__all__ = ["Effort", "Observation", "TimeModel"]

Coefficients = tuple[float, float, float, float]

# Seconds: one small Spark action; a changed row joined and written; a row scanned; a row written.
PRIOR: Coefficients = (0.5, 4e-6, 1.5e-7, 3e-6)
# How firmly the prior is held: as one push of this many rows would.  A push of three rows that takes five
# seconds must say something about the fixed cost and next to nothing about the cost of a row.
FIRMNESS = (0.3, 3e4, 1e6, 3e4)
KEEP = 40
FADING = 0.75  # Spark gets faster while it warms up, and slower when others load the machine


@dataclass(frozen=True, slots=True)
class Effort:
    """What a push has to do, in rows."""

    changed: int
    scanned: int
    result: int
    stages: int = 1  # pushed in the same Spark action

    @property
    def features(self) -> tuple[float, float, float, float]:
        return (float(self.stages), float(self.changed), float(self.scanned), float(self.result))


@dataclass(frozen=True, slots=True)
class Observation:
    effort: Effort
    seconds: float


@dataclass(frozen=True, slots=True)
class TimeModel:
    """An immutable estimate; `learn` gives a better one."""

    observations: tuple[Observation, ...] = ()
    coefficients: Coefficients = PRIOR
    spread: float = 0.5  # of measured over predicted, as a fraction
    prior: Coefficients = PRIOR

    def predict(self, effort: Effort) -> timedelta:
        seconds = sum(a * b for a, b in zip(self.coefficients, effort.features, strict=True))
        return timedelta(seconds=seconds)

    def cautious(self, effort: Effort) -> timedelta:
        """A duration that a push exceeds rarely: the estimate plus its usual error; SLACK covers the rest."""
        return self.predict(effort) * (1.0 + self.spread)

    def learn(self, effort: Effort, duration: timedelta) -> TimeModel:
        seen = (*self.observations, Observation(effort, duration.total_seconds()))[-KEEP:]
        fitted = TimeModel(seen, _fit(seen, self.prior), prior=self.prior)
        return replace(fitted, spread=_spread(fitted, seen))

    def as_prior(self) -> TimeModel:
        """A model for a way of refreshing that has not been seen: it starts from what this one learnt."""
        return TimeModel(coefficients=self.coefficients, prior=self.coefficients)


def _fit(seen: Sequence[Observation], prior: Coefficients) -> Coefficients:
    from scipy.optimize import nnls

    ages = np.arange(len(seen))[::-1]
    weights = FADING ** (ages / 2.0)
    rows = np.array([one.effort.features for one in seen]) * weights[:, None]
    target = np.array([one.seconds for one in seen]) * weights
    firmness = np.array(FIRMNESS)
    solution, _ = nnls(
        np.vstack([rows, np.diag(firmness)]), np.concatenate([target, np.array(prior) * firmness])
    )
    return (float(solution[0]), float(solution[1]), float(solution[2]), float(solution[3]))


def _spread(model: TimeModel, seen: Sequence[Observation]) -> float:
    """The usual error, and more while few pushes have been seen: the second may take twice the first."""
    errors = [
        abs(one.seconds - predicted) / max(predicted, 0.05)
        for one in seen[-10:]
        if (predicted := model.predict(one.effort).total_seconds()) >= 0
    ]
    return float(np.clip(np.median(errors), 0.1, 1.0)) + 1.0 / len(seen)


@dataclass(frozen=True, slots=True)
class Choice:
    """A way of refreshing and why."""

    full: bool
    reason: str
    expected: timedelta = field(default=timedelta())


# A full recompute must promise to be this much cheaper: estimates are not exact, and deltas grow better.
MARGIN = 0.8


def choose(incremental: timedelta, full: timedelta) -> Choice:
    """AUTO: whichever the time model says is cheaper, the delta if they are about the same."""
    if full < incremental * MARGIN:
        return Choice(
            True,
            f"full recompute is expected to take {full.total_seconds():.2f} s,"
            f" the delta {incremental.total_seconds():.2f} s",
            full,
        )
    return Choice(
        False,
        f"the delta is expected to take {incremental.total_seconds():.2f} s,"
        f" a full recompute {full.total_seconds():.2f} s",
        incremental,
    )
