"""Frames of window functions: ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, and the like by RANGE.

What Spark refuses when the view runs is refused here: a frame that ends before it begins, a distance that the
order does not have, a frame of a function that has its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.tree import Literal, spark_sql
from headwater.algebra.plans.framing import Bound, Edge, Frame
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["check_framed", "read_frame"]

_SIDES = {"PRECEDING": Edge.BEFORE, "FOLLOWING": Edge.AFTER}
_SO_FAR = Frame(True, Bound(Edge.START), Bound(Edge.CURRENT))
_RANKS = {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}
# The families of what RANGE may go back or forth by, for each that an order may have.
_DISTANCES = {"number": {"number", "interval"}, "date": {"number", "interval"}, "timestamp": {"interval"}}


def read_frame(reader: Expressions, spec: exp.Expr, order: Sequence[Typed]) -> Frame:
    """A frame as it is written, over rows in this order."""
    kind = str(spec.args.get("kind") or "RANGE").upper()
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        reader.notes.fail("HW306", spec, "a frame is given by ROWS or RANGE, as in Spark")
    start, from_ = _bound(reader, spec, "start")
    end, to = _bound(reader, spec, "end") if spec.args.get("end") is not None else (Bound(Edge.CURRENT), None)
    frame = Frame(kind == "ROWS", start, end)
    distances = [value for value in (from_, to) if value is not None]
    if not frame.rows:
        _check_range(reader.notes, spec, order, distances)
    if start.offset is not None and end.offset is not None and _months(start) != _months(end):
        reader.notes.fail(
            "HW306", spec, "a frame is either in months and years or in days and less, as in Spark"
        )
    if start.edge is Edge.END or end.edge is Edge.START or _ends_first(start, end):
        reader.notes.fail("HW306", spec, "this frame ends before it begins")
    return frame


def _check_range(notes: Notes, spec: exp.Expr, order: Sequence[Typed], distances: Sequence[Typed]) -> None:
    if not distances:
        return
    if len(order) != 1:
        notes.fail("HW306", spec, "a frame by RANGE with a distance needs one expression in ORDER BY")
    ordered = order[0].type
    allowed = _DISTANCES.get(family(ordered), set())
    for distance in distances:
        if ordered and family(distance.type) not in allowed:
            wanted = "an interval" if allowed else "no distance"
            notes.fail("HW306", spec, f"an order by a {ordered} takes {wanted} in RANGE, as in Spark")


def _ends_first(start: Bound, end: Bound) -> bool:
    """Does a distance lie behind the other?  CURRENT ROW AND 1 PRECEDING is an empty frame, as in Spark."""
    first, last = _place(start), _place(end)
    if first is None or last is None or isinstance(first, timedelta) != isinstance(last, timedelta):
        return False
    return bool(first > last)  # type: ignore[operator]


def _place(bound: Bound) -> int | float | Decimal | timedelta | None:
    if not isinstance(bound.offset, Literal) or isinstance(bound.offset.value, bool):
        return None
    value = bound.offset.value
    if not isinstance(value, int | float | Decimal | timedelta):
        return None
    return -value if bound.edge is Edge.BEFORE else value


def _months(bound: Bound) -> bool:
    return (
        bound.offset is not None and re.search(r"\b(MONTH|YEAR)", spark_sql(bound.offset), re.I) is not None
    )


def _bound(reader: Expressions, spec: exp.Expr, which: str) -> tuple[Bound, Typed | None]:
    """An edge, and its distance."""
    value, side = spec.args.get(which), str(spec.args.get(f"{which}_side") or "").upper()
    if value == "CURRENT ROW":
        return Bound(Edge.CURRENT), None
    if value == "UNBOUNDED":
        return Bound(Edge.START if side == "PRECEDING" else Edge.END), None
    if not isinstance(value, exp.Expr) or side not in _SIDES:
        reader.notes.fail("HW306", spec, "this frame is not understood")
    distance = reader.translate(value)
    return Bound(_SIDES[side], distance.expr), distance


def check_framed(notes: Notes, node: exp.Expr, name: str, frame: Frame | None, ordered: bool) -> None:
    """Functions that have a frame of their own, and those that take none, or want an order."""
    if frame is not None and (name in ("lag", "lead") or (name in _RANKS and frame != _SO_FAR)):
        notes.fail("HW306", node, f"{name} takes no frame, as in Spark", hint="leave ROWS or RANGE out")
    if name == "nth_value" and not ordered:
        notes.fail(
            "HW306", node, "nth_value needs an order, as in Spark", hint="nth_value(x, 2) OVER (ORDER BY ...)"
        )
    if name == "median" and (ordered or frame is not None):
        notes.fail(
            "HW306", node, "median takes whole partitions, as in Spark",
            hint="leave ORDER BY and the frame out of OVER (...)",
        )  # fmt: skip
