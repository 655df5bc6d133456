"""A commit that was written counts, whatever fails afterwards."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from headwater.errors import HeadwaterError
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.loaded_table import LoadedTable
from headwater.storage.delta.log_commits import log_file
from headwater.storage.source_clock import SourceClock

COLUMNS = pa.schema([("k", pa.int64())])


def table_at(folder: Path, versions: int) -> DeltaLog:
    """A table whose next commit is version `versions` + 1."""
    log = DeltaLog(str(folder / "t"))
    log.create(COLUMNS)
    for time in range(1, versions + 1):
        assert log.commit(time)
    return log


def checkpoints(log: DeltaLog) -> list[int]:
    names = os.listdir(os.path.join(log.path, "_delta_log"))
    return sorted(int(name.split(".")[0]) for name in names if name.endswith(".checkpoint.parquet"))


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["create_checkpoint", "cleanup_metadata"])
def test_a_checkpoint_that_fails_is_tried_again_at_the_next_commits(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = table_at(tmp_path, 99)
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "headwater"):
        patched.setattr(DeltaTable, step, full_disk)
        assert log.commit(100)
        assert log.commit(101)
    assert log.time() == 101
    assert "No space left on device" in caplog.text
    for time in range(102, 106):
        assert log.commit(time)
    assert checkpoints(log)[-1] in range(101, 106)
    assert DeltaLog(log.path).time() == 105


def test_another_process_makes_the_checkpoint_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 99)
    with monkeypatch.context() as patched:
        patched.setattr(DeltaTable, "create_checkpoint", full_disk)
        assert log.commit(100)
    assert DeltaLog(log.path).commit(101)
    assert checkpoints(log) == [101]
    assert DeltaLog(log.path).commit(102)  # sees that it was made
    assert checkpoints(log) == [101]


def test_a_log_that_cannot_be_read_after_the_commit_does_not_undo_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 3)
    real = LoadedTable.follow

    def unreadable_once_committed(table: LoadedTable) -> bool:
        if os.path.exists(log_file(table.path, 4)):
            raise OSError(5, "Input/output error")
        return real(table)

    with monkeypatch.context() as patched:
        patched.setattr(LoadedTable, "follow", unreadable_once_committed)
        assert log.commit(4)
    assert log.time() == 4


def test_a_draft_that_cannot_be_removed_does_not_undo_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 3)
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", full_disk)
        assert log.commit(4)
    assert DeltaLog(log.path).time() == 4


def test_a_commit_that_cannot_be_written_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 3)
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", full_disk)
        with pytest.raises(OSError, match="No space left"):
            log.commit(4)
    assert log.time() == 3
    assert not [name for name in os.listdir(os.path.join(log.path, "_delta_log")) if "tmp" in name]


def test_a_folder_that_cannot_be_opened_is_noticed_before_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 3)
    log.durable = True
    real, folder = os.open, os.path.join(log.path, "_delta_log")

    def too_many_files(path: str, *args: int, **options: int) -> int:
        if path == folder:
            raise OSError(24, "Too many open files")
        return real(path, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", too_many_files)
        with pytest.raises(OSError, match="Too many open files"):
            log.commit(4)
    assert log.time() == 3


def test_a_disk_that_does_not_confirm_a_commit_is_told_with_what_not_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = table_at(tmp_path, 3)
    log.durable = True
    real = os.fsync

    def failing(descriptor: int) -> None:
        if os.path.exists(log_file(log.path, 4)):
            raise OSError(5, "Input/output error")
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        with pytest.raises(HeadwaterError, match="is stored, but may not outlast") as caught:
            log.commit(4)
    assert caught.value.code == "HW806"
    assert "Do not send" in (caught.value.hint or "")
    assert log.time() == 4


def test_a_clock_that_cannot_be_stored_does_not_undo_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = SourceClock(str(tmp_path / "clocks" / "t"))
    with clock.turn() as turn, monkeypatch.context() as patched:
        assert turn is not None
        patched.setattr(os, "pwrite", full_disk)
        with caplog.at_level(logging.WARNING, "headwater"):
            turn.store(turn.take(7))
        assert turn.take(1) == 8
        with pytest.raises(OSError, match="No space left"):
            turn.declare(9)  # what others may count on must be stored
    assert "No space left on device" in caplog.text


def test_a_full_disk_is_noticed_when_a_clock_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pwrite", full_disk)
    with (
        pytest.raises(OSError, match="No space left"),
        SourceClock(str(tmp_path / "clocks" / "t")).turn(),
    ):
        pytest.fail("nothing may be committed")
