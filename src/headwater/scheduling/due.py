"""When a view must be pushed, and how far: as late as its promise safely allows.

Staleness of a view = now - its time TS.  Its sources are captured up to MINTS; MAXTS is the newest of them,
which is now while they are idle.  A push to t (TS < t <= MINTS) that starts now takes CP(t - TS) seconds; the
view is stalest just before the push ends, and that must stay within the freshness F:

        now + CP(t - TS) - TS  <=  F                        (in time)
        now + CP(t - TS) - TS  >=  SLACK * F                (not too early)

The paper asks the same of the staleness *after* the push, MAXTS + CP - t; ours is the stricter bound, because
readers do not stop reading while a push is under way.  SLACK is the paper's l = 0.8 and leaves room for what
the estimate does not know.  Where estimates have been far off that may be too little room: an estimate with
their usual error on top must also end within SAFE * F.

Which t: the latest, MINTS, so that a push carries as much as it can.  If changes have piled up so far that a
push of all of them would break the promise, the latest t that would still keep it, found by bisection (CP
grows with t); if none of those makes fair progress, all of them: the promise is broken either way, and small
steps would never catch up.

If the wall clock is set back, now - TS says too little; TS may even be later than now.  A view is at least as
stale as it has stood still by the monotonic clock: `stale_since` is the earlier of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from headwater.clock import micros

__all__ = ["EARLY", "SAFE", "SLACK", "CriticalPath", "Pending", "candidates", "due_at", "push_time"]

SLACK = 0.8
SAFE = 0.95
EARLY = 0.25
FINEST = 10_000  # microseconds: times closer than this are not told apart
FAIR = 8  # a push advances by at least this part of what has piled up

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
    floor: int = 0  # what the view reads is already at this time: it cannot be pushed to an earlier one
    stale_since: int | None = None  # the instant from which staleness counts, if not `time`
    waited: int = 0  # microseconds since its last push ended
    alone: bool = False  # it is pushed by itself
    ahead: bool = False  # its time is later than now: the clock was set back
    urgent: bool = False  # a push now need not choose, or not as much as one that begins later

    @property
    def ready(self) -> bool:
        """Whether there is a time that it can be pushed to."""
        return self.target > self.time and self.target >= self.floor

    @property
    def since(self) -> int:
        return self.time if self.stale_since is None else self.stale_since


def due_at(pending: Pending) -> int:
    """The latest instant at which a push should start. In the past: push now."""
    if pending.urgent:
        return pending.since
    return pending.since + min(
        micros(pending.freshness * SLACK) - micros(pending.duration),
        micros(pending.freshness * SAFE) - micros(pending.cautious),
    )


def candidates(pending: Sequence[Pending], now: int) -> tuple[list[Pending], list[Pending]]:
    """The views that are due, and those that may come along with one that is.

    A view joins the push of another if it would be due itself within EARLY of its own freshness: its share of
    a common push costs less than a push of its own.
    """
    ready = [(view, due_at(view)) for view in pending if view.ready]
    due = [view for view, at in ready if now >= at]
    soon = [view for view, at in ready if now < at and now >= at - micros(view.freshness * EARLY)]
    return due, soon if due else []


def push_time(pending: Pending, now: int, critical_path: CriticalPath) -> int:
    """The time to push a view to: its target, or as far as a push may go that still keeps the promise."""
    allowed = micros(pending.freshness) - (now - pending.since)
    if micros(critical_path(pending.target)) <= allowed:
        return pending.target
    low, high = pending.time, pending.target
    while high - low > FINEST:
        middle = (low + high) // 2
        low, high = (middle, high) if micros(critical_path(middle)) <= allowed else (low, middle)
    return low if (low - pending.time) * FAIR >= pending.target - pending.time else pending.target
