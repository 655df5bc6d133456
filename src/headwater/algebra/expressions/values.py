"""SQL values in plain Python: comparing them and casting them as Spark does.

NULL is None, a decimal is a Decimal, a timestamp a datetime, a struct a tuple, a row a tuple of values.  NaN
is always the one object `math.nan`, because Spark holds NaN equal to NaN and Python's dicts do so only for
one and the same object.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

from headwater.algebra.expressions.types import decimal_of
from headwater.errors import InputError

__all__ = ["EXACT", "Months", "Row", "Value", "as_text", "cast_value", "compare", "same"]

Value = Any  # a Python value of a SQL type: the evaluator is as untyped as a row is
Row = tuple[Value, ...]

# Wide enough for any product or sum of two decimal(38) values; Spark rounds half up.
EXACT = Context(prec=120, rounding=ROUND_HALF_UP)

_INTEGERS = {"tinyint": 8, "byte": 8, "smallint": 16, "short": 16, "int": 32, "integer": 32, "bigint": 64,
             "long": 64}  # fmt: skip
_TRUE, _FALSE = {"t", "true", "y", "yes", "1"}, {"f", "false", "n", "no", "0"}


@dataclass(frozen=True, slots=True)
class Months:
    """An interval without a fixed length: a month before the last of March is the last of February."""

    count: int

    def __radd__(self, moment: Value) -> Value:
        year, month = divmod(moment.year * 12 + moment.month - 1 + self.count, 12)
        return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))

    def __rsub__(self, moment: Value) -> Value:
        return moment + Months(-self.count)


def same(left: Value, right: Value) -> bool:
    """Are two values that are not NULL equal?  NaN is equal to itself."""
    if isinstance(left, str) is not isinstance(right, str):
        left, right = _alike(left, right), _alike(right, left)
    return bool(left == right) or (left is math.nan and right is math.nan)


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1 for two values that are not NULL; NaN is equal to itself and above every number."""
    if isinstance(left, str) is not isinstance(right, str):
        left, right = _alike(left, right), _alike(right, left)
    if same(left, right):
        return 0
    if left is math.nan or right is math.nan:
        return 1 if left is math.nan else -1
    if isinstance(left, tuple):  # structs: field by field, NULL first
        for first, second in zip(left, right, strict=True):
            if first is None or second is None:
                order = (second is None) - (first is None)
            else:
                order = compare(first, second)
            if order:
                return order
        return 0
    return -1 if left < right else 1


def _alike(value: Value, other: Value) -> Value:
    """A text that is compared with a time or a number, as Spark reads it."""
    match value, other:
        case str(), datetime():
            return _to_timestamp(value).replace(tzinfo=other.tzinfo)
        case str(), date():
            return _date(value)
        case str(), bool():
            return _to_boolean(value)
        case str(), int():
            return cast_value(value, "bigint")
        case str(), float() | Decimal():
            return cast_value(value, "double")
        case Decimal(), str():
            return float(value)
        case _:
            return value


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
        return as_text(value)
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


def as_text(value: Value) -> str:
    """A value as Spark casts it to a string."""
    if isinstance(value, str):
        return value
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
