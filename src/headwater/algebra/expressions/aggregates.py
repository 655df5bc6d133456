"""Aggregate functions over the weighted rows of one group, as the evaluator computes them.

count and exact sums are linear: a row counts by its weight, which may be negative, so they also give the
partial states of a delta.  Every other function needs a true group: positive weights, a row of weight 3
standing for three copies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import cmp_to_key

from headwater.algebra.expressions.compile import compile_row, holds
from headwater.algebra.expressions.functions import plain
from headwater.algebra.expressions.nodes import AggregateCall
from headwater.algebra.expressions.types import decimal_of
from headwater.algebra.expressions.values import Row, Value, compare
from headwater.errors import InputError, InternalError, did_you_mean

__all__ = ["Weighted", "aggregate", "aggregator"]

Weighted = list[tuple[Row, int]]
_ORDER = cmp_to_key(compare)


def aggregator(call: AggregateCall, columns: tuple[str, ...]) -> Callable[[Weighted], Value]:
    """The aggregate as a function of the rows of a group."""
    _function(call)  # an unknown one is refused here, before there are rows
    passes = holds(call.where, columns)
    arguments = compile_row(call.arguments, columns)
    return lambda rows: aggregate(call, [(arguments(row), weight) for row, weight in rows if passes(row)])


def aggregate(call: AggregateCall, values: Weighted) -> Value:
    """The aggregate of the values that its arguments have in the rows of a group, each with its weight."""
    present = [pair for pair in values if None not in pair[0]]
    return _function(call)(_distinct(present) if call.distinct else present, call.type)


def _function(call: AggregateCall) -> Callable[[Weighted, str], Value]:
    function = plain(call.function)
    if function not in _FUNCTIONS:
        hint = did_you_mean(function, _FUNCTIONS)
        raise InputError("HW916", f'the evaluator does not know the aggregate "{function}"', hint=hint)
    return _FUNCTIONS[function]


def _distinct(values: Weighted) -> Weighted:
    return [(value, 1) for value in dict.fromkeys(value for value, _ in _positive(values))]


def _positive(values: Weighted) -> Weighted:
    if any(weight < 0 for _, weight in values):
        raise InternalError("HW903", "an aggregate that is not linear met a row with a negative weight")
    return values


def _count(values: Weighted, _: str) -> Value:
    return sum(weight for _, weight in values)


def _sum(values: Weighted, _: str) -> Value:
    if not values:
        return None
    if isinstance(values[0][0][0], float):
        return _float_sum(_copies(values))
    return sum(value * weight for (value,), weight in values)


def _float_sum(values: Iterable[float]) -> float:
    """Correctly rounded, so the order of the rows does not matter."""
    numbers = list(values)
    if all(map(math.isfinite, numbers)):
        return math.fsum(numbers)
    total = sum(numbers)
    return math.nan if total != total else total


def _copies(values: Weighted) -> list[Value]:
    """The argument of each row, as often as its weight says."""
    return [value for (value,), weight in _positive(values) for _ in range(weight)]


def _average(values: Weighted, spark_type: str) -> Value:
    count = sum(weight for _, weight in values)
    if not count:
        return None
    total = _sum(values, spark_type)
    if not isinstance(total, Decimal):
        return total / count
    decimal = decimal_of(spark_type)
    quotient = total / count
    if decimal is None:
        return quotient
    return quotient.quantize(Decimal(1).scaleb(-min(38, decimal[1] + 4)), rounding=ROUND_HALF_UP)


def _minimum(values: Weighted, _: str) -> Value:
    return min((value for (value,), _ in _positive(values)), key=_ORDER, default=None)


def _maximum(values: Weighted, _: str) -> Value:
    return max((value for (value,), _ in _positive(values)), key=_ORDER, default=None)


def _of_sign(extreme: Callable[[Weighted, str], Value], sign: int) -> Callable[[Weighted, str], Value]:
    """An extreme of the rows of a change that come (sign 1), or that go (-1)."""

    def apply(values: Weighted, spark_type: str) -> Value:
        return extreme([(value, 1) for value, weight in values if weight * sign > 0], spark_type)

    return apply


def _left(values: Weighted, _: str) -> Value:
    """The only value that is not taken back."""
    return next((value for (value,), weight in values if weight > 0), None)


def _variance(lost: int, root: bool) -> Callable[[Weighted, str], Value]:
    """Over n - lost, NULL when that is not positive (Spark's rule for one row and for none)."""

    def apply(values: Weighted, _: str) -> Value:
        numbers = [float(value) for value in _copies(values)]
        count = len(numbers)
        if count <= lost:
            return None
        mean = math.fsum(numbers) / count
        variance = math.fsum((number - mean) ** 2 for number in numbers) / (count - lost)
        return math.sqrt(variance) if root else variance

    return apply


def _merged_average(values: Weighted, _: str) -> Value:
    """The average of a whole, from sums and counts of its parts."""
    count = sum(part[1] * weight for part, weight in values)
    return _float_sum(part[0] for part, weight in values for _ in range(weight)) / count if count else None


def _merged_variance(root: bool) -> Callable[[Weighted, str], Value]:
    """The variance of a whole, from counts, means and population variances of its parts.

    It is the spread within the parts and that of their means.
    """

    def apply(values: Weighted, _: str) -> Value:
        parts = [part for part, weight in _positive(values) for _ in range(weight)]
        count = sum(number for number, _, _ in parts)
        if count <= 1:
            return None
        mean = math.fsum(number * average for number, average, _ in parts) / count
        spread = math.fsum(number * (within + (average - mean) ** 2) for number, average, within in parts)
        variance = spread / (count - 1)
        return math.sqrt(variance) if root else variance

    return apply


def _all(values: Weighted, _: str) -> Value:
    return all(value for (value,), _ in _positive(values)) if values else None


def _any(values: Weighted, _: str) -> Value:
    return any(value for (value,), _ in _positive(values)) if values else None


def _count_if(values: Weighted, _: str) -> Value:
    return sum(weight for (value,), weight in values if value)


_FUNCTIONS: dict[str, Callable[[Weighted, str], Value]] = {
    "count": _count,
    "countif": _count_if,
    "sum": _sum,
    "avg": _average,
    "mean": _average,
    "min": _minimum,
    "max": _maximum,
    **dict.fromkeys(("booland", "every", "logicaland"), _all),
    **dict.fromkeys(("boolor", "any", "some", "logicalor"), _any),
    **{name: _variance(1, root=False) for name in ("varsamp", "variance")},
    **{name: _variance(0, root=False) for name in ("varpop", "variancepop")},
    **{name: _variance(1, root=True) for name in ("stddev", "stddevsamp", "std")},
    "stddevpop": _variance(0, root=True),
    "gainedmin": _of_sign(_minimum, 1),
    "gainedmax": _of_sign(_maximum, 1),
    "lostmin": _of_sign(_minimum, -1),
    "lostmax": _of_sign(_maximum, -1),
    "left": _left,
    "mergedaverage": _merged_average,
    "mergedvariance": _merged_variance(root=False),
    "mergeddeviation": _merged_variance(root=True),
}
