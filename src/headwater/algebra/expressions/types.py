"""What the algebra must know about Spark's types: which sums are exact, and the types of sums and averages.

A sum of integers or decimals can be kept by adding, because addition of exact numbers has no order and can
be undone.  A sum of floats cannot: rounding would drift away from a recompute with every push.

Partial sums.  Integers up to `int` are added as bigint, which cannot overflow below 2^32 rows in a group.
A bigint or a decimal(p,s) is added as decimal(38,0) or decimal(38,s), the widest that Spark has: a sum of
bigints may leave bigint for a while, while a delta is merged, and come back.  The cast back to Spark's own
result type stands in the finish, so an overflow fails the read exactly when Spark's own sum would fail.
"""

from __future__ import annotations

import re

__all__ = ["average_type", "decimal_of", "exact_average", "is_exact", "sum_state_type", "sum_type"]

_SMALL = {"tinyint", "smallint", "int", "byte", "short", "integer"}
_LARGE = {"bigint", "long"}
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")


def decimal_of(spark_type: str) -> tuple[int, int] | None:
    """(precision, scale) of a decimal type, None for another type; Spark's plain `decimal` is (10, 0)."""
    match = _DECIMAL.fullmatch(spark_type.strip().lower())
    return None if match is None else (int(match[1] or 10), int(match[2] or 0))


def is_exact(spark_type: str) -> bool:
    """Can values of this type be added and subtracted without rounding?"""
    return spark_type.lower() in _SMALL | _LARGE or decimal_of(spark_type) is not None


def sum_state_type(spark_type: str) -> str:
    """The type in which the values are added; Spark's sum over it has the same type again."""
    if spark_type.lower() in _SMALL:
        return "bigint"
    decimal = decimal_of(spark_type)
    return f"decimal(38,{decimal[1] if decimal else 0})"


def sum_type(spark_type: str) -> str:
    """The type of Spark's sum over exact values."""
    decimal = decimal_of(spark_type)
    return "bigint" if decimal is None else f"decimal({min(38, decimal[0] + 10)},{decimal[1]})"


def average_type(spark_type: str) -> str:
    """The type of Spark's avg over exact values."""
    decimal = decimal_of(spark_type)
    if decimal is None:
        return "double"
    return f"decimal({min(38, decimal[0] + 4)},{min(38, decimal[1] + 4)})"


def exact_average(spark_type: str) -> bool:
    """Does sum / count, written in SQL, give what avg gives?

    Dividing a decimal(p + 10, s) leaves 38 - p - 10 + s digits after the point, and avg has s + 4: up to
    p = 18 there are six digits to spare, and rounding twice is rounding once for groups below a million rows
    (above, a difference needs a quotient within 10^-6 of a tie).  Wider decimals are aggregated anew instead.
    """
    decimal = decimal_of(spark_type)
    return is_exact(spark_type) and (decimal is None or decimal[0] <= 18)
