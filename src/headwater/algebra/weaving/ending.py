"""Fragments that end: what is so old that no window which a view retains can hold it.

    v1  windows of 6 s,  RETAIN INTERVAL '1' MINUTE      w.end >= now() - 60 s
    v2  windows of 90 s, RETAIN INTERVAL '2' MINUTE      w.end >= now() - 120 s

    stage   at >= date_trunc('MINUTE', now()) - 4 min    the longest of 60 + 6 s and 120 + 90 s, in minutes

A row in a retained window is not older than the window's length and the time that it is retained.  So where
every view of a tree has windows and retains them for a time, the tree's stage is of the rows since then: a
condition on now() like any other, by which rows leave as time passes, and their fragments with them.  A view
is at every time what it was without the condition, because its own filter lets no window pass that lacks a
row.  The bound moves once a minute, or once an hour, so most pushes have no row to look for that leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.weaving.grouping import Grouping, Window

__all__ = ["age_of", "oldest_of", "since", "young_enough"]

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
_NOW = call("now")


def oldest_of(groupings: Iterable[Grouping]) -> timedelta | None:
    """How old a row may be that one of these needs, in whole minutes; None if one needs rows however old."""
    ages = [age_of(grouping) for grouping in groupings]
    known = [age for age in ages if age is not None]
    return -(-max(known) // MINUTE) * MINUTE if known and len(known) == len(ages) else None


def age_of(grouping: Grouping) -> timedelta | None:
    """How old a row may be that lies in a window which the view retains; None if it retains all."""
    window = grouping.window
    if window is None:
        return None
    ages = (_retained(condition, window) for condition in grouping.filters)
    return min((age for age in ages if age is not None), default=None)


def _retained(condition: Expr, window: Window) -> timedelta | None:
    """The age of the oldest row that `w.end >= now() - length` needs, or `w.start >= ...`."""
    match condition:
        case Call(
            "gte",
            (
                Call("field", (Column(name), Literal("start" | "end" as field))),
                Call("sub", (moment, Literal(timedelta() as length))),
            ),
        ) if name == window.column and moment == _NOW:
            return length + window.size if field == "end" else length
        case _:
            return None


def young_enough(time: Expr, oldest: timedelta) -> Expr:
    """The condition of rows that are not older; it moves by the minute, or by the hour if that is little."""
    unit = Literal("HOUR", "'HOUR'") if oldest >= DAY else Literal("MINUTE", "'MINUTE'")
    length = Literal(oldest, f"INTERVAL '{oldest // MINUTE}' MINUTE")
    return call("gte", time, call("sub", call("date_trunc", unit, _NOW), length))


def since(condition: Expr) -> timedelta | None:
    """The age that such a condition allows; None for any other."""
    match condition:
        case Call("gte", (_, Call("sub", (Call("date_trunc", (_, moment)), Literal(timedelta() as oldest))))):
            return oldest if moment == _NOW else None
        case _:
            return None
