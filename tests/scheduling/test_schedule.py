"""What is decided at a moment: pushes to start, and when to look again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import timedelta

from headwater.scheduling.backoff import FIRST_RETRY, LAST_RETRY, retry_after, rewrite_after
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.schedule import NEVER, Decision, Moment, Push, ViewNow, decide

SECOND = 1_000_000
NOW = 1_000 * SECOND
TEN = timedelta(seconds=10)
QUICK = Forecast(timedelta(seconds=1), timedelta(seconds=1))


def view(name: str, time: float, target: float = 1000, **more: object) -> ViewNow:
    at = round(time * SECOND)
    known = {"floor": at, "forecast": QUICK, "tried_at": round(time * SECOND), "moved_at": at, **more}
    return ViewNow(name, TEN, at, round(target * SECOND), **known)  # type: ignore[arg-type]


def decided(*views: ViewNow, seconds: Mapping[str, int] | None = None, **more: object) -> Decision:
    """At 1,000 s on both clocks. `seconds` that views take in a push; all take one together without."""
    moment = Moment(NOW, NOW, **more)  # type: ignore[arg-type]

    def forecast(views: Collection[str], _until: int) -> Forecast:
        took = timedelta(seconds=sum(seconds[view] for view in views) if seconds else 1)
        return Forecast(took, took)

    return decide(moment, views, forecast)


def test_views_that_can_go_to_one_time_go_together() -> None:
    assert decided(view("a", 991), view("b", 992, target=999)).pushes == (Push(("a", "b"), 999 * SECOND),)


def test_a_view_whose_source_is_far_behind_goes_by_itself() -> None:
    lagging, live = view("lagging", 100, target=200), view("live", 992)
    assert decided(lagging, live).pushes == (Push(("lagging",), 200 * SECOND),)  # not pushed for longer
    just_pushed = view("lagging", 100, target=200, tried_at=NOW - SECOND // 10)
    assert decided(just_pushed, live).pushes == (Push(("live",), NOW),)


def test_a_view_is_not_held_back_by_more_than_a_quarter_of_its_promise() -> None:
    assert decided(view("a", 991), view("b", 991, target=997)).pushes[0].views == ("a",)
    assert decided(view("a", 991), view("b", 991, target=998)).pushes[0].views == ("a", "b")


def test_a_push_that_chooses_takes_along_who_would_be_due_before_the_next_has_ended() -> None:
    """It takes what time there is, so whoever stays behind waits for all of it."""
    moment, took = Moment(NOW, NOW), timedelta(seconds=2)

    def forecast(views: Collection[str], _until: int) -> Forecast:
        chooses = "chooses" in views
        return Forecast(took, took, chooses, urgent=chooses)

    chooses = view("chooses", 997, forecast=Forecast(took, took, True, True))
    soon, later = view("soon", 996), view("later", 999.5)  # due at 1,003 and 1,006.5
    assert decide(moment, [chooses, soon, later], forecast).pushes[0].views == ("chooses", "soon")
    alone = replace(chooses, name="exact", forecast=QUICK, time=(NOW - 9 * SECOND))
    assert decide(moment, [alone, soon, later], forecast).pushes[0].views == ("exact",)


def test_who_would_be_late_in_a_long_push_goes_before_it() -> None:
    tight, slow = view("tight", 992), replace(view("slow", 950), freshness=timedelta(seconds=62))
    assert decided(tight, slow, seconds={"tight": 1, "slow": 1}).pushes[0].views == ("slow", "tight")
    assert decided(tight, slow, seconds={"tight": 1, "slow": 5}).pushes[0].views == ("tight",)


def test_nobody_is_left_behind_if_that_would_keep_no_promise_or_break_another() -> None:
    tight, slow = view("tight", 992), replace(view("slow", 950), freshness=timedelta(seconds=62))
    together = ("slow", "tight")
    assert decided(tight, slow, seconds={"tight": 3, "slow": 5}).pushes[0].views == together  # late anyway
    assert decided(tight, slow, seconds={"tight": 2, "slow": 9}).pushes[0].views == together  # slow at 1,013


def test_what_failed_in_company_is_pushed_by_itself() -> None:
    several = view("a", 991, alone=True), view("b", 992), view("c", 992)
    assert decided(*several).pushes[0].views == ("a",)
    later = view("a", 992.5, alone=True), view("b", 992), view("c", 992)
    assert decided(*later).pushes[0].views == ("b", "c")


def test_who_backs_off_is_pushed_already_or_cannot_be_reached_is_left_alone() -> None:
    several = (
        view("a", 900, retry_at=NOW + 1), view("b", 900, running=True), view("c", 900, reachable=False),
        view("d", 900, floor=NOW + 1), view("e", 900, target=900),
    )  # fmt: skip
    assert decided(*several).pushes == ()


def test_a_new_view_is_computed_beside_the_common_push_the_one_that_waited_longest_first() -> None:
    new = view("new", 0, tried_at=5), view("newer", 0, tried_at=7), view("known", 990)
    assert decided(*new).pushes == (Push(("new",), NOW, first=True), Push(("known",), NOW))
    assert decided(*new, first_free=False).pushes == (Push(("known",), NOW),)
    assert decided(*new, common_free=False).pushes == (Push(("new",), NOW, first=True),)
    assert decided(view("uncaptured", 0, target=NEVER)).pushes == ()


def test_the_first_push_of_a_run_does_not_wait_if_there_is_anything_to_push() -> None:
    assert decided(view("a", 999), warm=False).pushes == ()
    assert decided(view("a", 999, unread=True), warm=False).pushes == (Push(("a",), NOW),)
    assert decided(view("a", 999, unread=True)).pushes == ()


def test_a_clock_that_was_set_back_delays_nothing() -> None:
    ahead = view("a", 4600, target=4601)  # an hour
    assert decided(ahead).pushes == ()  # it has just moved, as far as is known
    stood_still = view("a", 4600, target=4601, moved_at=NOW - 7 * SECOND)
    assert decided(stood_still).pushes == (Push(("a",), 4601 * SECOND),)


def test_the_next_look_is_a_quarter_of_the_time_until_something_is_due() -> None:
    assert decided(view("a", 1000, target=1000.001, floor=0)).look_at == NOW + 7 * SECOND // 4
    assert decided(view("a", 993.1)).look_at == NOW + SECOND // 4  # at most forty looks in a promise
    backing_off = view("b", 900, retry_at=NOW + SECOND)
    assert decided(view("a", 1000), backing_off).look_at == NOW + SECOND
    waiting = view("c", 900, target=900)  # for its sources
    assert decided(view("a", 1000), waiting).look_at == NOW + SECOND // 4


def test_back_off_doubles_up_to_a_minute() -> None:
    seconds = [retry_after(failures) / SECOND for failures in range(1, 9)]
    assert seconds == [1, 2, 4, 8, 16, 32, 60, 60]
    assert (timedelta(seconds=1), timedelta(minutes=1)) == (FIRST_RETRY, LAST_RETRY)
    assert rewrite_after(0) == 60 * SECOND
    assert rewrite_after(10 * SECOND) == 200 * SECOND


def test_while_nothing_is_computed_views_that_read_little_are_computed_together() -> None:
    new = view("a", 0, light=True, tried_at=5), view("b", 0, light=True), view("large", 0, tried_at=7)
    assert decided(*new).pushes == (Push(("a", "b"), NOW, first=True),)
    assert decided(*new, view("known", 999)).pushes == (Push(("b",), NOW, first=True),)
    large_first = view("a", 0, light=True, tried_at=9), view("b", 0, light=True, tried_at=9), new[2]
    assert decided(*large_first).pushes == (Push(("large",), NOW, first=True),)
    failed = view("a", 0, light=True, alone=True), view("b", 0, light=True, tried_at=9)
    assert decided(*failed).pushes == (Push(("a",), NOW, first=True),)
