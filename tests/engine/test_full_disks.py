"""A push that fails on a full disk says that the disk is full."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from headwater.capture.intake.append import append
from headwater.capture.polling import ApiCapture
from headwater.capture.storage_errors import StorageError
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.failures import full_disks
from headwater.engine.push.failures.full_disks import full_disk_behind
from headwater.engine.push.record import Records
from headwater.errors import HeadwaterError
from headwater.model import Column, Project, SqlText, Table, View
from headwater.storage.warehouse import Warehouse
from support.without_spark import workplace

WRITING = RuntimeError("[TASK_WRITE_FAILED] Task failed while writing rows to file:/w. SQLSTATE: 58030")


def test_spark_names_the_cause(tmp_path: Path) -> None:
    error = RuntimeError("Job aborted.\nCaused by: java.io.IOException: No space left on device")
    behind = full_disk_behind(error, [str(tmp_path)])
    assert isinstance(behind, StorageError)
    assert "the disk is full" in behind.message


def test_a_server_that_does_not_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert full_disk_behind(WRITING, [str(tmp_path), str(tmp_path / "gone")]) is WRITING
    monkeypatch.setattr(full_disks.shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    assert isinstance(full_disk_behind(WRITING, [str(tmp_path)]), StorageError)
    other = RuntimeError("[DIVIDE_BY_ZERO] Division by zero.")
    assert full_disk_behind(other, [str(tmp_path)]) is other


def test_a_push_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("orders", (Column("id", "bigint"),))
    view = View("few", SqlText("SELECT id FROM orders WHERE id > 1"), timedelta(seconds=9))
    catalog = build(Project("shop", str(tmp_path), str(tmp_path), {"orders": table}, {"few": view}, {}, {}))
    clock, warehouse = ManualClock(), Warehouse(str(tmp_path))
    append(warehouse, table, [{"id": 2}], clock)

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("No space left on device")

    monkeypatch.setattr(pusher, "run_action", fails)
    executor = spark_executor(workplace(warehouse, catalog), clock, Records(clock))
    executor.watermarks = {"orders": ApiCapture(warehouse, table, clock).poll().watermark}
    try:
        with pytest.raises(HeadwaterError, match="HW860: views cannot be written: the disk is full"):
            executor.push_now()
    finally:
        executor.close()
