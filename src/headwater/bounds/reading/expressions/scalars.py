"""Functions that the store computes: casts, parts of times, and a few of numbers and texts.

Everything else is opaque: an index or a view may hold it if it is immutable, but only a database that knows
the function can answer the query.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Expr, Literal
from headwater.algebra.expressions.types import decimal_of
from headwater.algebra.expressions.values import cast_value
from headwater.bounds.reading.expressions.comparable import TypeOf, kind_of
from headwater.bounds.reading.expressions.opaque import Inner
from headwater.errors import InputError

__all__ = ["known_scalar"]

_PARTS_OF_TIMES: dict[type[exp.Expr], str] = {
    exp.Year: "year", exp.Month: "month", exp.Day: "day", exp.DayOfMonth: "day", exp.Quarter: "quarter",
    exp.Hour: "hour", exp.Minute: "minute", exp.Second: "second",
}  # fmt: skip
_FUNCTIONS: dict[type[exp.Expr], tuple[str, tuple[str, ...]]] = {
    exp.Nullif: ("nullif", ("this", "expression")),
    exp.Floor: ("floor", ("this",)),
    exp.Ceil: ("ceil", ("this",)),
    exp.Round: ("round", ("this", "decimals")),
    exp.Left: ("left", ("this", "expression")),
    exp.Right: ("right", ("this", "expression")),
    exp.Substring: ("substring", ("this", "start", "length")),
}
_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_CASTABLE = ("tinyint", "smallint", "int", "bigint", "double", "string", "boolean", "date", "timestamp")
_FOLDED = ("tinyint", "smallint", "int", "bigint", "boolean")  # a constant of these is written as it is


def known_scalar(node: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr | None:
    """The node as a call that the evaluator knows, or None."""
    if isinstance(node, exp.Cast) and not node.args.get("format"):
        return _cast(node, inner, type_of)
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        return _truncated(node, inner, type_of)
    if type(node) in _PARTS_OF_TIMES:
        return _part_of_time(_PARTS_OF_TIMES[type(node)], node.this, inner, type_of)
    if isinstance(node, exp.TsOrDsAdd | exp.TsOrDsToDate | exp.DateDiff):
        return _of_days(node, inner, type_of)
    if isinstance(node, exp.Extract):
        return _extracted(node, inner, type_of)
    if isinstance(node, exp.Greatest | exp.Least):
        return _called(node.key, *map(inner, (node.this, *node.expressions)))
    name, keys = _FUNCTIONS.get(type(node), ("", ()))
    arguments = [node.args[key] for key in keys if node.args.get(key) is not None]
    others = [key for key, value in node.args.items() if key not in keys and value]
    if not name or others or not all(isinstance(argument, exp.Expr) for argument in arguments):
        return None
    return _called(name, *map(inner, arguments))


def _called(name: str, *arguments: Expr) -> Expr:
    slots = ", ".join(f"{{{number}}}" for number in range(len(arguments)))
    return Call(name, arguments, f"{name.upper()}({slots})")


def _cast(node: exp.Cast, inner: Inner, type_of: TypeOf) -> Expr | None:
    """A value that does not fit is NULL: a plan may cast rows that another condition excludes."""
    spark_type = node.to.sql("spark").lower()
    value = inner(node.this)
    if spark_type == "string" and kind_of(value, type_of) == "text":
        return value
    if spark_type not in _CASTABLE and decimal_of(spark_type) is None:
        return None
    if isinstance(value, Literal) and value.value is not None and spark_type in _FOLDED:
        try:
            constant = cast_value(value.value, spark_type)
        except InputError:
            return None
        return Literal(constant, str(constant).upper())
    return Call("trycast", (value,), f"TRY_CAST({{0}} AS {spark_type.upper()})")


def _truncated(node: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr | None:
    unit = node.args.get("unit")
    name = unit.name.lower() if isinstance(unit, exp.Var | exp.Literal) else ""
    value = inner(node.this)
    if name not in _UNITS or kind_of(value, type_of) != "time" or node.args.get("zone"):
        return None
    assert unit is not None
    inner.note(unit)
    return Call("datetrunc", (Literal(name, f"'{name}'"), value), "DATE_TRUNC({0}, {1})")


def _of_days(node: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr | None:
    """Spark's date_add, date_sub, to_date and datediff, of times."""
    unit = node.args.get("unit")
    known = {"this", "expression", "unit", "safe"}
    if (unit is not None and unit.name.upper() != "DAY") or any(
        value for key, value in node.args.items() if key not in known
    ):
        return None
    value = inner(node.this)
    if kind_of(value, type_of) != "time":
        return None
    if unit is not None:
        inner.note(unit)
    if isinstance(node, exp.TsOrDsToDate):
        return Call("todate", (value,), "TO_DATE({0})")
    other = inner(node.expression)
    if isinstance(node, exp.TsOrDsAdd):
        return Call("dateadd", (value, other), "DATE_ADD({0}, {1})")
    is_time = kind_of(other, type_of) == "time"
    return Call("datediff", (value, other), "DATEDIFF({0}, {1})") if is_time else None


def _extracted(node: exp.Extract, inner: Inner, type_of: TypeOf) -> Expr | None:
    """EXTRACT(YEAR FROM at); seconds have fractions there."""
    unit = node.this.name.lower()
    if unit not in _PARTS_OF_TIMES.values() or unit == "second":
        return None
    inner.note(node.this)
    return _part_of_time(unit, node.expression, inner, type_of)


def _part_of_time(name: str, node: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr | None:
    inner.note(node)
    if isinstance(node, exp.TsOrDsToDate):  # YEAR(at) of MySQL and SQL Server
        inner.note(*node.find_all(exp.Literal))
        node = node.this
    value = inner(node)
    return _called(name, value) if kind_of(value, type_of) == "time" else None
