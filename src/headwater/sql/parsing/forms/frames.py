"""Frames by RANGE whose two distances have different units: Spark wants one type of interval.

RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 1 SECOND PRECEDING
RANGE BETWEEN INTERVAL '86400' SECOND PRECEDING AND INTERVAL '1' SECOND PRECEDING
"""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from headwater.sql.parsing.intervals import duration

__all__ = ["in_one_unit"]

_DAY, _MICROSECOND = timedelta(days=1), timedelta(microseconds=1)


def in_one_unit(node: exp.Expr) -> exp.Expr | None:
    """The frame with both distances in days or in seconds; None if it has no two, or they have one unit."""
    if not isinstance(node, exp.WindowSpec):
        return None
    bounds = [node.args.get("start"), node.args.get("end")]
    intervals = [bound for bound in bounds if isinstance(bound, exp.Interval)]
    if len(intervals) < 2 or intervals[0].args.get("unit") == intervals[1].args.get("unit"):
        return None
    lengths = [_length(interval) for interval in intervals]
    known = [length for length in lengths if length is not None]
    if len(known) < 2:
        return None
    whole_days = all(length % _DAY == timedelta() for length in known)
    frame = node.copy()
    for side, length in zip(("start", "end"), known, strict=True):
        frame.set(side, _days(length) if whole_days else _seconds(length))
    return frame


def _length(interval: exp.Interval) -> timedelta | None:
    unit = interval.args.get("unit")
    try:
        return duration(f"{interval.this.name} {unit.name if unit is not None else ''}")
    except ValueError:  # months have no fixed length
        return None


def _days(length: timedelta) -> exp.Expr:
    return _interval(str(length // _DAY), "DAY")


def _seconds(length: timedelta) -> exp.Expr:
    seconds, rest = divmod(length // _MICROSECOND, 10**6)
    return _interval(f"{seconds}.{rest:06d}" if rest else str(seconds), "SECOND")


def _interval(count: str, unit: str) -> exp.Expr:
    return exp.Interval(this=exp.Literal.string(count), unit=exp.Var(this=unit))
