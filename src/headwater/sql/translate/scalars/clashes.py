"""Operations on types that Spark refuses, reported before anything runs.

Never stricter than Spark 4 in ANSI mode: an unknown type passes, a string passes wherever Spark would try
to read it as the other type, and what is not listed here is left to Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

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
    "check_cast",
    "check_common",
    "check_comparison",
    "check_days",
    "check_distinct",
    "check_order",
    "check_union",
]

_SCALAR = {"number", "string", "boolean", "date", "timestamp", "binary"}
_NESTED = {"array", "map", "struct"}
_TIMES = {"date", "timestamp"}
_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "DIV",
    exp.Neg: "-",
}


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
    """+, -, *, /, %: booleans, arrays, maps and structs have no arithmetic, times little."""
    for value in values:
        if family(value.type) in _NESTED | {"boolean", "binary"}:
            _clash(notes, node, f"there is no arithmetic on a {value.type}")
    _check_times(notes, node, values)
    for first, second in pairwise(values):
        if "number" in (family(first.type), family(second.type)):
            _refuse_unreadable(notes, node, first, second)


def _check_times(notes: Notes, node: exp.Expr, values: Sequence[Typed]) -> None:
    """A day plus days, a time plus an interval, the difference of two times: that is all that Spark has."""
    kinds = [family(value.type) for value in values]
    times = [value for value in values if family(value.type) in _TIMES]
    if not times or "" in kinds or "void" in kinds or (len(values) == 2 and "interval" in kinds):
        return
    if isinstance(node, exp.Sub) and set(kinds) <= {*_TIMES, "string"}:
        return
    days = [value for value in values if value.type in ("int", "smallint", "tinyint")]
    moved = isinstance(node, exp.Add) or (isinstance(node, exp.Sub) and kinds[0] == "date")
    if moved and times[0].type == "date" and len(days) == 1:
        return
    shown = " and ".join(f"a {value.type}" for value in values)
    hint = "add INTERVAL '1' DAY, or to a date a whole number of days: CAST(x AS INT)"
    _clash(notes, node, f"{_SIGNS.get(type(node), 'this')} does not take {shown} in Spark", hint)


def _refuse_unreadable(notes: Notes, node: exp.Expr, first: Typed, second: Typed) -> None:
    for text, other in ((first, second), (second, first)):
        if unreadable(text, other) and isinstance(text.expr, Literal):
            what = f"'{text.expr.value}' cannot be read as a {other.type}"
            hint = f"compare it with a {other.type}, or cast the other side to STRING"
            _clash(notes, node, what, hint)


def check_boolean(notes: Notes, node: exp.Expr, value: Typed, what: str) -> None:
    """AND, OR, NOT, WHERE, HAVING, ON, FILTER, CASE WHEN: only the first three read texts and NULL."""
    readable = set() if isinstance(node.parent, _ALONE) else {"string", "void"}
    if family(value.type) in {*_SCALAR, *_NESTED, "void"} - {"boolean"} - readable:
        shown = "NULL" if value.type == "void" else f"a {value.type}"
        _clash(notes, node, f"{what} needs a condition, not {shown}", "compare it with something")


_ALONE = (exp.Where, exp.Having, exp.Join, exp.If, exp.Qualify)


def check_common(notes: Notes, node: exp.Expr, function: str, values: Sequence[Typed]) -> None:
    """coalesce, CASE, array: one type for all; greatest and least do not even read texts."""
    for first, other in combinations(values, 2):
        kinds = {family(first.type), family(other.type)}
        apart = not _comparable(first.type, other.type) and not (len(kinds) == 1 and kinds <= _NESTED)
        if apart or (function in ("greatest", "least") and "string" in kinds and kinds & _OTHER_THAN_TEXT):
            _clash(
                notes, node, f"{function} of a {first.type} and a {other.type}: Spark has no type for both"
            )


_OTHER_THAN_TEXT = _SCALAR - {"string"}


def check_order(notes: Notes, node: exp.Expr, value: Typed) -> None:
    """ORDER BY a map."""
    if "map<" in value.type:
        hint = "order by map_entries(x), or by one of its values"
        _clash(notes, node, f"a {value.type} has no order", hint)


# What CAST refuses in ANSI mode, whatever the values.
_NO_CAST = {
    "boolean": {"date", "timestamp", "binary"}, "number": {"date", "binary"},
    "date": {"number", "boolean", "binary"}, "timestamp": {"boolean", "binary"},
    "binary": {"number", "boolean", "date", "timestamp"},
}  # fmt: skip
_CAST_HINTS = {("date", "number"): "write unix_date(x), datediff(x, y) or year(x)"}


def check_cast(notes: Notes, node: exp.Expr, value: Typed, kind: str) -> None:
    """CAST of a value to another type."""
    first, wanted = family(value.type), family(kind)
    if wanted in _NO_CAST.get(first, set()) or (value.type == "timestamp_ntz" and wanted == "number"):
        hint = _CAST_HINTS.get((first, wanted), f"cast it to STRING first, if that reads like a {kind}")
        _clash(notes, node, f"a {value.type} cannot be cast to a {kind}", hint)


# Spark adds up and averages timestamps, as seconds.
_NUMERIC_ONLY = {"sum", "avg", "stddev_samp", "stddev_pop", "var_samp", "var_pop", "try_sum", "try_avg"}
_BOOLEAN_ONLY = {"bool_and", "bool_or", "count_if"}


def check_aggregate(notes: Notes, node: exp.Expr, function: str, values: Sequence[Typed]) -> None:
    """sum(boolean), bool_and(number), max(map)."""
    if not values:
        return
    kind = family(values[0].type)
    if function in _NUMERIC_ONLY and kind in _NESTED | {"boolean", "binary", "date"}:
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


# Which argument of a function is a day or an instant.
_OF_A_TIME = {
    **dict.fromkeys(
        (
            "year", "month", "day", "dayofmonth", "dayofweek", "dayofyear", "weekday", "weekofyear",
            "quarter", "hour", "minute", "second", "last_day", "next_day", "date_format", "trunc",
            "add_months", "date_add", "date_sub", "datediff", "months_between", "dayname", "monthname",
            "unix_date",
        ),
        0,
    ),
    "date_trunc": 1,
}  # fmt: skip
_WHOLE_DAYS = ("date_add", "date_sub")


def check_days(notes: Notes, node: exp.Expr, function: str, values: Sequence[Typed]) -> None:
    """year(5), and date_add(day, INTERVAL ...), as other systems write it, or date_add(day, a bigint)."""
    at = _OF_A_TIME.get(function)
    if at is not None and at < len(values) and family(values[at].type) in ("number", "boolean", "binary"):
        _clash(notes, node, f"{function} takes a date or a timestamp in Spark, not a {values[at].type}")
    if function not in _WHOLE_DAYS or len(values) != 2:
        return
    if family(values[1].type) == "interval":
        hint = f"write x {'+' if function == 'date_add' else '-'} INTERVAL ..."
        _clash(notes, node, f"{function} takes a number of days in Spark, not an interval", hint)
    if family(values[1].type) == "number" and values[1].type not in ("int", "smallint", "tinyint"):
        message = f"{function} takes a number of days that is an INT in Spark, not a {values[1].type}"
        _clash(notes, node, message, "write CAST(x AS INT)")


def check_union(notes: Notes, node: exp.Expr, name: str, left: str, right: str) -> None:
    """The same column of two parts of a UNION."""
    first, second = family(left), family(right)
    if not _comparable(left, right) and not (first in _NESTED and first == second):
        _clash(
            notes, node, f'the column "{name}" is a {left} in one part of the union and a {right} in another'
        )
