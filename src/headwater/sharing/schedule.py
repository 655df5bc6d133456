"""When to push a view: as late as its promise safely allows, so that each push carries much work.

    staleness of a view = now - its time.  A push to t that starts at s takes d; just before it ends the
    staleness is s + d - time, and that must stay below the freshness F:

        start at the latest at   time + F * SLACK - d

SLACK leaves room for what the estimate does not know; d is the cautious estimate, times the number of
pushes that share the cores.  A view with nothing pending is only moved on, which costs a few milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from headwater.clock import micros

__all__ = ["SLACK", "Pending", "due_at", "is_due"]

SLACK = 0.8


@dataclass(frozen=True, slots=True)
class Pending:
    """A view as the schedule sees it."""

    view: str
    time: int
    freshness: timedelta
    duration: timedelta  # the cautious estimate of a push now
    crowd: float = 1.0  # how many pushes share the cores


def due_at(pending: Pending) -> int:
    """The latest instant at which a push should start. In the past: push now."""
    allowed = micros(pending.freshness * SLACK)
    return pending.time + allowed - micros(pending.duration * pending.crowd)


def is_due(pending: Pending, now: int) -> bool:
    return now >= due_at(pending)
