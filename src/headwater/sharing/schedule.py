"""When to push, which views together, and to which time: as late as the promises safely allow.

Staleness of a view = now - its time TS.  Its sources are captured up to MINTS; MAXTS is the newest of them,
which is now while they are idle.  A push to t (TS < t <= MINTS) that starts now takes CP(t - TS) seconds; the
view is stalest just before the push ends, and that must stay within the freshness F:

        now + CP(t - TS) - TS  <=  F                        (kept)
        now + CP(t - TS) - TS  >=  SLACK * F                (not too early)

The paper asks the same of the staleness *after* the push, MAXTS + CP - t; ours is the stricter bound, because
readers do not stop reading while a push is under way.  SLACK is the paper's l = 0.8 and leaves room for what
the estimate does not know.  Where estimates have been far off that may be too little room: an estimate with
their usual error on top must keep within SAFE * F, too.

Which t: the latest, MINTS, so that a push carries as much as it can.  If changes have piled up so far that a
push of all of them would break the promise, the latest t that would still keep it, found by bisection (CP
grows with t); if none does that gets on by a fair part, all of them: the promise is broken either way, and
small steps would never catch up.

Views that share work are pushed together: a view joins the push of another that is due if it would be due
itself within EARLY of its own freshness, since its share of a common push costs less than a push of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from headwater.clock import micros

__all__ = ["EARLY", "SAFE", "SLACK", "Pending", "due_at", "push_to", "together"]

SLACK = 0.8
SAFE = 0.95
EARLY = 0.25
FINEST = 10_000  # microseconds: times closer than this are not told apart
FAIR = 8  # a push gets on by at least this part of what has piled up

CriticalPath = Callable[[int], timedelta]  # of a push to a time


@dataclass(frozen=True, slots=True)
class Pending:
    """A view as the schedule sees it: TS, MINTS and how long a push to MINTS would take."""

    view: str
    time: int
    target: int
    freshness: timedelta
    duration: timedelta  # of a push now, to `target`, as expected
    cautious: timedelta = timedelta()  # and with the estimate's usual error


def due_at(pending: Pending) -> int:
    """The latest instant at which a push should start. In the past: push now."""
    return pending.time + min(
        micros(pending.freshness * SLACK) - micros(pending.duration),
        micros(pending.freshness * SAFE) - micros(pending.cautious),
    )


def together(pending: Sequence[Pending], now: int) -> tuple[Pending, ...]:
    """The views to push now: none if none is due, else those that are due or soon will be."""
    ready = [one for one in pending if one.target > one.time]
    if not any(now >= due_at(one) for one in ready):
        return ()
    return tuple(one for one in ready if now >= due_at(one) - micros(one.freshness * EARLY))


def push_to(pending: Pending, now: int, critical_path: CriticalPath) -> int:
    """The time to push a view to: its target, or as far as a push may go that still keeps the promise."""
    allowed = micros(pending.freshness) - (now - pending.time)
    if micros(critical_path(pending.target)) <= allowed:
        return pending.target
    low, high = pending.time, pending.target
    while high - low > FINEST:
        middle = (low + high) // 2
        low, high = (middle, high) if micros(critical_path(middle)) <= allowed else (low, middle)
    return low if (low - pending.time) * FAIR >= pending.target - pending.time else pending.target
