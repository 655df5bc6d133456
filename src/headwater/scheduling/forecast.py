"""How long something is expected to take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

__all__ = ["Forecast", "longest"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long something is expected to take, and how long with the estimate's usual error on top.

    `chooses`: a push that takes only as much as it has time for, whichever time it goes to. `urgent`: it
    does, or soon would: the sooner it begins the more it can take.
    """

    expected: timedelta = timedelta()
    cautious: timedelta = timedelta()
    chooses: bool = False
    urgent: bool = False

    def __add__(self, after: Forecast) -> Forecast:
        expected, cautious = self.expected + after.expected, self.cautious + after.cautious
        return Forecast(expected, cautious, self.chooses or after.chooses, self.urgent or after.urgent)

    def __or__(self, beside: Forecast) -> Forecast:
        expected = max(self.expected, beside.expected)
        cautious = max(self.cautious, beside.cautious)
        return Forecast(expected, cautious, self.chooses or beside.chooses, self.urgent or beside.urgent)


def longest(forecasts: Iterable[Forecast]) -> Forecast:
    """The forecast of work done side by side: the longest of each."""
    whole = Forecast()
    for forecast in forecasts:
        whole |= forecast
    return whole
