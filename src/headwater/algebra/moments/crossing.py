"""now() in a view: the time that the view is as of.

A view at time t equals its SQL over its sources as of t, and now() is that t.  So a plan holds now(),
current_date() and localtimestamp() as calls without a value; `bound` gives them one when the plan runs: the
time that is pushed to.  In the plan of a change `now_before()` and its like are the time of the last push.

    ts > now() - INTERVAL 1 HOUR        between pushes to t0 and t1 rows leave: those with
                                        ts > t0 - INTERVAL 1 HOUR  and  ts <= t1 - INTERVAL 1 HOUR

`crossing` finds such conditions.  A comparison with something that grows with now() lets rows only enter or
only leave; of any other condition both are asked for.  Both are exact; that one of them is left out, and that
the other is a range, only makes it cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from headwater.algebra.expressions.build import FALSE
from headwater.algebra.expressions.compile import compile_expr
from headwater.algebra.expressions.tree import (
    Call,
    Expr,
    Literal,
    call,
    children,
    columns_of,
    conjunction,
    transform,
)
from headwater.algebra.expressions.values import Months
from headwater.errors import HeadwaterError

__all__ = [
    "MOMENTS",
    "Crossing",
    "before",
    "bound",
    "constant",
    "crossing",
    "is_moving",
    "moment_literal",
    "moments_move",
    "now_at",
]

_BEFORE = "_before"


def now_at(time: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)


def _timestamp(time: int) -> Literal:
    return Literal(now_at(time), f"timestamp_micros({time})")


def _date(time: int) -> Literal:
    today = now_at(time).date()
    return Literal(today, f"DATE '{today}'")


def _local(time: int) -> Literal:
    moment = now_at(time).replace(tzinfo=None)
    return Literal(moment, f"TIMESTAMP_NTZ '{moment}'")


# The functions, with what they are at a time of a timeline (microseconds since 1970).
MOMENTS: dict[str, Callable[[int], Literal]] = {
    "now": _timestamp,
    "current_date": _date,
    "localtimestamp": _local,
}


def moment_literal(function: str, time: int) -> Literal:
    """What now(), current_date() or localtimestamp() is at a time."""
    return MOMENTS[function](time)


def _is_moment(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function.removesuffix(_BEFORE) in MOMENTS


@lru_cache(maxsize=20_000)
def is_moving(expr: Expr) -> bool:
    """Whether the value depends on the time that the view is as of."""
    return _is_moment(expr) or any(map(is_moving, children(expr)))


def before(expr: Expr) -> Expr:
    """The expression as it was at the last push."""

    def step(part: Expr) -> Expr:
        return call(part.function + _BEFORE) if isinstance(part, Call) and part.function in MOMENTS else part

    return transform(expr, step) if is_moving(expr) else expr


def bound(expr: Expr, after: int, until: int) -> Expr:
    """The expression in a push from one time to another."""

    def step(part: Expr) -> Expr:
        if isinstance(part, Call) and _is_moment(part):
            function = part.function.removesuffix(_BEFORE)
            return moment_literal(function, until if function == part.function else after)
        return part

    return transform(expr, step) if is_moving(expr) else expr


def moments_move(expr: Expr, after: int, until: int) -> bool:
    """Whether a part without columns differs between two times: current_date() does once a day."""
    return any(
        (old := constant(bound(part, after, after))) is None or old != constant(bound(part, until, until))
        for part in _without_columns(expr)
    )


def _without_columns(expr: Expr) -> Iterator[Expr]:
    """The largest parts that depend on the time and on no column."""
    if not is_moving(expr):
        return
    if not columns_of(expr):
        yield expr
        return
    for child in children(expr):
        yield from _without_columns(child)


def constant(expr: Expr) -> object | None:
    """The value of an expression without columns, if the evaluator knows it."""
    if columns_of(expr):
        return None
    try:
        value: object = compile_expr(expr, ())(())
    except (HeadwaterError, TypeError, ValueError, ArithmeticError):
        return None  # Spark will know
    return value


class Crossing(NamedTuple):
    """Which rows a condition lets in as time passes, and which it lets go; None: none ever."""

    entering: Expr | None
    leaving: Expr | None


_FLIPPED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_OPPOSITE = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}


def crossing(condition: Expr) -> Crossing:
    """The rows of an input that pass a condition now and did not before, or the other way round."""
    match condition:
        case Call(function, (left, right)) if function in _FLIPPED:
            if _grows(right, _is_length(left)) and not is_moving(left):
                return _crossed(function, left, right)
            if _grows(left, _is_length(right)) and not is_moving(right):
                return _crossed(_FLIPPED[function], right, left)
        case Call("or", (left, right)) if is_moving(left) != is_moving(right):
            still, moving = (right, left) if is_moving(left) else (left, right)
            return Crossing(*(_unless(part, still) for part in crossing(moving)))
    old = before(condition)
    return Crossing(_and_not(condition, old), _and_not(old, condition))


def _crossed(function: str, still: Expr, growing: Expr) -> Crossing:
    """`still` compared with what grows: below it more and more, above it less and less."""
    old, new = before(growing), growing
    if function in ("lt", "lte"):
        entering = (call(function, still, new), call(_OPPOSITE[function], still, old))
        return Crossing(conjunction(entering), None)
    return Crossing(None, conjunction((call(function, still, old), call(_OPPOSITE[function], still, new))))


def _unless(part: Expr | None, still: Expr) -> Expr | None:
    """at IS NULL OR at > now(): whatever passes for another reason neither enters nor leaves."""
    return None if part is None else _and_not(part, still)


def _and_not(passes: Expr, passed: Expr) -> Expr:
    return call("and", passes, call("not", call("coalesce", passed, FALSE)))


_GROWING = {"date", "to_date", "unix_micros", "unix_millis", "unix_seconds", "unix_timestamp", "year"}
_GROWING_DATES = {"date_add", "date_sub", "dateadd", "datediff", "date_diff", "add_months"}
_GROWING_SECOND = ("timestampadd_", "dateadd_", "date_add_", "timestampdiff_", "datediff_", "date_diff_")
_MONTHS = ("add_month", "add_quarter", "add_year")
_WITHIN_A_DAY = {"hour", "minute", "second", "millisecond", "microsecond"}


def _grows(expr: Expr, is_length: bool = False) -> bool:
    """Whether a value can only become greater as time passes, whatever the row.

    Months may step back: a month before 30 March, 12:00, is 28 February, 12:00; a month before 31 March,
    1:00, is 28 February, 1:00.  So they grow with days only.  `is_length`: the value is a length of time, so
    what is subtracted in it is an instant.
    """
    match expr:
        case Call(function, ()):
            return function in MOMENTS
        case Call("add", (left, right)):
            return (_grows(left) and _adds(left, right)) or (_grows(right) and _adds(right, left))
        case Call("sub", (left, right)):
            return _grows(left) and (_adds(left, right) or (is_length and not is_moving(right)))
        case Call(function, (left, right)) if function in _GROWING_DATES:
            return _grows(left) and not is_moving(right)
        case Call(function, (left, right)) if function.startswith(_GROWING_SECOND):
            return (
                _grows(right) and not is_moving(left) and (not function.endswith(_MONTHS) or _is_day(right))
            )
        case Call("date_trunc", (unit, moment)):
            return isinstance(unit, Literal) and _grows(moment)
        case Call("cast", (inner,), template):
            return template in ("CAST({0} AS TIMESTAMP)", "CAST({0} AS DATE)") and _grows(inner)
        case Call(function, (inner,)):
            return function in _GROWING and _grows(inner)
        case _:
            return False


def _adds(moment: Expr, part: Expr) -> bool:
    """Whether a part moves every moment, or every day, so that their order stays."""
    return not is_moving(part) and (
        _is_day(moment)
        or (isinstance(part, Literal) and part.value is not None and not isinstance(part.value, Months))
    )


def _is_length(expr: Expr) -> bool:
    return isinstance(expr, Literal) and isinstance(expr.value, timedelta)


def _is_day(expr: Expr) -> bool:
    """Whether a value that grows has no time of day."""
    match expr:
        case Call("cast", _, template):
            return template == "CAST({0} AS DATE)"
        case Call("date_trunc", (Literal(str(unit)), _)):
            return unit.lower() not in _WITHIN_A_DAY
        case Call(function):
            return function in {"current_date", "date", "to_date", "date_add", "date_sub", "add_months"}
        case _:
            return False
