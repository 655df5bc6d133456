"""Stages of a level are one Spark action, each committed by itself; types that clash make two."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest
from pyspark.sql import SparkSession

from headwater.engine.push.decide import Job
from headwater.engine.push.together import joint
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.planning.stages import actions
from headwater.storage.delta.data_files import NewFile
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW {} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY INCREMENTAL AS {};\n"
FEW = (
    SHOP
    + VIEW.format("joined", "SELECT o.oid, c.city, o.amount FROM orders o JOIN customers c ON o.cid = c.cid")
    + VIEW.format("large", "SELECT oid, amount FROM orders WHERE amount > 5")
    + VIEW.format("by_cid", "SELECT cid, count(*) AS n, sum(amount) AS total FROM orders GROUP BY cid")
)
CASES = FEW + VIEW.format("upper", "SELECT oid AS OID, amount AS Amount FROM orders")
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
    assert all(verified.equal for verified in kept.verify_all())


def test_a_level_is_one_action(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, FEW)
    records = kept.push()
    assert {record.mode for record in records} == {"incremental"}
    assert len(records) == 3
    assert len({record.action for record in records}) == 1
    assert len({record.spark_jobs for record in records}) == 1  # each names the jobs of the whole action
    check(kept)
    # Files of a common action have columns of other stages, all NULL; the log's ranges are of its own.
    (file,) = kept.workplace.timeline("large").delta(records[0].after, records[0].until).files
    assert set(file.minimum) <= {"oid", "amount", "_weight", "_time"}


@pytest.mark.parametrize("few", [True, False], ids=["few rows", "many rows"])
def test_few_rows_are_one_task_of_spark(
    few: bool, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "FEW_ROWS", 1_000 if few else -1)
    kept = filled(spark, tmp_path, FEW)
    records = kept.push()
    check(kept)
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(records[0].action)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    tasks = sum(stage.numTasks for stage in stages if stage is not None)
    assert tasks == 1 if few else tasks > 3


def test_first_computations_of_few_rows_are_one_action(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, CLASH)
    kept.ingest("customers", [{"cid": 1, "city": "Bern"}])
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 5}, {"oid": 3, "cid": 1, "amount": 9}])
    records = kept.push()
    assert {record.mode for record in records} == {"initial"}
    assert len({record.action for record in records}) == 1
    assert kept.rows("words") == [(1, "5"), (3, "9")]
    assert all(verified.equal for verified in kept.verify_all())
    kept.ingest("orders", [{"op": "update", "row": {"oid": 1, "cid": 1, "amount": 2}}])
    assert "initial" not in {record.mode for record in kept.push()}
    assert kept.rows("by_cid") == [(1, 2, 11)]


def test_types_that_clash_make_two_actions(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[list[str]] = []
    real = joint._write

    def seen(workplace: Workplace, opened: Inputs, parts: list[joint._Part], tasks: int) -> object:
        batches.append([job.stage.name for part in parts for job in part.jobs])
        return real(workplace, opened, parts, tasks)

    monkeypatch.setattr(joint, "_write", seen)
    kept = filled(spark, tmp_path, CLASH)
    batches.clear()
    kept.push()
    assert [sorted(names) for names in batches] == [["by_cid", "joined", "large"], ["words"]]
    check(kept)
    assert kept.rows("words") == [(1, "5"), (2, "2"), (3, "9")]


def test_columns_that_differ_in_case_alone_are_written_apart(spark: SparkSession, tmp_path: Path) -> None:
    """Spark ignores case: in one write such columns are ambiguous, and all views of the action would fail."""
    kept = filled(spark, tmp_path, CASES)
    records = kept.push()
    assert len({record.action for record in records}) == 1
    check(kept)
    assert kept.rows("upper") == [(1, 5), (2, 2), (3, 9)]
    assert kept.warehouse.published("upper").schema().names == ["OID", "Amount"]


def test_an_action_has_as_many_tasks_as_its_files_deserve(tmp_path: Path) -> None:
    def file(name: str, size: int) -> str:
        path = tmp_path / name
        path.touch()
        os.truncate(path, size)  # sparse
        return str(path)

    def tasks(*slices: tuple[str, ...]) -> int:
        opened = Inputs(cast("SparkSession", None))
        opened.files = dict.fromkeys(slices, "")
        return joint._tasks(opened.bytes_read)

    small, large = file("small", 1_000), file("large", 10 * joint.BYTES_PER_TASK)
    assert tasks((small,)) == joint.FEWEST_TASKS
    assert tasks((small,), (small, large)) == 11


def test_a_crash_between_the_commits_of_an_action_loses_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = filled(spark, tmp_path, FEW)
    real, committed = joint.commit, []

    def dying(workplace: Workplace, job: Job, files: list[NewFile]) -> int:
        if committed:
            raise KeyboardInterrupt
        committed.append(job.name)
        return real(workplace, job, files)

    with monkeypatch.context() as patch:
        patch.setattr(joint, "commit", dying)
        with pytest.raises(KeyboardInterrupt):
            kept.push()
    times = {name: kept.time_of(name) for name in kept.project.views}
    assert len(set(times.values())) == 2
    assert not list((tmp_path / "warehouse").rglob(f"{joint.STAGE}=*"))  # what was not committed is gone
    again = Keeping(spark, tmp_path, FEW, kept.clock)
    again.push()
    assert len({again.time_of(name) for name in again.project.views}) == 1
    check(again)
