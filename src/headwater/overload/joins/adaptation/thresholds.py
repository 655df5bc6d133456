"""The two thresholds of adaptation, tuned as the system runs.

`drift` (the paper's epsilon): how far a statistic must move before the allocation is analysed again.  It
follows the noise: three times the usual change between two looks while nothing happens.  An analysis without
consequence was a false alarm and raises it by a fifth; one that leads to a change lowers it again.

`gain` (the paper's p): how much a new allocation must gain before it is put in place.  It follows the error
of earlier forecasts: a gain smaller than the usual difference between forecast and observation is not worth
acting on.

The paper sets both by hand, between 3 and 8 %, and leaves tuning open.  They start at its 5 %.
Doubt: both follow means, so a single wild measurement moves them for a while; the limits bound the harm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Thresholds"]

_LEAST, _MOST = 0.01, 0.25
_MEMORY = 0.9


def _within(value: float) -> float:
    return min(_MOST, max(_LEAST, value))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`noise` and `error` are running means of what was observed; `caution` counts recent false alarms."""

    drift: float = 0.05
    gain: float = 0.05
    noise: float = 0.05 / 3
    error: float = 0.05
    caution: float = 1.0

    def quiet(self, change: float) -> Thresholds:
        """Nothing happened, and statistics changed by this much: that is noise."""
        noise = _MEMORY * self.noise + (1 - _MEMORY) * change
        return replace(self, noise=noise, drift=_within(3 * noise * self.caution))

    def analysed(self, *, useful: bool) -> Thresholds:
        """An analysis was made, and it did or did not lead to a new allocation."""
        caution = max(1.0, self.caution * (0.6 if useful else 1.2))
        return replace(self, caution=caution, drift=_within(3 * self.noise * caution))

    def judged(self, forecast: float, observed: float) -> Thresholds:
        """A new allocation was forecast to gain this much, and gained that much."""
        error = 0.7 * self.error + 0.3 * abs(forecast - observed)
        return replace(self, error=error, gain=_within(error))
