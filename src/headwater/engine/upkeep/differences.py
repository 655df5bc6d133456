"""The rows in which two Z-sets differ, all of them, found and counted by Spark.

What is exactly equal cancels.  Of the rest, rows that agree but for the last digits of floating-point numbers
belong together, because a sum depends on the order in which Spark adds: rows that are equal in all other
columns are put in the order of their numbers on either side and compared one by one.  Numbers are alike if
they differ by less than a billionth of themselves, or by what rounding leaves when large numbers of the
column cancel (a million-millionth of its largest).  No number is too small to be compared.

Only what is left comes to Python, up to a limit: there it is compared each with each, since rounding may also
change the order of two rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import DataType, DoubleType, FloatType

from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.storage.as_python import as_python
from headwater.storage.timeline import WEIGHT

__all__ = ["Counted", "Differences", "differences", "exact_difference"]

LEFT = 2_000  # rows that are compared each with each in Python
SHOWN = 100  # rows of a larger difference
CANCELLED = 1e-12  # of a column's largest number
_ALIKE: Mapping[type[DataType], float] = {DoubleType: 1e-9, FloatType: 1e-6}
_NUMBER = "_number"

Counted = tuple[tuple[Any, ...], int]


@dataclass(frozen=True, slots=True)
class Differences:
    """How many rows are missing and extra, with copies; and these rows, or some of them."""

    missing_rows: int = 0
    extra_rows: int = 0
    missing: tuple[Counted, ...] = ()
    extra: tuple[Counted, ...] = ()


@dataclass(frozen=True, slots=True)
class _Floating:
    """A column of floating-point numbers: how far two may differ, relative to themselves and at least."""

    relative: float
    absolute: float

    def alike(self, left: Any, right: Any) -> bool:
        if not (isinstance(left, float) and isinstance(right, float)):
            return bool(left == right)
        both_nan = math.isnan(left) and math.isnan(right)
        return both_nan or math.isclose(left, right, rel_tol=self.relative, abs_tol=self.absolute)

    def condition(self, name: str) -> str:
        left, right = f"double(m.{quoted(name)})", f"double(e.{quoted(name)})"
        apart = f"abs({left} - {right})"
        allowed = f"greatest({self.relative!r}D * greatest(abs({left}), abs({right})), {self.absolute!r}D)"
        return f"({left} <=> {right} OR ({apart} < double('infinity') AND {apart} <= {allowed}))"


def exact_difference(expected: Query, stored: Query) -> Query:
    """What does not cancel."""
    return operators.consolidate(union([expected, operators.negate(stored)]))


def differences(inputs: Inputs, expected: Query, stored: Query) -> Differences:
    """What is expected and not stored, and what is stored and not expected."""
    frame = inputs.run(exact_difference(expected, stored)).persist()
    try:
        if frame.isEmpty():
            return Differences()
        floating = _floating(inputs, stored, {field.name: field.dataType for field in frame.schema})
        return _unlike(inputs, inputs.frame(frame), floating)
    finally:
        frame.unpersist()


def _floating(inputs: Inputs, stored: Query, types: Mapping[str, DataType]) -> dict[str, _Floating]:
    """The floating-point columns; how far their numbers may differ follows from the largest of each."""
    names = [name for name in stored.columns if type(types[name]) in _ALIKE]
    if not names:
        return {}
    sizes = (f"abs(double({quoted(name)}))" for name in names)
    largest = ", ".join(f"max(CASE WHEN {size} < double('infinity') THEN {size} END)" for size in sizes)
    row = inputs.spark.sql(f"SELECT {largest} FROM {stored.text}").collect()[0]
    return {
        name: _Floating(_ALIKE[type(types[name])], CANCELLED * (row[at] or 0.0))
        for at, name in enumerate(names)
    }


def _unlike(inputs: Inputs, exact: Query, floating: Mapping[str, _Floating]) -> Differences:
    """The rows of an exact difference that have none like them on the other side."""
    unlike = inputs.spark.sql(_pairs(exact, floating)).persist()
    try:
        view = inputs.frame(unlike).text
        missing, extra = inputs.spark.sql(f"SELECT count(_m), count(_e) FROM {view}").collect()[0]
        few = missing + extra <= LEFT
        sides = [_rows(inputs, view, side, exact.columns, LEFT if few else SHOWN) for side in ("m", "e")]
    finally:
        unlike.unpersist()
    if not few:
        return Differences(missing, extra, tuple(_counted(sides[0])), tuple(_counted(sides[1])))
    tests = [floating.get(name) for name in exact.columns]
    left, right = _unmatched(sides[0], sides[1], tests)
    return Differences(len(left), len(right), tuple(_counted(left)), tuple(_counted(right)))


def _pairs(exact: Query, floating: Mapping[str, _Floating]) -> str:
    """The rows of both sides without those that are alike.

    Rows that are equal in their exact columns are paired by their order.
    """
    keys = [name for name in exact.columns if name not in floating]
    equal = [f"m.{quoted(name)} <=> e.{quoted(name)}" for name in keys]
    on = " AND ".join([*equal, f"m.{_NUMBER} = e.{_NUMBER}"])
    alike = " AND ".join(["_m", "_e", *(test.condition(name) for name, test in floating.items())])
    sides = [_numbered(exact, keys, list(floating), sign) for sign in ("", "-")]
    columns = ", ".join(
        f"{side}.{quoted(name)} AS {side}{at}" for side in ("m", "e") for at, name in enumerate(exact.columns)
    )
    return (
        f"SELECT {columns}, _m, _e FROM (SELECT *, true AS _m FROM {sides[0]}) AS m"
        f" FULL OUTER JOIN (SELECT *, true AS _e FROM {sides[1]}) AS e ON {on}"
        f" WHERE NOT coalesce({alike}, false)"
    )


def _numbered(exact: Query, keys: Sequence[str], floating: Sequence[str], sign: str) -> str:
    """The rows of one side, each as often as it occurs, numbered among those with the same keys."""
    side = operators.expand(exact.named(exact.columns, f"{sign}{WEIGHT}", where=f"{sign}{WEIGHT} > 0"))
    # First by what is left of the numbers without their last digits.
    order = [f"float({quoted(name)})" for name in floating] + [quoted(name) for name in floating]
    within = f"PARTITION BY {', '.join(map(quoted, keys))} " if keys else ""
    number = f"row_number() OVER ({within}ORDER BY {', '.join(order) or '1'})"
    return f"(SELECT *, {number} AS {_NUMBER} FROM {side.text})"


def _rows(inputs: Inputs, view: str, side: str, names: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
    columns = ", ".join(f"{side}{at}" for at in range(len(names)))
    selected = inputs.spark.sql(f"SELECT {columns} FROM {view} WHERE _{side} IS NOT NULL LIMIT {limit}")
    return [tuple(row.values()) for row in as_python(selected.toArrow())]


def _unmatched(
    missing: Sequence[tuple[Any, ...]], extra: Sequence[tuple[Any, ...]], tests: Sequence[_Floating | None]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What remains after pairing rows that are alike."""
    remaining, unmatched = list(extra), []
    for row in missing:
        match = next((other for other in remaining if _alike(row, other, tests)), None)
        if match is None:
            unmatched.append(row)
        else:
            remaining.remove(match)
    return unmatched, remaining


def _alike(left: tuple[Any, ...], right: tuple[Any, ...], tests: Sequence[_Floating | None]) -> bool:
    return all(
        _nested_alike(one, other) if test is None else test.alike(one, other)
        for one, other, test in zip(left, right, tests, strict=True)
    )


def _nested_alike(left: Any, right: Any) -> bool:
    """Values that are no numbers, but may hold some."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_nested_alike, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_nested_alike(left[key], right[key]) for key in left)
    return _Floating(_ALIKE[DoubleType], 0.0).alike(left, right)


def _counted(rows: Sequence[tuple[Any, ...]]) -> list[Counted]:
    """Equal rows once, with their number."""
    counts: dict[str, Counted] = {}
    for row in rows:
        _, number = counts.get(repr(row), (row, 0))
        counts[repr(row)] = (row, number + 1)
    return list(counts.values())[:SHOWN]
