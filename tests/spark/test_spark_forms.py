"""ORDER BY inside aggregates, ANY and ALL over arrays: Spark computes what was asked for."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from headwater.sql.parsing.forms.in_spark import spark_text_of

pytestmark = pytest.mark.spark

ROWS = "VALUES (1, 2, 'b'), (1, 5, 'a'), (1, 2, 'a'), (1, NULL, 'c'), (1, 3, NULL) AS t(k, v, s)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("array_agg(s ORDER BY v)", ["c", "a", "b", "a"]),
        ("array_agg(s ORDER BY v DESC)", ["a", "b", "a", "c"]),
        ("array_agg(s ORDER BY v NULLS LAST)", ["a", "b", "a", "c"]),
        ("array_agg(s ORDER BY v DESC NULLS FIRST, s)", ["c", "a", "a", "b"]),
        ("array_agg(s ORDER BY k, v DESC) FILTER (WHERE v > 1)", ["a", "a", "b"]),
        ("array_agg(DISTINCT s ORDER BY s DESC)", ["c", "b", "a"]),
        ("string_agg(s, ',' ORDER BY v DESC)", "a,a,b,c"),
        ("string_agg(s, ',' ORDER BY v NULLS LAST) FILTER (WHERE s <> 'x')", "a,b,a,c"),
        ("listagg(s, ',') WITHIN GROUP (ORDER BY v)", "c,a,b,a"),
        ("count_if(v = ANY (array(2, 3)))", 3),
        ("count_if(v > ALL (array(2, 3)))", 1),
    ],
)
def test_the_order_is_the_one_asked_for(spark: SparkSession, value: str, expected: object) -> None:
    (row,) = spark.sql(spark_text_of(f"SELECT {value} AS x FROM {ROWS}")).collect()
    assert row.x == expected
