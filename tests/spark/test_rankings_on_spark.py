"""A ranking's partitions read by tasks of Spark: the same places as in one process, and status says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.engine.spark.tasks import map_tasks
from headwater.serve.store.keeping import keeper
from headwater.serve.store.rankings import refreshing
from headwater.serve.store.rankings.record import refreshes
from support.store.projects import StoreProject

pytestmark = pytest.mark.spark

SQL = """CREATE TABLE clicks (id BIGINT PRIMARY KEY, page STRING NOT NULL, at BIGINT NOT NULL);
CREATE QUERY popular AS SELECT page, COUNT(*) AS seen FROM clicks WHERE at >= :now - 1200
GROUP BY page ORDER BY COUNT(*) DESC, page LIMIT 3;"""


def test_partitions_are_read_by_tasks(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "PARALLEL_ROWS", 0)
    monkeypatch.setattr(refreshing, "SERIAL_ROWS", 8)
    project = StoreProject(tmp_path, SQL)
    project.keeper.use_tasks(lambda work, items: map_tasks(spark, work, items))
    for turn in range(2):  # the first refresh has nothing to go by, and is done here
        rows = [(turn * 100 + n, f"p{n % (7 + turn)}", 1200 + n) for n in range(40)]
        project.append("clicks", [dict(zip(("id", "page", "at"), row, strict=True)) for row in rows])
        project.keep()
    with project.keeper.store.snapshot() as snapshot:
        (last,) = refreshes(snapshot)
    assert last.on_spark
    assert last.partitions > 1
    assert last.most <= last.bound == 8
    answer = project.answering().answer("popular", {"now": 1299})
    assert [tuple(row.values()) for row in answer.rows] == [("p0", 11), ("p1", 11), ("p2", 11)]
    (shown,) = project.project.status().store.rankings
    assert (shown.name, shown.on_spark, shown.serial_bound) == ("popular", True, 8)
