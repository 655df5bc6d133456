"""Intervals of months and years: they have no fixed length, and end with the month if it is too short."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

__all__ = ["Months"]

Moment = TypeVar("Moment", bound=date)


@dataclass(frozen=True, slots=True)
class Months:
    """So many months: TIMESTAMP '2024-03-31' - INTERVAL '1' MONTH is the last of February."""

    count: int

    def __radd__(self, moment: Moment) -> Moment:
        year, month = divmod(moment.year * 12 + moment.month - 1 + self.count, 12)
        return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))

    def __rsub__(self, moment: Moment) -> Moment:
        return moment + Months(-self.count)
