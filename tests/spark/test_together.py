"""Stages of a level are one Spark action, each committed by itself; types that clash make two."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from keeping import SHOP, Keeping
from pyspark.sql import SparkSession

from headwater.engine import together
from headwater.engine.opened import Opened
from headwater.engine.push import Pushing

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW {} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY INCREMENTAL AS {};\n"
FEW = (
    SHOP
    + VIEW.format("joined", "SELECT o.oid, c.city, o.amount FROM orders o JOIN customers c ON o.cid = c.cid")
    + VIEW.format("large", "SELECT oid, amount FROM orders WHERE amount > 5")
    + VIEW.format("by_cid", "SELECT cid, count(*) AS n, sum(amount) AS total FROM orders GROUP BY cid")
)
CLASH = FEW + VIEW.format("words", "SELECT oid, CAST(amount AS STRING) AS amount FROM orders")


def filled(spark: SparkSession, folder: Path, ddl: str) -> Keeping:
    kept = Keeping(spark, folder, ddl)
    kept.ingest("customers", [{"cid": 1, "city": "Bern"}, {"cid": 2, "city": "Rome"}])
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 5}, {"oid": 2, "cid": 2, "amount": 7}])
    kept.push()
    kept.ingest(
        "orders",
        [{"oid": 3, "cid": 1, "amount": 9}, {"op": "update", "row": {"oid": 2, "cid": 1, "amount": 2}}],
    )
    return kept


def check(kept: Keeping) -> None:
    assert kept.rows("joined") == [(1, "Bern", 5), (2, "Bern", 2), (3, "Bern", 9)]
    assert kept.rows("large") == [(3, 9)]
    assert kept.rows("by_cid") == [(1, 3, 16)]
    assert all(kept.verify(name).equal for name in kept.project.views)


def test_a_level_is_one_action(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, FEW)
    records = kept.push()
    assert {one.mode for one in records} == {"incremental"}
    assert len(records) == 3
    assert len({one.action for one in records}) == 1
    assert len({one.spark_jobs for one in records}) == 1  # each names the jobs of the whole action
    check(kept)
    # Files of a common action have columns of other stages, all NULL; the log's ranges are of its own.
    (file,) = kept.pushing.timeline("large").delta(records[0].after, records[0].until).files
    assert set(file.minimum) <= {"oid", "amount", "_weight", "_time"}


def test_types_that_clash_make_two_actions(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[list[str]] = []
    real = together._write

    def seen(pushing: Pushing, opened: Opened, parts: list[together._Part], tasks: int) -> object:
        batches.append([part.job.stage.name for part in parts])
        return real(pushing, opened, parts, tasks)

    monkeypatch.setattr(together, "_write", seen)
    kept = filled(spark, tmp_path, CLASH)
    batches.clear()
    kept.push()
    assert [sorted(names) for names in batches] == [["by_cid", "joined", "large"], ["words"]]
    check(kept)
    assert kept.rows("words") == [(1, "5"), (2, "2"), (3, "9")]


def test_an_action_has_as_many_tasks_as_its_files_deserve(tmp_path: Path) -> None:
    def file(name: str, size: int) -> str:
        path = tmp_path / name
        path.touch()
        os.truncate(path, size)  # sparse
        return str(path)

    def tasks(*slices: tuple[str, ...]) -> int:
        return together._tasks(slices)

    small, large = file("small", 1_000), file("large", 10 * together.BYTES_PER_TASK)
    assert tasks((small,)) == together.FEWEST_TASKS
    assert tasks((small,), (small, large)) == 11


def test_a_crash_between_the_commits_of_an_action_loses_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = filled(spark, tmp_path, FEW)
    real, committed = kept.pushing.commit, []

    def dying(pushing: object, job: together.Job, files: list[together.NewFile]) -> int:
        if committed:
            raise KeyboardInterrupt
        committed.append(job.stage.name)
        return real(job, files)

    with monkeypatch.context() as patch:
        patch.setattr(type(kept.pushing), "commit", dying)
        with pytest.raises(KeyboardInterrupt):
            kept.push()
    times = {name: kept.executor.time_of(name) for name in kept.project.views}
    assert len(set(times.values())) == 2
    assert not list((tmp_path / "warehouse").rglob(f"{together.STAGE}=*"))  # what was not committed is gone
    again = Keeping(spark, tmp_path, FEW, kept.clock)
    again.push()
    assert len({again.executor.time_of(name) for name in again.project.views}) == 1
    check(again)
