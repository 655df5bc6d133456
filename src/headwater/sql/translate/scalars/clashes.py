"""Operations on types that Spark refuses, reported before anything runs.

Never stricter than Spark 4 in ANSI mode: an unknown type passes, a string passes wherever Spark would try
to read it as the other type, and what is not listed here is left to Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from sqlglot import exp

from headwater.algebra.expressions.nodes import Literal
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.scalars.read_texts import unreadable
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

__all__ = [
    "check_aggregate",
    "check_arithmetic",
    "check_boolean",
    "check_comparison",
    "check_days",
    "check_distinct",
    "check_union",
]

_SCALAR = {"number", "string", "boolean", "date", "timestamp", "binary"}
_NESTED = {"array", "map", "struct"}
_TIMES = {"date", "timestamp"}


def _clash(notes: Notes, node: exp.Expr, message: str, hint: str = "") -> None:
    notes.fail("HW308", node, message, hint=hint or "use CAST to say what you mean")


def _comparable(left: str, right: str) -> bool:
    first, second = family(left), family(right)
    if not first or not second or "void" in (first, second) or first == second:
        return True
    if first not in _SCALAR | _NESTED or second not in _SCALAR | _NESTED:
        return True
    if "string" in (first, second):
        return first not in _NESTED and second not in _NESTED
    return {first, second} == _TIMES


def check_comparison(notes: Notes, node: exp.Expr, values: Sequence[Typed]) -> None:
    """=, <, IN, BETWEEN: both sides must be of one family, or text."""
    first = values[0]
    for other in values[1:]:
        if not _comparable(first.type, other.type):
            _clash(notes, node, f"a {first.type} cannot be compared with a {other.type}")
        _refuse_unreadable(notes, node, first, other)
    if family(first.type) == "map":
        _clash(notes, node, "maps cannot be compared")


def check_arithmetic(notes: Notes, node: exp.Expr, values: Sequence[Typed]) -> None:
    """+, -, *, /, %: booleans, arrays, maps and structs have no arithmetic."""
    for value in values:
        if family(value.type) in _NESTED | {"boolean", "binary"}:
            _clash(notes, node, f"there is no arithmetic on a {value.type}")
    for first, second in pairwise(values):
        if "number" in (family(first.type), family(second.type)):
            _refuse_unreadable(notes, node, first, second)


def _refuse_unreadable(notes: Notes, node: exp.Expr, first: Typed, second: Typed) -> None:
    for text, other in ((first, second), (second, first)):
        if unreadable(text, other) and isinstance(text.expr, Literal):
            what = f"'{text.expr.value}' cannot be read as a {other.type}"
            hint = f"compare it with a {other.type}, or cast the other side to STRING"
            _clash(notes, node, what, hint)


def check_boolean(notes: Notes, node: exp.Expr, value: Typed, what: str) -> None:
    """AND, OR, NOT, WHERE, HAVING, ON, FILTER, CASE WHEN."""
    if family(value.type) in (_SCALAR | _NESTED) - {"boolean", "string"}:
        _clash(notes, node, f"{what} needs a condition, not a {value.type}", "compare it with something")


# Spark averages timestamps, as seconds, but does not add them up.
_NUMERIC_ONLY = {"sum", "avg", "stddev_samp", "stddev_pop", "var_samp", "var_pop", "try_sum", "try_avg"}
_NO_SUM = {"sum", "try_sum"}
_BOOLEAN_ONLY = {"bool_and", "bool_or", "count_if"}


def check_aggregate(notes: Notes, node: exp.Expr, function: str, values: Sequence[Typed]) -> None:
    """sum(boolean), bool_and(number), max(map)."""
    if not values:
        return
    kind = family(values[0].type)
    if (function in _NUMERIC_ONLY and kind in _NESTED | {"boolean", "binary"}) or (
        function in _NO_SUM and kind == "date"
    ):
        _clash(notes, node, f"{function} needs numbers, not a {values[0].type}", "for booleans, use count_if")
    if function in _BOOLEAN_ONLY and kind in _NESTED | {"number", "date", "timestamp", "binary"}:
        _clash(
            notes, node, f"{function} needs a condition, not a {values[0].type}", "compare it with something"
        )
    if function in ("min", "max") and kind == "map":
        _clash(notes, node, f"{function} needs values with an order, not a {values[0].type}")


def check_distinct(notes: Notes, node: exp.Expr, columns: Iterable[tuple[str, str]]) -> None:
    """DISTINCT, UNION, INTERSECT and EXCEPT of maps: Spark groups by maps, but has none of these."""
    for name, kind in columns:
        if "map<" in kind:
            hint = "take map_entries(x), an array"
            _clash(notes, node, f'rows with the map "{name}" cannot be told apart', hint)


def check_days(notes: Notes, node: exp.Expr, function: str, values: Sequence[Typed]) -> None:
    """date_add(day, INTERVAL ...), as other systems write it."""
    if function in ("date_add", "date_sub") and len(values) == 2 and family(values[1].type) == "interval":
        sign = "+" if function == "date_add" else "-"
        hint = f"write x {sign} INTERVAL ..."
        _clash(notes, node, f"{function} takes a number of days in Spark, not an interval", hint)


def check_union(notes: Notes, node: exp.Expr, name: str, left: str, right: str) -> None:
    """The same column of two parts of a UNION."""
    first, second = family(left), family(right)
    if not _comparable(left, right) and not (first in _NESTED and first == second):
        _clash(
            notes, node, f'the column "{name}" is a {left} in one part of the union and a {right} in another'
        )
