"""A Spark stream as a table's capture: every batch once, also when Spark starts again."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from keeping import Keeping
from pyspark.sql import SparkSession

from headwater.engine.streams import start_stream
from headwater.errors import InputError

pytestmark = pytest.mark.spark

CLICKS = """
CREATE TABLE clicks (id BIGINT, page STRING) USING stream
  OPTIONS (format 'text', path '{path}', value 'json', trigger 'available now');
CREATE MATERIALIZED VIEW pages FRESHNESS = INTERVAL '9' SECOND AS
  SELECT page, count(*) AS n FROM clicks GROUP BY page;
"""


def write(folder: Path, name: str, rows: list[tuple[int, str]]) -> None:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": one, "page": page}) for one, page in rows]
    (folder / name).write_text("\n".join(lines))


def drain(kept: Keeping, spark: SparkSession) -> None:
    kept.clock.advance(timedelta(seconds=1))
    query = start_stream(spark, kept.warehouse, kept.project.tables["clicks"], kept.clock)
    query.awaitTermination()


def test_batches_of_a_stream_are_captured_once(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, CLICKS.format(path=tmp_path / "in"))
    write(tmp_path / "in", "a.txt", [(1, "home"), (2, "home")])
    drain(kept, spark)
    kept.push()
    assert kept.rows("pages") == [("home", 2)]
    write(tmp_path / "in", "b.txt", [(3, "help")])
    drain(kept, spark)
    drain(kept, spark)
    kept.push()
    assert kept.rows("pages") == [("help", 1), ("home", 2)]


def test_a_stream_without_a_declared_column_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, "CREATE TABLE t (missing BIGINT) USING stream OPTIONS (format 'rate');")
    with pytest.raises(InputError, match="has no column missing"):
        start_stream(spark, kept.warehouse, kept.project.tables["t"], kept.clock)
