"""Sums by halves are the sums of decimals of 38 digits, for any bigints and short decimals, on Spark."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from headwater.algebra.expressions.tree import AggregateCall, Column, spark_sql
from headwater.algebra.expressions.types import decimal_of
from headwater.algebra.stages.states import states_of
from headwater.engine.query.halved_sums import halved_sum

pytestmark = pytest.mark.spark

FULL = 2**63 - 1
TYPES = ["bigint", "decimal(18,0)", "decimal(18,6)", "decimal(12,2)", "decimal(5,5)"]


def values(spark_type: str, chance: random.Random) -> list[int | Decimal | None]:
    """Some at either end of what the type holds, of which two do not fit into it together."""
    digits, scale = decimal_of(spark_type) or (0, 0)
    most = 10**digits - 1 if digits else FULL
    units = [most, most, -most, most - 1, 0, 1, -1, 2**32, -(2**32) - 1]
    units = [unit for unit in units if abs(unit) <= most]
    units += [chance.randint(-most, most) for _ in range(60)]
    return [None, *(Decimal(unit).scaleb(-scale) if digits else unit for unit in units)]


def test_halves_make_the_whole(spark: SparkSession) -> None:
    chance = random.Random(4)
    for spark_type in TYPES:
        rows = [
            (chance.randrange(8), value, chance.choice([-2, -1, 1, 1, 3]))
            for value in values(spark_type, chance)
        ]
        rows.append((8, None, 1))
        spark.createDataFrame(rows, f"k int, x {spark_type}, _weight bigint").createOrReplaceTempView(
            "halved"
        )
        call = AggregateCall("s", "sum", (Column("x"),), "sum({0})", type=spark_type)
        (state,) = (state for state in states_of((call,), ()).calls if state.function == "sum")
        fast, exact = halved_sum(state, "_weight"), f"sum({spark_sql(state.arguments[0])} * _weight)"
        assert fast is not None
        for group in (" GROUP BY k", "", " WHERE k > 100"):
            halves, whole = (
                {tuple(row) for row in spark.sql(f"SELECT {text} AS s FROM halved{group}").collect()}
                for text in (fast, exact)
            )
            assert halves == whole, (spark_type, group)


@pytest.mark.parametrize("spark_type", ["int", "double", "decimal(19,0)", "decimal(18,7)"])
def test_other_types_are_not_halved(spark_type: str) -> None:
    call = AggregateCall("s", "sum", (Column("x"),), "sum({0})", type=spark_type)
    assert {halved_sum(state, "_weight") for state in states_of((call,), ()).calls} == {None}
