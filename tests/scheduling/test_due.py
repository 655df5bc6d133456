"""When to push: as late as the promise allows, never later; how far; and in whose company."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.scheduling.due import (
    EARLY,
    FAIR,
    FINEST,
    SAFE,
    SLACK,
    Pending,
    candidates,
    due_at,
    push_time,
)
from support.cases import law

SECOND = 1_000_000
quick = law(150)


def line(time: int, start: float, slope: float) -> Callable[[int], timedelta]:
    """A critical path that takes `start` seconds and `slope` seconds for each second it catches up."""
    return lambda until: timedelta(seconds=start, microseconds=slope * (until - time))


def pending(name: str, time: float, target: float, freshness: float = 10.0, duration: float = 1.0) -> Pending:
    return Pending(
        name,
        round(time * SECOND),
        round(target * SECOND),
        timedelta(seconds=freshness),
        timedelta(seconds=duration),
    )


def together(several: list[Pending], now: int) -> tuple[Pending, ...]:
    """Those that are due and those that come along, in the order given."""
    due, soon = candidates(several, now)
    return tuple(pending for pending in several if pending in due or pending in soon)


def test_a_push_starts_so_that_it_ends_at_four_fifths_of_the_promise() -> None:
    one = pending("v", time=100, target=101, freshness=10, duration=3)
    assert due_at(one) == 105 * SECOND
    assert together([one], 105 * SECOND - 1) == ()
    assert together([one], 105 * SECOND) == (one,)


def test_what_would_soon_have_to_choose_is_pushed_now() -> None:
    one = replace(pending("v", time=100, target=101, freshness=10, duration=1), urgent=True)
    assert together([one], 101 * SECOND) == (one,)


def test_where_estimates_are_far_off_a_push_starts_earlier() -> None:
    one = replace(pending("v", time=100, target=101, freshness=10, duration=3), cautious=timedelta(seconds=6))
    assert due_at(one) == round((100 + SAFE * 10 - 6) * SECOND) < 105 * SECOND
    sure = replace(one, cautious=timedelta(seconds=4))
    assert due_at(sure) == 105 * SECOND


@given(
    st.integers(1, 60),
    st.lists(st.tuples(st.floats(0.0, 0.25), st.floats(0.0, 0.25)), min_size=1, max_size=12),
    st.floats(0.0, 1.0),
)
@quick
def test_a_promise_that_can_be_kept_is_kept(
    freshness: int, costs: list[tuple[float, float]], first: float
) -> None:
    """Looks a fortieth of the promise apart, pushes that take what was said: no reader sees it broken.

    And none of the pushes that have a choice starts too early: it ends at SLACK of the promise or later.
    """
    promise = freshness * SECOND
    look = promise // 40
    time = 0
    now = round(first * look)
    for start, slope in costs:
        path = line(time, start * freshness, slope)
        looks = 0
        while True:
            view = Pending("v", time, now, timedelta(seconds=freshness), path(now))
            if together([view], now):
                break
            now += look
            looks += 1
        until = push_time(view, now, path)
        ends = now + path(until) // timedelta(microseconds=1)
        assert ends - time <= promise
        assert ends - time >= promise * SLACK - 1 or looks == 0
        assert until == now
        time, now = until, ends


@given(st.integers(0, 30 * SECOND), st.integers(1, 120 * SECOND), st.floats(0.0, 9.0), st.floats(0.01, 2.0))
@quick
def test_a_push_goes_as_far_as_the_promise_lets_it(
    behind: int, ahead: int, start: float, slope: float
) -> None:
    path = line(0, start, slope)
    view = Pending("v", 0, ahead, timedelta(seconds=10), path(ahead))
    until = push_time(view, behind, path)
    allowed = timedelta(seconds=10) - timedelta(microseconds=behind)
    assert 0 < until <= ahead
    if until < ahead:
        assert path(until) <= allowed  # the promise is kept
        assert path(until + FINEST) > allowed  # and could not be kept any further
        assert until * FAIR >= ahead  # and it is worth it
    elif path(ahead) > allowed:
        assert path(ahead // FAIR + FINEST) > allowed  # broken either way: small steps would not catch up


def test_a_backlog_is_caught_up_in_parts_that_keep_the_promise() -> None:
    view = pending("v", time=0, target=8, freshness=10, duration=16)
    until = push_time(view, 4 * SECOND, line(0, 0.0, 2.0))
    assert abs(until - 3 * SECOND) <= FINEST  # 2 s a second: three seconds of changes in the six left
    late = push_time(view, 9 * SECOND, line(0, 0.5, 2.0))
    assert late == view.target  # a quarter of a second of eight: not worth a push


views = st.builds(
    lambda number, time, ahead, freshness, duration: Pending(
        f"v{number}",
        time,
        time + ahead,
        timedelta(seconds=freshness),
        timedelta(seconds=duration),
    ),
    st.integers(0, 99),
    st.integers(0, 60 * SECOND),
    st.sampled_from([0, 1, SECOND, 30 * SECOND]),
    st.integers(1, 60),
    st.floats(0.0, 20.0),
)


@given(st.lists(views, max_size=8), st.integers(0, 120 * SECOND))
@quick
def test_companions_are_due_soon_and_never_start_a_push(several: list[Pending], now: int) -> None:
    chosen = together(several, now)
    ready = [pending for pending in several if pending.target > pending.time]
    due = [pending for pending in ready if now >= due_at(pending)]
    assert bool(chosen) == bool(due)
    assert all(pending in chosen for pending in due)
    for pending in chosen:
        early = timedelta(microseconds=due_at(pending) - now)
        assert pending in ready
        assert early <= pending.freshness * EARLY + timedelta(microseconds=1)
    for pending in ready:
        if due and pending not in chosen:
            assert timedelta(microseconds=due_at(pending) - now) >= pending.freshness * EARLY


def test_a_view_joins_within_a_quarter_of_its_own_freshness() -> None:
    due = pending("due", time=0, target=9)
    soon = pending("soon", time=2.4, target=9)
    later = pending("later", time=2.6, target=9)
    still = pending("still", time=0, target=0)
    now = due_at(due)
    assert together([due, soon, later, still], now) == (due, soon)
    assert together([soon, later, still], now) == ()
