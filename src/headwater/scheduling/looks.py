"""When to look at the views again: rarely while none is due, more often the sooner one will be."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from headwater.clock import micros

__all__ = ["LOOKS_PER_PROMISE", "pause", "quarter"]

LOOK_OFTEN = timedelta(milliseconds=50)
LOOK_RARELY = timedelta(seconds=1)
LOOKS_PER_PROMISE = 40


def pause(promises: Iterable[timedelta]) -> int:
    """The least time between two looks, in microseconds: a fortieth of the shortest promise."""
    shortest = min(promises, default=LOOK_RARELY)
    return micros(max(LOOK_OFTEN, min(shortest / LOOKS_PER_PROMISE, LOOK_RARELY)))


def quarter(now: int, due: int) -> int:
    """How long to rest if nothing is due before `due`: a quarter of the time until then, for loads change."""
    return max(0, due - now) // 4
