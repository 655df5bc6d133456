"""What the driver cannot merge, Spark does: the same relation, in key order, while views stay right."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.merges import Merge
from headwater.engine.upkeep.spark_merge import SparkMerge
from headwater.storage.zset import consolidate
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEWS = """
CREATE MATERIALIZED VIEW amounts FRESHNESS = INTERVAL '9' SECOND AS SELECT oid, amount FROM orders;
CREATE MATERIALIZED VIEW total FRESHNESS = INTERVAL '9' SECOND AS
  SELECT cid, sum(amount) AS s FROM orders GROUP BY cid;
"""


@pytest.fixture
def kept(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keeping:
    """Two hundred orders, half of them updated; nothing fits the driver."""
    monkeypatch.setattr("headwater.engine.upkeep.merges.DRIVER_ROWS", 10)
    monkeypatch.setattr("headwater.engine.upkeep.merges.LEAST_ROWS", 10)
    monkeypatch.setattr("headwater.engine.upkeep.spark_merge.FILE_ROWS", 100)
    keeping = Keeping(spark, tmp_path, SHOP + VIEWS)
    keeping.ingest("orders", [{"oid": number, "cid": 1, "amount": number} for number in range(200)])
    keeping.push()
    updates = [{"oid": number, "cid": 1, "amount": -number} for number in range(0, 200, 2)]
    keeping.ingest("orders", [{"op": "update", "row": row} for row in updates])
    keeping.push()
    return keeping


def test_the_same_rows_in_key_order(kept: Keeping) -> None:
    source = kept.warehouse.source("orders")
    before = consolidate(source.read(source.as_of(source.time()))).sort_by("oid")
    merging = SparkMerge(kept.workplace, threading.Event())
    compactor = Compactor(lambda: kept.catalog, kept.warehouse, merge_large=merging)
    assert compactor.compact() >= 2  # the source, and the view that shows its rows
    files = source.snapshot().files
    assert source.snapshot().rows == 200
    assert consolidate(source.read(source.as_of(source.time()))).sort_by("oid").equals(before)
    ranges = sorted((file.minimum["oid"], file.maximum["oid"]) for file in files)
    assert len(ranges) > 1
    assert all(high < low for (_, high), (low, _) in zip(ranges, ranges[1:], strict=False))
    kept.ingest("orders", [{"oid": 500, "cid": 2, "amount": 5}, {"op": "delete", "row": {"oid": 1}}])
    kept.push()
    assert all(verified.equal for verified in kept.verify_all())


def test_a_merge_that_is_stopped_changes_nothing(kept: Keeping) -> None:
    source = kept.warehouse.source("orders")
    before = source.snapshot()

    class Stopped(SparkMerge):
        def _in_order(self, relation: str, summed: DataFrame, rows: int) -> DataFrame:
            self.stopping.set()
            raise RuntimeError("the job was cancelled")

    stopped = Stopped(kept.workplace, threading.Event())
    assert stopped("orders", source, Merge(before.files, "test"), source.time()) is None
    assert source.snapshot() == before
    assert list((Path(kept.warehouse.root) / "staging").glob("*/*.parquet")) == []
