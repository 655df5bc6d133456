"""Commits written here and read by delta-rs, and the other way round; two writers; a log that is
cleaned up.
"""

from __future__ import annotations

import os
import threading
import time as wall
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from headwater.storage.delta import delta_log
from headwater.storage.delta.checkpoints import CHECKPOINT_EVERY
from headwater.storage.delta.delta_log import ConflictError, DeltaLog, NewFile
from headwater.storage.delta.log_commits import log_file, read_commit, write_commit
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.timeline import Timeline, new_file_name
from headwater.storage.warehouse import Warehouse

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string())])


def table_at(folder: Path) -> DeltaLog:
    log = DeltaLog(str(folder / "a table with spaces"))
    log.create(COLUMNS, "numbers")
    return log


def file_of(log: DeltaLog, *keys: int, folder: str = "") -> NewFile:
    rows = pa.table({"k": pa.array(keys, pa.int64()), "name": [f"n{key}" for key in keys]})
    return write_parquet(log.path, os.path.join(folder, new_file_name(keys[0])), rows)


def keys(path: str) -> list[int]:
    return sorted(DeltaTable(path).to_pyarrow_table().column("k").to_pylist())


def test_delta_rs_reads_what_is_committed_here(tmp_path: Path) -> None:
    log = table_at(tmp_path)
    assert log.commit(10, [file_of(log, 1, 2), file_of(log, 3, folder="push 10%")], transactions={"feed": 7})
    table = DeltaTable(log.path)
    assert keys(log.path) == [1, 2, 3]
    assert (table.transaction_version("headwater"), table.transaction_version("feed")) == (10, 7)
    assert table.history(1)[0]["engineInfo"] == "headwater"
    assert log.commit(20, [], log.snapshot().files[:1])
    assert keys(log.path) == [3]
    assert not log.commit(20, [file_of(log, 9)])  # the time was reached before
    assert keys(log.path) == [3]


def test_what_others_commit_is_followed(tmp_path: Path) -> None:
    """By another of our own logs, and by delta-rs; a column more makes the log open the table anew."""
    log = table_at(tmp_path)
    other = DeltaLog(log.path)
    assert log.snapshot().version == other.snapshot().version == 0
    other.commit(10, [file_of(log, 1, 2)], transactions={"feed": 1})
    assert (log.time(), log.transaction("feed"), log.snapshot().rows) == (10, 1, 2)
    more = pa.table({"k": pa.array([5], pa.int64()), "name": ["five"]})
    done = CommitProperties(app_transactions=[Transaction("headwater", 20), Transaction("feed", 2)])
    write_deltalake(log.path, more, mode="append", commit_properties=done)
    assert (log.time(), log.transaction("feed"), log.snapshot().rows) == (20, 2, 3)
    assert [file.may_hold("k", 3, 9) for file in log.snapshot().files] == [False, True]
    other.widen(COLUMNS.append(pa.field("city", pa.string())))
    assert log.schema().names == ["k", "name"]  # as of when it was last looked at
    assert (log.time(), log.snapshot().rows) == (20, 3)
    assert log.schema().names == ["k", "name", "city"]


def test_statistics_read_from_a_commit_are_those_of_delta_rs(tmp_path: Path) -> None:
    """Of every type that has a range in the log; a partition value counts as both ends."""
    columns = {
        "whole": pa.array([3, None, -4], pa.int64()),
        "day": pa.array([date(2026, 1, 2), date(1999, 12, 31), None], pa.date32()),
        "at": pa.array([datetime(2026, 1, 2, 3, 4, 5, 678_901, UTC), None, None], pa.timestamp("us", "UTC")),
        "price": pa.array([Decimal("1.50"), Decimal("-2.25"), None], pa.decimal128(9, 2)),
        "ratio": pa.array([0.5, 1e-9, None], pa.float64()),
        "name": pa.array(["b", "a", "ü"], pa.string()),
        "none": pa.array([None, None, None], pa.string()),
    }
    rows = pa.table(columns)
    followed = Timeline(str(tmp_path / "t"))
    followed.create(rows.schema)
    followed.snapshot()
    changes = rows.append_column("_weight", pa.array([1, 1, -1], pa.int64()))
    followed.append(changes, 10)
    (ours,) = followed.snapshot().files
    (theirs,) = Timeline(followed.path).snapshot().files
    for name in [*columns, "_weight", "_time"]:
        assert ours.minimum.get(name) == theirs.minimum.get(name), name
        assert ours.maximum.get(name) == theirs.maximum.get(name), name
        assert ours.nulls.get(name, 0) == (theirs.nulls.get(name) or 0), name
    assert ours.minimum["_time"] == ours.maximum["_time"] == 10
    assert (ours.rows, ours.size, ours.path) == (theirs.rows, theirs.size, theirs.path)


def test_a_version_is_taken_once_and_whole(tmp_path: Path) -> None:
    log = table_at(tmp_path)
    won: list[int] = []
    start = threading.Barrier(8)

    def take(writer: int) -> None:
        start.wait()
        if write_commit(log.path, 1, iter([{"txn": {"appId": "writer", "version": writer}}] * 50)):
            won.append(writer)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    commit = read_commit(log.path, 1)
    assert commit is not None
    assert won == [commit.transactions["writer"]]
    assert not [name for name in os.listdir(os.path.join(log.path, "_delta_log")) if "tmp" in name]
    assert read_commit(log.path, 2) is None


def test_of_two_writers_an_append_takes_the_next_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process commits between a writer's look at the log and its own commit."""
    log, other = table_at(tmp_path), DeltaLog(str(tmp_path / "a table with spaces"))
    log.commit(10, [file_of(log, 1)])
    theirs = [(20, file_of(log, 2)), (35, file_of(log, 3))]
    real = write_commit

    def late(table: str, version: int, actions: object, durable: bool) -> bool:
        monkeypatch.setattr(delta_log, "write_commit", real)
        time, file = theirs.pop(0)
        assert other.commit(time, [file])
        return real(table, version, actions, durable)  # type: ignore[arg-type]

    monkeypatch.setattr(delta_log, "write_commit", late)
    assert log.commit(30, [file_of(log, 4)])
    assert (log.snapshot().version, log.time(), keys(log.path)) == (3, 30, [1, 2, 4])
    # A replacement cannot know that the files it replaces are still the same relation: it gives up.
    monkeypatch.setattr(delta_log, "write_commit", late)
    with pytest.raises(ConflictError):
        log.commit(40, [file_of(log, 5)], log.snapshot().files)
    assert keys(log.path) == [1, 2, 3, 4]
    # And whoever comes too late for its time commits nothing.
    assert not log.commit(35, [file_of(log, 6)])


def test_a_log_that_was_cleaned_up_behind_a_reader_is_opened_anew(tmp_path: Path) -> None:
    log = table_at(tmp_path)
    reader = DeltaLog(log.path)
    log.commit(1, [file_of(log, 1)])
    assert reader.time() == 1
    for time in range(2, 7):
        log.commit(time, [file_of(log, time)])
    DeltaTable(log.path).create_checkpoint()
    for version in range(5):  # the reader's next version among them
        os.unlink(log_file(log.path, version))
    assert (reader.time(), reader.snapshot().version) == (6, 6)
    assert len(reader.snapshot().files) == 6
    assert keys(log.path) == [1, 2, 3, 4, 5, 6]
    log.commit(7, [], log.snapshot().files[:2])
    assert (reader.time(), len(reader.snapshot().files)) == (7, 4)


def test_every_hundredth_version_is_a_checkpoint(tmp_path: Path) -> None:
    log = table_at(tmp_path)
    log.commit(1, [file_of(log, 1)], transactions={"feed": 4})
    for time in range(2, 206):
        log.commit(time)
    checkpoints = [
        name for name in os.listdir(os.path.join(log.path, "_delta_log")) if "checkpoint.p" in name
    ]
    assert sorted(int(name.split(".")[0]) for name in checkpoints) == [100, 200]
    again = DeltaLog(log.path)
    assert (again.time(), again.transaction("feed"), again.snapshot().version) == (205, 4, 205)
    assert keys(log.path) == [1]


def test_the_log_goes_back_as_far_as_a_read_may_last(tmp_path: Path) -> None:
    """Commits go that are older than a checkpoint before that."""
    warehouse = Warehouse(str(tmp_path), reads=timedelta(minutes=10))
    timeline = warehouse.source("t")
    timeline.create(pa.schema([("a", pa.int64())]))
    configuration = DeltaTable(timeline.path).metadata().configuration
    assert configuration["delta.logRetentionDuration"] == "interval 1500 seconds"
    assert configuration["delta.deletedFileRetentionDuration"] == "interval 1500 seconds"
    for time in range(1, 3 * CHECKPOINT_EVERY + 1):
        timeline.append(pa.table({"a": [1], "_weight": pa.array([1], pa.int64())}), time)
        if time == 2 * CHECKPOINT_EVERY:
            long_ago = wall.time() - 1600
            for file in (Path(timeline.path) / "_delta_log").iterdir():
                os.utime(file, (long_ago, long_ago))
    assert not os.path.exists(log_file(timeline.path, 2 * CHECKPOINT_EVERY - 1))
    assert os.path.exists(log_file(timeline.path, 2 * CHECKPOINT_EVERY + 1))
    assert timeline.snapshot().rows == 3 * CHECKPOINT_EVERY
