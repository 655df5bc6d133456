"""now() is the time that a view is as of: which rows it lets in and lets go, and when it can have done neither."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.build import FALSE, TRUE
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call, spark_sql
from headwater.algebra.expressions.values import Months
from headwater.algebra.moments.crossing import bound, crossing
from headwater.algebra.moments.plans import TIME, bind, moves, time_moves
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.plans.nodes import Aggregate, Filter, Join, Negate, Plan, Scan, Version
from headwater.algebra.stages.split import split

HOUR = 3_600_000_000
NOON = 1_700_049_600_000_000 - 1_700_049_600_000_000 % (24 * HOUR) + 12 * HOUR
AT, NOW = Column("e.at"), call("now")
ONE_HOUR = Literal(timedelta(hours=1), "INTERVAL '1' HOUR")
EVENTS = Scan("events", "e", ("id", "at"))
RECENT = Filter(EVENTS, call("gt", AT, call("sub", NOW, ONE_HOUR)))


def text(expr: Expr | None) -> str:
    return "" if expr is None else spark_sql(bound(expr, 0, HOUR))


def test_above_what_grows_rows_only_leave_and_between_two_instants() -> None:
    entering, leaving = crossing(RECENT.condition)
    assert entering is None
    assert text(leaving) == (
        "((`e.at` > (timestamp_micros(0) - INTERVAL '1' HOUR))"
        " AND (`e.at` <= (timestamp_micros(3600000000) - INTERVAL '1' HOUR)))"
    )


def test_below_what_grows_rows_only_enter_whichever_side_it_stands_on() -> None:
    entering, leaving = crossing(call("gte", NOW, AT))
    assert leaving is None
    assert text(entering) == "((`e.at` <= timestamp_micros(3600000000)) AND (`e.at` > timestamp_micros(0)))"


def test_of_any_other_condition_both_are_asked_for() -> None:
    entering, leaving = crossing(call("eq", AT, NOW))
    assert "NOT coalesce" in text(entering)
    assert "NOT coalesce" in text(leaving)


def test_what_passes_for_another_reason_neither_enters_nor_leaves() -> None:
    entering, leaving = crossing(call("or", call("is_null", AT), RECENT.condition))
    assert entering is None
    assert text(leaving).startswith("(((`e.at` > (timestamp_micros(0) - INTERVAL '1' HOUR)) AND ")
    assert "NOT coalesce" in text(leaving)


def test_what_a_column_is_taken_from_still_grows() -> None:
    age = call("sub", NOW, AT)
    assert crossing(call("lt", age, ONE_HOUR)).entering is None
    assert crossing(call("gt", age, ONE_HOUR)).leaving is None


@pytest.mark.parametrize(
    ("moment", "same"),
    [
        ("now", False),
        ("current_date", True),
        ("localtimestamp", False),
    ],
)
def test_a_date_moves_once_a_day(moment: str, same: bool) -> None:
    plan = Filter(EVENTS, call("gt", AT, call(moment)))
    assert time_moves(plan, NOON, NOON + HOUR) is not same
    assert time_moves(plan, NOON, NOON + 13 * HOUR)


def test_an_hour_that_is_cut_off_moves_once_an_hour() -> None:
    hour = call("date_trunc", Literal("hour", "'hour'"), NOW)
    plan = Filter(EVENTS, call("gte", AT, hour))
    assert not time_moves(plan, NOON, NOON + HOUR - 1)
    assert time_moves(plan, NOON, NOON + HOUR)


def test_nothing_is_read_but_what_leaves_if_only_time_has_passed() -> None:
    change = delta(RECENT, frozenset({TIME}))
    assert isinstance(change, Negate)
    assert isinstance(change.child, Filter)
    assert delta(RECENT, frozenset()) is None


def test_a_condition_of_a_join_and_a_filter_of_an_aggregate_are_taken_apart() -> None:
    other = Scan("kinds", "k", ("id",))
    joined: Plan = Join((EVENTS, other), (call("eq", Column("e.id"), Column("k.id")), RECENT.condition))
    late = AggregateCall("n", "count", (), "count(1)", where=call("lt", AT, NOW))
    for plan in (joined, Aggregate(joined, (), (late,))):
        stages = split("v", plan, (), (), ("events", "kinds")).stages
        for stage in stages:
            change = delta(stage, frozenset({TIME, "events"}))
            assert change is not None
            assert not moves(bind(change, NOON, NOON + HOUR))


def test_what_depends_on_time_is_not_left_to_whoever_reads_the_view() -> None:
    last = AggregateCall("last", "max", (AT,), "max({0})")
    quiet = Filter(Aggregate(EVENTS, (("id", Column("e.id")),), (last,)), call("lt", Column("last"), NOW))
    kept = split("v", quiet, ("id", "last"), ("", ""), ("events",))
    assert len(kept.stages) == 2
    assert not moves(kept.finish)


def test_a_constant_relation_never_changes() -> None:
    assert delta(Filter(EVENTS, FALSE), frozenset({"events"})) is None
    assert delta(Filter(EVENTS, TRUE), frozenset({"events"})) is not None


def test_the_time_of_a_view_in_python() -> None:
    literal = bound(NOW, NOON, NOON)
    assert isinstance(literal, Literal)
    assert literal.value == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=NOON)


ONE_MONTH = Literal(Months(1), "INTERVAL '1' MONTH")
DAY = call("date_trunc", Literal("day", "'day'"), NOW)


@pytest.mark.parametrize(
    ("growing", "only_one_way"),
    [
        (call("sub", NOW, ONE_MONTH), False),
        (call("add", NOW, ONE_MONTH), False),
        (call("sub", NOW, Column("e.length")), False),  # which may be a month
        (call("timestampadd_month", Literal(1, "1"), NOW), False),
        (call("sub", call("current_date"), ONE_MONTH), True),
        (call("sub", DAY, ONE_MONTH), True),
        (call("timestampadd_hour", Literal(1, "1"), NOW), True),
    ],
)
def test_months_step_back(growing: Expr, only_one_way: bool) -> None:
    """A month before 30 March, 12:00, is later than one before 31 March, 1:00: rows leave, and enter again."""
    assert (None in crossing(call("gt", AT, growing))) is only_one_way


def test_a_view_of_the_last_month_at_the_end_of_march() -> None:
    recent = Filter(EVENTS, call("gt", AT, call("sub", NOW, ONE_MONTH)))
    at = datetime(2026, 2, 28, 6, tzinfo=UTC)
    noon, night = (datetime(2026, 3, day, hour, tzinfo=UTC) for day, hour in ((30, 12), (31, 1)))
    before, now = (int(moment.timestamp() * 1_000_000) for moment in (noon, night))
    events = {("events", version): (("id", "at"), {(1, at): 1}) for version in (Version.OLD, Version.NEW)}
    shown = [evaluate(bind(recent, time, time), events) for time in (before, now)]
    assert [len(rows) for rows in shown] == [0, 1]
    change = delta(recent, frozenset({TIME}))
    assert change is not None
    assert evaluate(bind(change, before, now), events) == shown[1]
