"""How long something is expected to take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

__all__ = ["Forecast", "longest"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long something is expected to take, and how long with the estimate's usual error on top."""

    expected: timedelta = timedelta()
    cautious: timedelta = timedelta()

    def __add__(self, after: Forecast) -> Forecast:
        return Forecast(self.expected + after.expected, self.cautious + after.cautious)

    def __or__(self, beside: Forecast) -> Forecast:
        return Forecast(max(self.expected, beside.expected), max(self.cautious, beside.cautious))


def longest(forecasts: Iterable[Forecast]) -> Forecast:
    """Of what runs side by side."""
    whole = Forecast()
    for forecast in forecasts:
        whole |= forecast
    return whole
