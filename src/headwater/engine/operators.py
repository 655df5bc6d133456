"""Operators over Z-sets as Spark DataFrames: each an equation, none with an action or a setting.

A frame has the columns of its plan node and `_weight`.  Frames are not consolidated unless an operator
needs it: the same row may come several times, its weight is the sum.

Expressions are SQL text (columns.py says why), so each works on any kind of Spark.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater.algebra.expressions import Expr, spark_sql
from headwater.algebra.nodes import AggregateCall, JoinKind, Windows
from headwater.algebra.types import decimal_of
from headwater.clock import micros
from headwater.engine.columns import broadcast, column, quoted
from headwater.storage.timeline import WEIGHT

__all__ = [
    "aggregate_rows",
    "aggregate_weighted",
    "consolidate",
    "expand",
    "inner_join",
    "negate",
    "outer_join",
    "project",
    "quoted",
    "restrict",
    "semi_join",
    "weighted",
    "windows",
]

# Decimals with more digits behind the point lose some when they are multiplied by a bigint.
EXACT_SCALE = 6
_RIGHT_WEIGHT = "_right_weight"
# Functions that give the same answer however often a row occurs.
DUPLICATE_BLIND = {"min", "max", "bool_and", "bool_or", "every", "any", "some", "logical_and", "logical_or"}


def named(name: str) -> Column:
    """A column by its exact name, of our own Spark only: `quoted` names it on any."""
    return F.col(quoted(name))


def sql(expr: Expr) -> Column:
    """An expression, of our own Spark only: `columns.column` makes it for any."""
    return F.expr(spark_sql(expr))


def matching(frame: DataFrame, condition: Expr) -> Column:
    """A join's condition, for the frame's kind of Spark."""
    return column(frame, spark_sql(condition))


def project(frame: DataFrame, items: Sequence[tuple[str, Expr]]) -> DataFrame:
    return frame.selectExpr(*(f"{spark_sql(expr)} AS {quoted(name)}" for name, expr in items), WEIGHT)


def windows(frame: DataFrame, node: Windows) -> DataFrame:
    size, slide, offset = (f"'{micros(part)} microseconds'" for part in (node.size, node.slide, node.offset))
    window = f"window({spark_sql(node.time)}, {size}, {slide}, {offset}) AS {quoted(node.name)}"
    return frame.selectExpr(*map(quoted, node.child.columns), window, WEIGHT)


def inner_join(left: DataFrame, right: DataFrame, condition: Expr | None) -> DataFrame:
    """Weights multiply, so (a + b) join c = (a join c) + (b join c)."""
    columns = [quoted(name) for name in (*left.columns, *right.columns) if name != WEIGHT]
    right = right.withColumnRenamed(WEIGHT, _RIGHT_WEIGHT)
    pairs = (
        left.crossJoin(right) if condition is None else left.join(right, matching(left, condition), "inner")
    )
    return pairs.selectExpr(*columns, f"{WEIGHT} * {_RIGHT_WEIGHT} AS {WEIGHT}")


def outer_join(left: DataFrame, right: DataFrame, condition: Expr, kind: JoinKind) -> DataFrame:
    """The side that may be missing must be consolidated: a row whose weights cancel is no partner."""
    right = right.withColumnRenamed(WEIGHT, _RIGHT_WEIGHT)
    pairs = left.join(right, matching(left, condition), kind.value)
    columns = [quoted(name) for name in pairs.columns if name not in (WEIGHT, _RIGHT_WEIGHT)]
    both = f"coalesce({WEIGHT}, 1) * coalesce({_RIGHT_WEIGHT}, 1) AS {WEIGHT}"
    return pairs.selectExpr(*columns, both)


def semi_join(left: DataFrame, right: DataFrame, condition: Expr, anti: bool) -> DataFrame:
    return left.join(right.drop(WEIGHT), matching(left, condition), "left_anti" if anti else "left_semi")


def restrict(frame: DataFrame, keys: Sequence[Expr], by: DataFrame, by_columns: Sequence[str]) -> DataFrame:
    """The rows whose keys occur in `by`; NULL matches NULL."""
    if not keys:
        return frame.join(broadcast(by.selectExpr("1 AS _any").limit(1)), how="left_semi")
    names = [f"_key{index}" for index in range(len(keys))]
    wanted = by.selectExpr(*(f"{quoted(one)} AS {name}" for one, name in zip(by_columns, names, strict=True)))
    alike = (f"({spark_sql(key)} <=> {name})" for key, name in zip(keys, names, strict=True))
    return frame.join(wanted, column(frame, " AND ".join(alike)), "left_semi")


def negate(frame: DataFrame) -> DataFrame:
    columns = [quoted(column) for column in frame.columns if column != WEIGHT]
    return frame.selectExpr(*columns, f"-{WEIGHT} AS {WEIGHT}")


def consolidate(frame: DataFrame) -> DataFrame:
    """Every distinct row once, with the sum of its weights, if that is not zero."""
    columns = [quoted(column) for column in frame.columns if column != WEIGHT]
    total = column(frame, f"coalesce(sum({WEIGHT}), 0) AS {WEIGHT}")
    summed = frame.groupBy(*columns).agg(total) if columns else frame.agg(total)
    return summed.where(f"{WEIGHT} <> 0")


def expand(frame: DataFrame) -> DataFrame:
    """Each row as often as its weight says, every one with weight 1."""
    columns = [quoted(name) for name in frame.columns if name != WEIGHT]
    copies = f"explode(array_repeat(1L, CAST({WEIGHT} AS INT))) AS {WEIGHT}"
    return frame.where(f"{WEIGHT} > 0").selectExpr(*columns, copies)


def weighted(one: AggregateCall) -> bool:
    """Whether a function is a sum over rows that weights can scale: count and exact sums."""
    return one.function in {"count", "sum"} and not one.distinct


def aggregate_weighted(
    frame: DataFrame, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]
) -> DataFrame:
    """Counts and exact sums, each row counted by its weight, which may be negative."""
    wide = any((decimal_of(one.type) or (0, 0))[1] > EXACT_SCALE for one in calls)
    sums = [_weighted_sum(one, wide) for one in calls]
    return _grouped(_as_ones(frame) if wide else frame, keys, calls, sums)


def _weighted_sum(one: AggregateCall, wide: bool) -> str:
    """`wide`: the weights are 1 or -1."""
    values = [f"({spark_sql(argument)})" for argument in one.arguments]
    present = [] if one.where is None else [f"({spark_sql(one.where)})"]
    if one.function == "count":
        present += [f"{value} IS NOT NULL" for value in values]
        return f"coalesce(sum({_when(present, WEIGHT)}), 0L)"
    value = values[0]
    scaled = f"CASE WHEN {WEIGHT} < 0 THEN -{value} ELSE {value} END" if wide else f"{value} * {WEIGHT}"
    return f"sum({_when(present, scaled)})"


def _when(conditions: Sequence[str], value: str) -> str:
    return f"CASE WHEN {' AND '.join(conditions)} THEN {value} END" if conditions else value


def aggregate_rows(
    frame: DataFrame, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]
) -> DataFrame:
    """Any of Spark's aggregates over rows that each stand for themselves (consolidated and expanded)."""
    outputs = []
    for one in calls:
        text = one.template.format(*(spark_sql(argument) for argument in one.arguments))
        if one.where is not None:
            text += f" FILTER (WHERE {spark_sql(one.where)})"
        outputs.append(text)
    return _grouped(frame, keys, calls, outputs)


def _as_ones(frame: DataFrame) -> DataFrame:
    """Each change as often as its weight says, with weight 1 or -1.

    Spark cuts digits off the product of a wide decimal and a weight, but not off their sum.
    """
    columns = [quoted(name) for name in frame.columns if name != WEIGHT]
    ones = f"explode(array_repeat(CAST(signum({WEIGHT}) AS BIGINT), CAST(abs({WEIGHT}) AS INT))) AS {WEIGHT}"
    return frame.selectExpr(*columns, ones)


def _grouped(
    frame: DataFrame, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall], outputs: Sequence[str]
) -> DataFrame:
    groups = [f"{spark_sql(expr)} AS {quoted(name)}" for name, expr in keys]
    if not outputs:
        return frame.selectExpr(*groups).distinct().selectExpr("*", f"1L AS {WEIGHT}")
    results = [
        column(frame, f"{text} AS {quoted(one.name)}") for one, text in zip(calls, outputs, strict=True)
    ]
    by = [column(frame, text) for text in groups]
    grouped = frame.groupBy(*by).agg(*results) if by else frame.agg(*results)
    return grouped.selectExpr("*", f"1L AS {WEIGHT}")
