"""Operators over Z-sets as Spark DataFrames: each an equation, none with an action or a setting.

A frame has the columns of its plan node and `_weight`.  Frames are not consolidated unless an operator
needs it: the same row may come several times, its weight is the sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater.algebra.expressions import Expr, spark_sql
from headwater.algebra.nodes import AggregateCall, JoinKind, Windows
from headwater.algebra.types import decimal_of
from headwater.clock import micros
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


def quoted(name: str) -> str:
    """A column's name as SQL writes it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def named(name: str) -> Column:
    """A column by its exact name. (One call into the JVM; a whole list is cheaper as SQL text.)"""
    return F.col(quoted(name))


def sql(expr: Expr) -> Column:
    return F.expr(spark_sql(expr))


def project(frame: DataFrame, items: Sequence[tuple[str, Expr]]) -> DataFrame:
    return frame.selectExpr(*(f"{spark_sql(expr)} AS {quoted(name)}" for name, expr in items), WEIGHT)


def windows(frame: DataFrame, node: Windows) -> DataFrame:
    size, slide, offset = (f"{micros(part)} microseconds" for part in (node.size, node.slide, node.offset))
    return frame.select(
        *map(named, node.child.columns),
        F.window(sql(node.time), size, slide, offset).alias(node.name),
        WEIGHT,
    )


def inner_join(left: DataFrame, right: DataFrame, condition: Expr | None) -> DataFrame:
    """Weights multiply, so (a + b) join c = (a join c) + (b join c)."""
    columns = [quoted(name) for name in (*left.columns, *right.columns) if name != WEIGHT]
    right = right.withColumnRenamed(WEIGHT, _RIGHT_WEIGHT)
    pairs = left.crossJoin(right) if condition is None else left.join(right, sql(condition), "inner")
    return pairs.selectExpr(*columns, f"{WEIGHT} * {_RIGHT_WEIGHT} AS {WEIGHT}")


def outer_join(left: DataFrame, right: DataFrame, condition: Expr, kind: JoinKind) -> DataFrame:
    """The side that may be missing must be consolidated: a row whose weights cancel is no partner."""
    right = right.withColumnRenamed(WEIGHT, _RIGHT_WEIGHT)
    pairs = left.join(right, sql(condition), kind.value)
    both = F.coalesce(named(WEIGHT), F.lit(1)) * F.coalesce(named(_RIGHT_WEIGHT), F.lit(1))
    return pairs.withColumn(WEIGHT, both).drop(_RIGHT_WEIGHT)


def semi_join(left: DataFrame, right: DataFrame, condition: Expr, anti: bool) -> DataFrame:
    return left.join(right.drop(WEIGHT), sql(condition), "left_anti" if anti else "left_semi")


def restrict(frame: DataFrame, keys: Sequence[Expr], by: DataFrame, by_columns: Sequence[str]) -> DataFrame:
    """The rows whose keys occur in `by`; NULL matches NULL."""
    if not keys:
        return frame.join(F.broadcast(by.select(F.lit(1).alias("_any")).limit(1)), how="left_semi")
    names = [f"_key{index}" for index in range(len(keys))]
    wanted = by.select(*(named(column).alias(name) for column, name in zip(by_columns, names, strict=True)))
    condition = F.lit(True)
    for key, name in zip(keys, names, strict=True):
        condition = condition & sql(key).eqNullSafe(named(name))
    return frame.join(wanted, condition, "left_semi")


def negate(frame: DataFrame) -> DataFrame:
    columns = [quoted(column) for column in frame.columns if column != WEIGHT]
    return frame.selectExpr(*columns, f"-{WEIGHT} AS {WEIGHT}")


def consolidate(frame: DataFrame) -> DataFrame:
    """Every distinct row once, with the sum of its weights, if that is not zero."""
    columns = [quoted(column) for column in frame.columns if column != WEIGHT]
    total = F.expr(f"coalesce(sum({WEIGHT}), 0) AS {WEIGHT}")
    summed = frame.groupBy(*columns).agg(total) if columns else frame.agg(total)
    return summed.where(f"{WEIGHT} <> 0")


def expand(frame: DataFrame) -> DataFrame:
    """Each row as often as its weight says, every one with weight 1."""
    columns = [named(column) for column in frame.columns if column != WEIGHT]
    copies = F.explode(F.array_repeat(F.lit(1).cast("bigint"), named(WEIGHT).cast("int"))).alias(WEIGHT)
    return frame.where(named(WEIGHT) > 0).select(*columns, copies)


def weighted(one: AggregateCall) -> bool:
    """Whether a function is a sum over rows that weights can scale: count and exact sums."""
    return one.function in {"count", "sum"} and not one.distinct


def aggregate_weighted(
    frame: DataFrame, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]
) -> DataFrame:
    """Counts and exact sums, each row counted by its weight, which may be negative."""
    weight = named(WEIGHT)
    wide = any((decimal_of(one.type) or (0, 0))[1] > EXACT_SCALE for one in calls)
    if wide:
        frame = _as_ones(frame)
    outputs = []
    for one in calls:
        present = sql(one.where) if one.where is not None else F.lit(True)
        values = [sql(argument) for argument in one.arguments]
        if one.function == "count":
            for value in values:
                present = present & value.isNotNull()
            total = F.coalesce(F.sum(F.when(present, weight)), F.lit(0))
        else:
            value = values[0]
            scaled = F.when(weight < 0, -value).otherwise(value) if wide else value * weight
            total = F.sum(F.when(present, scaled))
        outputs.append(total.alias(one.name))
    return _grouped(frame, keys, outputs)


def aggregate_rows(
    frame: DataFrame, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]
) -> DataFrame:
    """Any of Spark's aggregates over rows that each stand for themselves (consolidated and expanded)."""
    outputs = []
    for one in calls:
        text = one.template.format(*(spark_sql(argument) for argument in one.arguments))
        if one.where is not None:
            text += f" FILTER (WHERE {spark_sql(one.where)})"
        outputs.append(F.expr(text).alias(one.name))
    return _grouped(frame, keys, outputs)


def _as_ones(frame: DataFrame) -> DataFrame:
    """Each change as often as its weight says, with weight 1 or -1.

    Spark cuts digits off the product of a wide decimal and a weight, but not off their sum.
    """
    columns = [named(column) for column in frame.columns if column != WEIGHT]
    sign, count = F.signum(named(WEIGHT)).cast("bigint"), F.abs(named(WEIGHT)).cast("int")
    return frame.select(*columns, F.explode(F.array_repeat(sign, count)).alias(WEIGHT))


def _grouped(frame: DataFrame, keys: Sequence[tuple[str, Expr]], outputs: Sequence[Column]) -> DataFrame:
    groups = [sql(expr).alias(name) for name, expr in keys]
    if not outputs:
        return frame.select(*groups).distinct().withColumn(WEIGHT, F.lit(1).cast("bigint"))
    grouped = frame.groupBy(*groups).agg(*outputs) if groups else frame.agg(*outputs)
    return grouped.withColumn(WEIGHT, F.lit(1).cast("bigint"))
