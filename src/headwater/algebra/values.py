"""Z-sets and SQL values in plain Python.

A Z-set is a dict from row to weight without zeros; a row is a tuple of values.  NULL is None, a decimal is
a Decimal, a timestamp a datetime, a struct a tuple.  NaN is always the one object `math.nan`, because Spark
holds NaN equal to NaN and Python's dicts do so only for one and the same object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

from headwater.algebra.types import decimal_of
from headwater.errors import InputError

__all__ = ["EXACT", "Row", "Value", "ZSet", "add", "cast_value", "compare", "consolidate", "negate", "zset"]

Value = Any  # a Python value of a SQL type: the evaluator is as untyped as a row is
Row = tuple[Value, ...]
ZSet = dict[Row, int]

# Wide enough for any product or sum of two decimal(38) values; Spark rounds half up.
EXACT = Context(prec=120, rounding=ROUND_HALF_UP)

_INTEGERS = {"tinyint": 8, "byte": 8, "smallint": 16, "short": 16, "int": 32, "integer": 32, "bigint": 64,
             "long": 64}  # fmt: skip
_TRUE, _FALSE = {"t", "true", "y", "yes", "1"}, {"f", "false", "n", "no", "0"}


def zset(rows: Iterable[Row]) -> ZSet:
    """The Z-set of some rows, each with weight one."""
    return consolidate((row, 1) for row in rows)


def consolidate(pairs: Iterable[tuple[Row, int]]) -> ZSet:
    """Add up the weights of equal rows and drop the rows that come to zero."""
    total: ZSet = {}
    for row, weight in pairs:
        total[row] = total.get(row, 0) + weight
    return {row: weight for row, weight in total.items() if weight}


def add(*zsets: Mapping[Row, int]) -> ZSet:
    return consolidate(pair for one in zsets for pair in one.items())


def negate(one: Mapping[Row, int]) -> ZSet:
    return {row: -weight for row, weight in one.items()}


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1 for two values that are not NULL; NaN is equal to itself and above every number."""
    if left == right or (left is math.nan and right is math.nan):
        return 0
    if left is math.nan or right is math.nan:
        return 1 if left is math.nan else -1
    if isinstance(left, tuple):  # structs: field by field, NULL first
        for one, other in zip(left, right, strict=True):
            if one is None or other is None:
                order = (other is None) - (one is None)
            else:
                order = compare(one, other)
            if order:
                return order
        return 0
    return -1 if left < right else 1


def cast_value(value: Value, spark_type: str) -> Value:
    """CAST as Spark does it for the common types; a value that does not fit is an error (ANSI)."""
    if value is None:
        return None
    kind = spark_type.strip().lower()
    try:
        return _cast(value, kind)
    except (ValueError, ArithmeticError) as error:
        raise InputError("HW910", f"cannot cast {value!r} to {kind}") from error


def _cast(value: Value, kind: str) -> Value:
    decimal = decimal_of(kind)
    if decimal is not None:
        return _to_decimal(value, *decimal)
    if kind in _INTEGERS:
        return _to_integer(value, _INTEGERS[kind])
    if kind in ("double", "float", "real"):
        number = float(value)
        return math.nan if number != number else number
    if kind in ("string", "text") or kind.startswith(("varchar", "char")):
        return _to_text(value)
    if kind == "boolean":
        return _to_boolean(value)
    if kind == "date":
        return value.date() if isinstance(value, datetime) else _date(value)
    if kind in ("timestamp", "timestamp_ntz", "timestamp_ltz"):
        return _to_timestamp(value)
    raise InputError("HW911", f"the evaluator cannot cast to {kind}")


def _to_decimal(value: Value, precision: int, scale: int) -> Decimal:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    with localcontext(EXACT):
        result = exact.quantize(Decimal(1).scaleb(-scale))
    if result.adjusted() >= precision - scale and result:
        raise ValueError("too large")
    return result


def _to_integer(value: Value, bits: int) -> int:
    number = int(Decimal(value.strip())) if isinstance(value, str) else int(value)
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ValueError("too large")
    return number


def _to_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(sep=" ")
        return re.sub(r"(\.\d*?)0+$", r"\1", text)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)


def _to_boolean(value: Value) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        if word not in _TRUE | _FALSE:
            raise ValueError("not a boolean")
        return word in _TRUE
    return bool(value)


def _date(value: Value) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value.strip()[:10])


def _to_timestamp(value: Value) -> datetime:
    if isinstance(value, str):
        return datetime.fromisoformat(value.strip())
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
