"""Windows on Spark: a window as the only key, before another key and after it, pushed and verified."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

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
        for view in ("alone", "first", "last"):
            assert keeping.verify(view).equal, view
    assert [n for _, n in sorted(keeping.rows("alone"))] == [3, 4, 3, 2, 1, 1]
    assert keeping.rows("first") == keeping.rows("last") != []
