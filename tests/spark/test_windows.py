"""Windows on Spark: a window as the only key, before another key and after it, pushed and verified."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Project, Scan, Windows
from headwater.engine.query.operators import windows
from headwater.engine.query.query import Query
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

DDL = """
CREATE TABLE e (id BIGINT PRIMARY KEY, k STRING, ts TIMESTAMP, x BIGINT);
CREATE MATERIALIZED VIEW alone AS
  SELECT window(ts, '6 seconds', '3 seconds').start AS since, count(*) AS n FROM e GROUP BY window(ts, '6 seconds', '3 seconds');
CREATE MATERIALIZED VIEW first AS
  SELECT k, window(ts, '6 seconds') AS w, sum(x) AS total FROM e GROUP BY window(ts, '6 seconds'), k;
CREATE MATERIALIZED VIEW last AS
  SELECT k, window(ts, '6 seconds') AS w, sum(x) AS total FROM e GROUP BY k, window(ts, '6 seconds');
"""


def events(*times: int) -> list[dict[str, object]]:
    return [{"id": at, "k": "ab"[at % 2], "ts": f"2026-01-01T00:00:{at:02}Z", "x": at} for at in times]


def test_a_window_may_be_any_key(spark: SparkSession, tmp_path: Path) -> None:
    keeping = Keeping(spark, tmp_path, DDL)
    for times in ((0, 1, 2, 7), (3, 8, 20)):
        assert keeping.ingest("e", events(*times)).accepted == len(times)
        keeping.push()
        assert [verified.view for verified in keeping.verify_all() if not verified.equal] == []
    assert [n for _, n in sorted(keeping.rows("alone"))] == [3, 4, 3, 2, 1, 1]
    assert keeping.rows("first") == keeping.rows("last") != []


@pytest.mark.parametrize("column", ["at", "local"])
def test_windows_of_many_slides_are_those_of_spark(spark: SparkSession, column: str) -> None:
    """With a time zone and without, paired windows and offsets, around a change of the clock; NULL lies in none."""
    random = Random(1)
    moments = [
        datetime(2026, 3, 8, random.randint(0, 5), random.randint(0, 59), random.randint(0, 59))
        for _ in range(60)
    ]
    rows = [(number, None if number % 9 == 0 else moment, 1) for number, moment in enumerate(moments)]
    spark.createDataFrame(rows, "id long, at timestamp, _weight long").createOrReplaceTempView("moments")
    text = "(SELECT id, at, CAST(at AS TIMESTAMP_NTZ) AS local, _weight FROM moments)"
    for size, slide, offset in ((61, 7, 3), (3600, 100, -17)):
        lengths = (timedelta(seconds=seconds) for seconds in (size, slide, offset))
        node = Windows(Scan("moments", "m", ("id",)), "w", Column(column), *lengths)
        own = windows(
            Query(text, ("m.id",)), replace(node, child=Project(node.child, (("id", Column("m.id")),)))
        )
        sparks = f"window({column}, '{size} seconds', '{slide} seconds', '{offset} seconds')"
        ours, expected = (
            spark.sql(f"SELECT id, w FROM {own.text}"),
            spark.sql(f"SELECT id, {sparks} AS w FROM {text}"),
        )
        assert ours.schema.simpleString() == expected.schema.simpleString()
        assert sorted(map(repr, ours.collect())) == sorted(map(repr, expected.collect()))
