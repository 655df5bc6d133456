"""The ranges of columns that a Filter leaves, where it compares them with times.

A view that says `at > now() - INTERVAL 1 HOUR` reads the files of the last hour, and as time passes those
whose rows leave it: at lies between two instants.  Which files hold such times the Delta log says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, conjuncts
from headwater.algebra.moments.crossing import constant
from headwater.algebra.plans.nodes import Filter, Negate, Plan, Windows
from headwater.storage.timeline import Range

__all__ = ["filter_ranges", "narrower"]


def filter_ranges(node: Filter, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """The ranges of a filter's columns, narrowed by what it compares with constants: times, above all.

    at > t0 AND at <= t1       at lies in t0 .. t1
    at > t0                    at lies in t0 .. the end of time
    at + INTERVAL x > t0, t1 - at < INTERVAL x, CAST(at AS DATE) = d        the like
    w.end > t0 AND w.end <= t1                                              w lies in t0 - its length .. t1
    """
    narrowed = dict(ranges)
    lengths = _window_lengths(node)
    for part in conjuncts(node.condition):
        for span in _compared(_of_whole_windows(part, lengths)):
            narrowed[span.column] = narrower(span, narrowed.get(span.column))
    return narrowed


def _window_lengths(node: Plan) -> dict[str, timedelta]:
    """The windows that rows below a filter are in, and how long they are at most."""
    while isinstance(node, Filter | Negate):
        node = node.child
    return {node.name: node.size} if isinstance(node, Windows) else {}


def _of_whole_windows(part: Expr, lengths: Mapping[str, timedelta]) -> Expr:
    """A comparison of a window's end or start, as one of the window: its range holds it from start to end."""

    def of_window(expr: Expr, above: bool) -> Expr:
        match expr:
            case Call("field", (Column(name) as window, Literal(str() as end))) if name in lengths:
                length = Literal(lengths[name], "")
                if end.lower() == "end":
                    return call("add", window, length) if above else window
                return window if above else call("sub", window, length)
        return expr

    match part:
        case Call("gt" | "gte" as function, (left, right)):
            return call(function, of_window(left, True), of_window(right, False))
        case Call("lt" | "lte" as function, (left, right)):
            return call(function, of_window(left, False), of_window(right, True))
        case _:
            return part


def _compared(part: Expr) -> Iterator[Range]:
    match part:
        case Call("between", (value, low, high)):
            yield from _compared(call("gte", value, low))
            yield from _compared(call("lte", value, high))
        case Call(function, (left, right)) if function in _MIRRORED:
            for operator, column, limit in (
                *_solved(function, left, constant(right)),
                *_solved(_MIRRORED[function], right, constant(left)),
            ):
                yield from _half_open(operator, column, limit)


_MIRRORED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte", "eq": "eq"}


def _solved(operator: str, expr: Expr, value: object) -> Iterator[tuple[str, str, object]]:
    """`expr operator value` as a comparison of a column with a time; nothing if it is none."""
    if not isinstance(value, date | timedelta):
        return
    with suppress(OverflowError):  # the end of the calendar
        match expr:
            case Column(name) if isinstance(value, date):
                yield operator, name, value
            case Call("cast", (Column(name),), "CAST({0} AS DATE)") if _is_date(value):
                yield operator, name, value
            case Call("date" | "to_date", (Column(name),)) if _is_date(value):
                yield operator, name, value
            case Call("date_trunc", (Literal(str() as unit), Column(name))) if unit.lower() in _LONGEST:
                yield from _cut_off(operator, name, value, _LONGEST[unit.lower()])
            case Call("add", (inner, Literal(timedelta() as length))) if not _is_date(value):
                yield from _solved(operator, inner, value - length)
            case Call("sub", (inner, Literal(timedelta() as length))) if not _is_date(value):
                yield from _solved(operator, inner, value + length)
            case Call("sub", (Literal(datetime() as moment), inner)) if isinstance(value, timedelta):
                yield from _solved(_MIRRORED[operator], inner, moment - value)


# No such part of time is longer.
_LONGEST = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    "day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=31),
    "quarter": timedelta(days=92), "year": timedelta(days=366),
}  # fmt: skip


def _cut_off(operator: str, column: str, value: Any, longest: timedelta) -> Iterator[tuple[str, str, object]]:
    """A time that is cut off lies at most so long before the time itself."""
    if operator in ("gt", "gte", "eq"):
        yield "gte", column, value
    if operator in ("lt", "lte", "eq"):
        yield "lte", column, value + longest


def _is_date(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _half_open(operator: str, column: str, value: Any) -> Iterator[Range]:
    least, greatest = _ends(value)
    low = value if operator in ("gt", "gte", "eq") else least
    high = value if operator in ("lt", "lte", "eq") else greatest
    yield Range(column, low, high)


def _alike(value: Any, other: Any) -> bool:
    """Whether two times can be compared: a date, an instant and an instant of no zone cannot."""
    return type(value) is type(other) and getattr(value, "tzinfo", None) == getattr(other, "tzinfo", None)


def _ends(value: Any) -> tuple[Any, Any]:
    if isinstance(value, datetime):
        return tuple(end.replace(tzinfo=value.tzinfo) for end in (datetime.min, datetime.max))  # type: ignore[return-value]
    return date.min, date.max


def narrower(span: Range, other: Range | None) -> Range:
    if other is None or not _alike(span.low, other.low):
        return span
    return Range(span.column, max(span.low, other.low), min(span.high, other.high))
