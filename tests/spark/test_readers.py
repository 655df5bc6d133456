"""Any Delta reader can use a view at any moment, also while it is being written and compacted."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import polars as pl
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.merges import MANY_FILES
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

# Each batch keeps the invariant that all amounts are equal: a reader that saw half a push would notice.
COUNTED = "SELECT count(*), amount FROM arrow GROUP BY amount"
VIEW = "CREATE MATERIALIZED VIEW amounts FRESHNESS = INTERVAL '9' SECOND AS SELECT oid, amount FROM orders;"


def test_readers_see_whole_pushes_while_views_are_written(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, SHOP + VIEW)
    kept.ingest("orders", [{"oid": number, "cid": 1, "amount": 0} for number in range(50)])
    kept.push()
    path = str(tmp_path / "warehouse" / "views" / "amounts")
    stop, wrong, looks = threading.Event(), [], []

    def look() -> None:
        while not stop.is_set():
            arrow = DeltaTable(path).to_pyarrow_table()
            seen = [
                {(len(arrow), *set(arrow.column("amount").to_pylist()))},
                {(frame.height, *set(frame["amount"].to_list())) for frame in [pl.read_delta(path)]},
                set(duckdb.connect().execute(COUNTED).fetchall()),
            ]
            looks.append(seen)
            wrong.extend(
                answer for answers in seen for answer in answers if len(answer) != 2 or answer[0] != 50
            )

    reader = threading.Thread(target=look)
    reader.start()
    amount = 0
    while amount < 4 or (len(looks) <= 3 and reader.is_alive()):  # a loaded machine may read slowly
        amount += 1
        kept.ingest(
            "orders",
            [{"op": "update", "row": {"oid": number, "cid": 1, "amount": amount}} for number in range(50)],
        )
        kept.push()
    stop.set()
    reader.join()
    assert len(looks) > 3
    assert wrong == []


def test_compaction_keeps_every_view(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(
        spark,
        tmp_path,
        SHOP + VIEW + "CREATE MATERIALIZED VIEW total FRESHNESS = INTERVAL '9' SECOND AS"
        " SELECT cid, sum(amount) AS s FROM orders GROUP BY cid;",
    )
    for number in range(MANY_FILES + 2):
        kept.ingest("orders", [{"oid": number, "cid": number % 2, "amount": number}])
        if number == 0:
            kept.push()
    kept.ingest("orders", [{"op": "delete", "row": {"oid": 3}}])
    # One by one: a push of all that read a source puts its new files together beforehand.
    kept.push("amounts")
    kept.push("total")
    before = kept.rows("amounts"), kept.rows("total")
    source = kept.warehouse.source("orders")
    files = len(source.snapshot().files)
    assert Compactor(lambda: kept.catalog, kept.warehouse).compact() >= 1
    assert len(source.snapshot().files) < files
    assert source.snapshot().rows == MANY_FILES + 1  # the deleted row is gone for good
    # The views are ahead of the source's own last change: what is merged must not be dated after it.
    assert source.as_of(source.time()).rows == MANY_FILES + 1
    assert (kept.rows("amounts"), kept.rows("total")) == before
    kept.ingest("orders", [{"oid": 100, "cid": 1, "amount": 5}, {"op": "delete", "row": {"oid": 1}}])
    kept.push()
    assert kept.verify("amounts").equal
    assert kept.verify("total").equal
