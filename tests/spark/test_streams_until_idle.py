"""`run --until-idle` with streams, as a user types it: what is there is taken in, pushed, and the command ends."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headwater.clock import SystemClock
from headwater.engine.run.streaming import Streaming
from headwater.engine.run.streams import start_stream
from headwater.model import Table
from headwater.storage.warehouse import Warehouse
from support.capture import rows_of
from support.commands import answer, command, wait_for
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW n FRESHNESS = INTERVAL '60' SECOND AS SELECT count(*) AS n FROM {};"
CLICKS = "CREATE TABLE clicks (id BIGINT, page STRING{}) USING stream OPTIONS (format 'text', path '{}', value 'json');"


def project(folder: Path, *statements: str) -> Path:
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "shop.sql").write_text("\n".join(statements))
    return folder


def test_a_stream_that_never_ends(spark: SparkSession, tmp_path: Path) -> None:
    rate = "CREATE TABLE ticks (value BIGINT) USING stream OPTIONS (format 'rate', rowsPerSecond '1000');"
    shop = project(tmp_path, rate, VIEW.format("ticks"))
    command("run", shop, "--until-idle")
    first = answer("read", shop, "n")["rows"][0]["n"]
    assert first == answer("status", shop)["sources"][0]["rows"]

    def grown() -> bool:
        """Spark's rate source makes its rows at whole seconds; a run can begin and end between two of them."""
        command("run", shop, "--until-idle")
        return bool(answer("read", shop, "n")["rows"][0]["n"] > first)

    wait_for(grown)


def test_what_is_there_is_pushed_and_columns_may_be_added(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(json.dumps({"id": n, "page": "p"}) for n in range(5)))
    shop = project(tmp_path, CLICKS.format("", folder), VIEW.format("clicks"))
    command("run", shop, "--until-idle")
    assert answer("read", shop, "n")["rows"] == [{"n": 5}]
    (folder / "b.txt").write_text('{"id": 9, "page": "p", "more": 3}')
    project(tmp_path, CLICKS.format(", more INT", folder), VIEW.format("clicks"))
    command("run", shop, "--until-idle")
    assert answer("read", shop, "n")["rows"] == [{"n": 6}]
    assert "3" in command("sql", shop, "SELECT sum(more) AS s FROM clicks").stdout


def test_a_stream_that_cannot_be_started_stops_nobody_else(spark: SparkSession, tmp_path: Path) -> None:
    shop = project(
        tmp_path,
        "CREATE TABLE broken (id BIGINT) USING stream OPTIONS (format 'no.such.format');",
        "CREATE TABLE orders (id BIGINT);",
        VIEW.format("orders"),
    )
    (tmp_path / "rows.jsonl").write_text('{"id": 1}\n')
    command("ingest", shop, "orders", tmp_path / "rows.jsonl")
    done = command("run", shop, "--until-idle", status=1)
    assert "HW831: the capture of broken failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert answer("read", shop, "n")["rows"] == [{"n": 1}]
    [broken] = [source for source in answer("status", shop)["sources"] if source["name"] == "broken"]
    assert "no.such.format" in broken["error"]


def test_a_stream_goes_on_with_a_column_that_its_table_has_gained(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As a run does it when the project's files change; and it is started again after a failure."""
    folder = tmp_path / "in"
    folder.mkdir()
    kept = Keeping(spark, tmp_path, CLICKS.format("", folder))
    wider = Keeping(spark, tmp_path, CLICKS.format(", more INT", folder)).project.tables["clicks"]
    stream = Streaming(
        kept.project.tables["clicks"],
        partial(start_stream, spark, Warehouse(kept.warehouse.root), clock=SystemClock(), once=True),
    )
    stream.restart(wider)
    (folder / "a.txt").write_text('{"id": 1, "page": "p", "more": 3}')
    stream.restart(wider)
    wait_for(lambda: not stream.active)
    assert stream.problem == ""
    assert rows_of(kept.warehouse, "clicks") == Counter({(1, "p", 3): 1})
    stream.begin = no_stream
    stream.restart(wider)
    assert stream.problem == "RuntimeError: no broker"
    stream.revive()
    assert stream.problem == "RuntimeError: no broker"
    stream.stop()


def no_stream(_table: Table) -> StreamingQuery:
    raise RuntimeError("no broker")
