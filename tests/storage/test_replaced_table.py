"""A table that becomes another one: every reader sees the old or the new, whole, and never half of each."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from headwater.storage.delta.delta_log import BEGINNING, ConflictError, DeltaLog, NewFile
from headwater.storage.delta.log_commits import read_commit
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.published import publish, read_published
from headwater.storage.timeline import Timeline, new_file_name
from headwater.storage.view_rows import read_view

OLD = pa.schema([("k", pa.int64()), ("name", pa.string())])
NEW = pa.schema([("name", pa.string()), ("at", pa.timestamp("us")), ("n", pa.int64())])


def old_rows(*keys: int) -> pa.Table:
    return pa.table({"k": pa.array(keys, pa.int64()), "name": [f"old {key}" for key in keys]}, schema=OLD)


def new_rows(*numbers: int) -> pa.Table:
    columns = {"name": [f"new {n}" for n in numbers], "at": [n * 1_000_000 for n in numbers], "n": numbers}
    return pa.table({name: pa.array(values, NEW.field(name).type) for name, values in columns.items()})


def weighted(rows: pa.Table) -> pa.Table:
    return rows.append_column("_weight", pa.array([1] * len(rows), pa.int64()))


def file_of(log: DeltaLog, rows: pa.Table, time: int) -> NewFile:
    return write_parquet(log.path, new_file_name(time), rows)


def old_table(folder: Path) -> DeltaLog:
    log = DeltaLog(str(folder / "v"))
    log.create(OLD, "first")
    for time in (10, 20, 30):
        log.commit(time, [file_of(log, old_rows(time, time + 1), time)])
    return log


def rows_of(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=repr)


def test_a_table_is_replaced_in_one_commit(tmp_path: Path) -> None:
    log = old_table(tmp_path)
    before = log.snapshot()
    log.replace(NEW, "second", 25, [file_of(log, new_rows(1, 2), 25)])
    assert (log.snapshot().version, log.time(), log.description()) == (before.version + 1, 25, "second")
    assert log.schema() == NEW == log.snapshot().schema
    commit = read_commit(log.path, before.version + 1)
    assert commit is not None
    assert commit.alters
    assert (len(commit.added), len(commit.removed)) == (1, 3)
    assert rows_of(DeltaTable(log.path).to_pyarrow_table()) == rows_of(new_rows(1, 2))
    assert DeltaTable(log.path).transaction_version("headwater") == 25
    assert log.commit(40, [file_of(log, new_rows(3), 40)])
    assert rows_of(read_published(DeltaLog(log.path))[1]) == rows_of(new_rows(1, 2, 3))


def test_a_table_that_is_not_there_yet_begins_with_its_rows(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "v"))
    assert log.snapshot().version == -1
    log.replace(NEW, "first", 5, [file_of(log, new_rows(7), 5)])
    assert (log.snapshot().version, log.time()) == (0, 5)
    assert rows_of(DeltaTable(log.path).to_pyarrow_table()) == rows_of(new_rows(7))


def test_a_reader_that_has_the_table_open_sees_the_old_one_and_then_the_new_one(tmp_path: Path) -> None:
    log = old_table(tmp_path)
    theirs, ours = DeltaTable(log.path), DeltaLog(log.path)
    behind = ours.snapshot()
    log.replace(NEW, "second", 25, [file_of(log, new_rows(1), 25)])
    old = rows_of(old_rows(10, 11, 20, 21, 30, 31))
    assert rows_of(theirs.to_pyarrow_table()) == old  # its files are still there
    assert all(os.path.exists(file.path) for file in behind.files)
    theirs.update_incremental()
    assert rows_of(theirs.to_pyarrow_table()) == rows_of(new_rows(1))
    assert rows_of(read_published(ours)[1]) == rows_of(new_rows(1))
    assert rows_of(DeltaTable(log.path, version=behind.version).to_pyarrow_table()) == old


def test_a_checkpoint_after_the_replacement_holds_the_new_table(tmp_path: Path) -> None:
    log = old_table(tmp_path)
    log.replace(NEW, "second", BEGINNING, [file_of(log, new_rows(1), 25)])
    DeltaTable(log.path).create_checkpoint()
    again = DeltaLog(log.path)
    assert (again.time(), again.description(), again.snapshot().rows) == (BEGINNING, "second", 1)


def test_of_two_that_replace_a_table_the_second_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, other = old_table(tmp_path), DeltaLog(str(tmp_path / "v"))
    stale = other.snapshot()
    monkeypatch.setattr(other, "snapshot", lambda: stale)  # it looked before the other one wrote
    log.replace(NEW, "second", 40)
    with pytest.raises(ConflictError):
        other.replace(OLD, "third", 50)
    assert DeltaLog(log.path).description() == "second"


@pytest.mark.slow
def test_readers_while_a_table_is_replaced_again_and_again(tmp_path: Path) -> None:
    """A follower of the log and a reader that opens the table anew never mix two tables."""
    log = old_table(tmp_path)
    stop, wrong = threading.Event(), []
    whole = {("k", "name"): {"old"}, ("name", "at", "n"): {"new"}}

    def look(follower: DeltaLog) -> None:
        while not stop.is_set():
            for table in (read_published(follower)[1], DeltaTable(log.path).to_pyarrow_table()):
                words = {name.split()[0] for name in table.column("name").to_pylist()}
                if whole[tuple(table.column_names)] != words or not len(table):
                    wrong.append((table.column_names, words))

    reader = threading.Thread(target=look, args=(DeltaLog(log.path),))
    reader.start()
    for turn in range(30):
        rows, schema = (new_rows(turn, 5), NEW) if turn % 2 == 0 else (old_rows(turn, 5), OLD)
        log.replace(schema, f"turn {turn}", turn, [file_of(log, rows, turn)])
    stop.set()
    reader.join()
    assert wrong == []


def test_a_plain_table_of_another_definition_is_left_out(tmp_path: Path) -> None:
    stage = Timeline(str(tmp_path / "stage"))
    stage.create(OLD)
    stage.append(weighted(old_rows(1, 2)), 10)
    log = DeltaLog(str(tmp_path / "v"))
    log.create(OLD, "first")
    publish(log, weighted(old_rows(7)), 50)
    assert rows_of(read_view(stage, log, "second")[1]) == rows_of(old_rows(1, 2))
    log.replace(OLD, "second", BEGINNING)
    assert log.time() == BEGINNING
    assert rows_of(read_view(stage, log, "second")[1]) == rows_of(old_rows(1, 2))
