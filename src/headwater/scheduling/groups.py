"""Which views are pushed together: those that can go to one time without losing much by it.

A view can be pushed to any time from its floor (how far what it reads is already) to its target (how far its
sources are captured).  Views are pushed together if these ranges meet, to the latest time that all of them
can go to.  A source an hour behind would hold that time an hour back; so a view joins a group only if no
member is pushed to a time earlier than its own target by more than EARLY of its freshness.

        target of      10:00          11:00
        lagging    ----|
        first                 --------|          first and second go to 11:00 together,
        second               ---------|          lagging goes to 10:00 in a push of its own

The group that has waited longest comes first.  A view that is late because its sources are has not waited
since it was last pushed, however stale it is: so it cannot take every push for itself, and a view that is due
waits at most for one push of each other group.

A long push may break the promise of a member that a shorter one would keep.  Such members go first, in a push
of their own, if the others can wait for that and still be in time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from headwater.clock import micros
from headwater.scheduling.due import EARLY, Pending, due_at
from headwater.scheduling.forecast import Forecast

__all__ = ["ForecastOf", "common_group", "overdue", "punctual", "target_of"]

ForecastOf = Callable[[Collection[str], int], Forecast]  # of pushing views to a time


def overdue(pending: Pending, now: int) -> int:
    """How long a view has waited for a push beyond what its promise allows, in microseconds."""
    return min(now - due_at(pending), pending.waited)


def common_group(due: Sequence[Pending], soon: Iterable[Pending], now: int) -> tuple[Pending, ...]:
    """The views to push next: the one most overdue, and whoever can go to the same time."""
    if not due:
        return ()
    first, *others = sorted(due, key=lambda pending: -overdue(pending, now))
    group = [first]
    if not first.alone:
        for pending in (*others, *sorted(soon, key=due_at)):
            if not pending.alone and _compatible([*group, pending]):
                group.append(pending)
    return tuple(group)


def target_of(group: Sequence[Pending]) -> int:
    """The latest time that all of a group can go to."""
    return min(member.target for member in group)


def punctual(group: Sequence[Pending], now: int, forecast: ForecastOf) -> tuple[Pending, ...]:
    """The members that the push of the whole group would make late, if a push of their own prevents that.

    The whole group if nobody would be late, if they would be late either way, or if the others would be.
    """
    if len(group) < 2:
        return tuple(group)

    def end(members: Sequence[Pending], start: int = now) -> int:
        return start + micros(forecast([member.view for member in members], target_of(group)).cautious)

    together = end(group)
    hurried = tuple(member for member in group if not _in_time(member, together))
    if len(hurried) in (0, len(group)):
        return tuple(group)
    before = end(hurried)
    after = end(group, before)
    others = (member for member in group if member not in hurried)
    prevented = all(_in_time(member, before) for member in hurried)
    return hurried if prevented and all(_in_time(member, after) for member in others) else tuple(group)


def _in_time(pending: Pending, end: int) -> bool:
    """Whether a push that ends at `end` keeps the promise."""
    return end - pending.since <= micros(pending.freshness)


def _compatible(group: Sequence[Pending]) -> bool:
    target = target_of(group)
    return all(
        member.floor <= target and member.time < target and member.target - target <= _bearable(member)
        for member in group
    )


def _bearable(pending: Pending) -> int:
    """How far from its target a view may be left, in microseconds.

    While the clock is behind, changes get the next times there are: no distance tells how much is left out.
    """
    return 0 if pending.ahead else micros(pending.freshness * EARLY)
