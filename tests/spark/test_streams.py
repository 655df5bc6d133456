"""A Spark stream as a table's capture: every batch once, also when Spark starts again."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from headwater.capture.intake.append import Appender
from headwater.clock import SystemClock
from headwater.engine.run.streams import Elsewhere, start_stream
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

CLICKS = """
CREATE TABLE clicks (id BIGINT, page STRING) USING stream
  OPTIONS (format 'text', path '{path}', value 'json', trigger 'available now');
CREATE MATERIALIZED VIEW pages FRESHNESS = INTERVAL '9' SECOND AS
  SELECT page, count(*) AS n FROM clicks GROUP BY page;
"""


def write(folder: Path, name: str, rows: list[tuple[int, str]]) -> None:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": number, "page": page}) for number, page in rows]
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


def test_a_new_checkpoint_is_a_new_stream(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, CLICKS.format(path=tmp_path / "in"))
    write(tmp_path / "in", "a.txt", [(1, "home")])
    drain(kept, spark)
    shutil.rmtree(Path(kept.warehouse.root) / "streams" / "clicks")
    (tmp_path / "in" / "a.txt").unlink()
    write(tmp_path / "in", "b.txt", [(2, "help")])
    drain(kept, spark)  # Spark counts its batches from zero again
    assert rows_of(kept.warehouse, "clicks") == Counter({(1, "home"): 1, (2, "help"): 1})


def test_malformed_messages_are_dead_letters(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, CLICKS.format(path=tmp_path / "in"))
    (tmp_path / "in").mkdir()
    lines = ['{"id": 1, "page": "home", "more": true}', '{"id": 2, "pa', '{"id": "three"}']
    (tmp_path / "in" / "a.txt").write_text("\n".join(lines))
    drain(kept, spark)
    assert rows_of(kept.warehouse, "clicks") == Counter({(1, "home"): 1})
    letters = {letter["record"]: letter["reason"] for letter in dead_letters(kept.warehouse)}
    assert set(letters) == set(lines[1:])
    assert "not JSON" in letters[lines[1]]


def test_a_column_that_cannot_be_cast_is_a_dead_letter(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(
        spark,
        tmp_path,
        "CREATE TABLE t (id BIGINT, n INT) USING stream OPTIONS (trigger 'available now');",
    )
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": "1", "n": null}\n{"id": "two", "n": "3"}')
    frame = spark.readStream.schema("id STRING, n STRING").json(str(tmp_path / "in"))
    kept.clock.advance(timedelta(seconds=1))
    start_stream(spark, kept.warehouse, kept.project.tables["t"], kept.clock, frame).awaitTermination()
    assert rows_of(kept.warehouse, "t") == Counter({(1, None): 1})
    [letter] = dead_letters(kept.warehouse)
    assert json.loads(letter["record"]) == {"id": "two", "n": "3"}
    assert letter["reason"] == 'column "id" cannot be cast (bigint)'


def test_what_connect_sends_to_its_server_can_be_sent(tmp_path: Path) -> None:
    """There foreachBatch runs in another process, which opens the warehouse for itself."""
    table = Table("clicks", (Column("id", "bigint"),), provider="stream")
    opener = Elsewhere.of(Appender(Warehouse(str(tmp_path)), table, SystemClock()))
    sent = cloudpickle.loads(cloudpickle.dumps(opener))
    assert sent().append([{"id": 1}]).accepted == 1
    assert rows_of(Warehouse(str(tmp_path)), "clicks") == Counter({(1,): 1})
