"""What to do now: which pushes to start, and when to look again.

Two pushes run at a time.  The *common* push brings views that were computed before to one time (due.py and
groups.py say which, when and how far).  Beside it one view that was never computed gets its *first*
computation, so that a new view does not break the promises of the others.  While no view has been computed,
there are no others: those that read little are computed together, for one after another they would wait for
each other's common pushes.

Everything that the decision depends on is an argument: the same arguments give the same decision.  Instants
named `..._at` in ViewNow are monotonic; `time`, `target` and `floor` are times of data (the wall clock's).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.clock import micros
from headwater.scheduling.due import Pending, candidates, due_at, push_time
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.groups import ForecastOf, common_group, punctual, target_of
from headwater.scheduling.looks import LOOKS_PER_PROMISE, pause, quarter

__all__ = ["NEVER", "Decision", "Moment", "Push", "ViewNow", "decide"]

NEVER = 0  # the time of a view that was never computed, the watermark of a source that was never captured


@dataclass(frozen=True, slots=True)
class ViewNow:
    """A view at one moment."""

    name: str
    freshness: timedelta
    time: int  # NEVER before its first computation
    target: int  # how far its sources are captured
    floor: int  # how far what it reads is already: it cannot be pushed to an earlier time
    forecast: Forecast = Forecast()  # of a push to `target`, in its usual company
    running: bool = False
    alone: bool = False  # a push failed that it was part of: it is tried by itself
    reachable: bool = True  # the sites of its stages answer
    unread: bool = False  # its sources have changes that it lacks; needed before the first push of a run only
    light: bool = False  # never computed, and there is little to read for that
    retry_at: int = 0
    moved_at: int = 0  # when the push began that gave it its time, or when that was first seen
    tried_at: int = 0  # when its last push ended, however it ended


@dataclass(frozen=True, slots=True)
class Moment:
    now: int  # the wall clock
    monotonic: int
    first_free: bool = True  # no first computation is under way
    common_free: bool = True  # no common push is under way
    warm: bool = True  # something was pushed since the run began


@dataclass(frozen=True, slots=True)
class Push:
    """A push to start: of which views, to which time."""

    views: tuple[str, ...]
    target: int
    first: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    pushes: tuple[Push, ...]
    look_at: int  # monotonic


def decide(moment: Moment, views: Sequence[ViewNow], forecast: ForecastOf) -> Decision:
    """The pushes to start now, and when to look again if none of them ends before."""
    able = [view for view in views if _able(view, moment)]
    pushes = []
    new = [view for view in able if view.time == NEVER]
    if moment.first_free and (first := _first(new, all(view.time == NEVER for view in views))):
        pushes.append(first)
    pending = [_pending(view, moment) for view in able if view.time != NEVER]
    if moment.common_free and (common := _common(pending, views, moment, forecast)):
        pushes.append(common)
    rest = pause(view.freshness for view in views)
    if not pushes and moment.common_free and moment.warm:
        waiting = {candidate.view: candidate for candidate in pending}
        rest = max(rest, min((_quiet(view, waiting, moment) for view in views), default=0))
    return Decision(tuple(pushes), moment.monotonic + rest)


def _able(view: ViewNow, moment: Moment) -> bool:
    return not view.running and view.reachable and moment.monotonic >= view.retry_at


def _pending(view: ViewNow, moment: Moment) -> Pending:
    waited = moment.monotonic - view.tried_at
    # It is at least as stale as it has stood still, whatever the wall clock says meanwhile.
    since = min(view.time, moment.now - (moment.monotonic - view.moved_at))
    return Pending(
        view.name, view.time, max(view.target, view.time), view.freshness, view.forecast.expected,
        view.forecast.cautious, view.floor, since, waited, view.alone, ahead=view.time > moment.now,
        urgent=view.forecast.urgent,
    )  # fmt: skip


def _first(views: Iterable[ViewNow], nothing_computed: bool) -> Push | None:
    """The first computation of the view that has waited longest, of those whose sources are captured."""
    captured = [view for view in views if view.target > NEVER and view.target >= view.floor]
    if not captured:
        return None
    view = min(captured, key=lambda view: view.tried_at)
    light = [view for view in captured if view.light and not view.alone] if nothing_computed else []
    together = light if view in light else [view]
    target = min(member.target for member in together)
    if any(member.floor > target for member in together):
        together, target = [view], view.target
    return Push(tuple(member.name for member in together), target, first=True)


def _common(
    pending: Sequence[Pending], views: Sequence[ViewNow], moment: Moment, forecast: ForecastOf
) -> Push | None:
    due, soon = candidates(pending, moment.now)
    if not due and not moment.warm:
        # A Spark that has just started takes several times as long as later, and nobody knows how long: the
        # first push of a run does not wait until it is due.
        unread = {view.name for view in views if view.unread}
        due = [candidate for candidate in pending if candidate.ready and candidate.view in unread]
    group = punctual(_accompanied(due, soon, pending, moment.now, forecast), moment.now, forecast)
    return Push(tuple(member.view for member in group), _time(group, moment.now, forecast)) if group else None


def _accompanied(
    due: Sequence[Pending],
    soon: Sequence[Pending],
    pending: Sequence[Pending],
    now: int,
    forecast: ForecastOf,
) -> tuple[Pending, ...]:
    """The views to push next. If stages choose, with all that would be due before the next push has ended.

    Such a push takes what time there is, and its time is shared out with regard to the views that come along:
    so nobody waits for one that chooses.
    """
    group = common_group(due, soon, now)
    if not any(member.urgent for member in group):
        return group
    foreseen = forecast(frozenset(member.view for member in group), target_of(group))
    if not foreseen.chooses:
        return group
    end = now + 2 * micros(foreseen.cautious)
    return common_group(
        due, [view for view in pending if view not in due and view.ready and due_at(view) <= end], now
    )


def _time(group: Sequence[Pending], now: int, forecast: ForecastOf) -> int:
    """One time for all: as far as all are captured, and as far as the tightest promise lets a push go.

    A push that chooses shows no more if it goes less far, and leaves its views staler.
    """
    names = frozenset(member.view for member in group)
    if forecast(names, target_of(group)).chooses:
        return target_of(group)
    tightest = min(group, key=lambda member: member.since + micros(member.freshness))
    limited = replace(tightest, target=target_of(group))
    time = push_time(limited, now, lambda until: forecast(names, until).cautious)
    return max(time, *(member.floor for member in group))


def _quiet(view: ViewNow, waiting: Mapping[str, Pending], moment: Moment) -> int:
    """How long nothing need be done for a view, in microseconds, as far as can be foreseen."""
    if view.running:
        return micros(view.freshness)  # the end of a push makes the next step look at once
    if view.retry_at > moment.monotonic:
        return view.retry_at - moment.monotonic
    if view.time == NEVER:
        return 0  # it may be computed as soon as its sources are captured
    pending = waiting.get(view.name)
    rest = 0 if pending is None else quarter(moment.now, due_at(pending))
    if pending is not None and pending.ready:
        return rest
    return max(rest, micros(view.freshness) // LOOKS_PER_PROMISE)  # it waits for its sources, or for a site
