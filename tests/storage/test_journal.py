"""Journals grow wider from version to version; what is there stays readable."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from headwater.storage import journal
from headwater.storage.delta_log import DeltaLog
from headwater.storage.journal import append_rows, read_rows

OLD = pa.schema([("at", pa.int64()), ("view", pa.string())])
NEW = pa.schema([*OLD, ("site", pa.string()), ("bytes_copied", pa.int64())])


def test_a_table_of_an_older_version_reads_with_nulls(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    append_rows(log, OLD, [{"at": 1, "view": "v"}], 1)
    expected = [{"at": 1, "view": "v", "site": None, "bytes_copied": None}]
    assert read_rows(log, NEW).to_pylist() == expected
    assert read_rows(DeltaLog(log.path), NEW).to_pylist() == expected


def test_appending_to_an_older_table_adds_the_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "pushes")
    append_rows(DeltaLog(path), OLD, [{"at": 1, "view": "v"}], 1)
    for at in (2, 3):
        append_rows(DeltaLog(path), NEW, [{"at": at, "view": "w", "site": "s", "bytes_copied": at}], at)
    assert DeltaLog(path).schema().names == NEW.names
    rows = read_rows(DeltaLog(path), NEW).to_pylist()
    assert [(row["at"], row["site"], row["bytes_copied"]) for row in rows] == [
        (1, None, None),
        (2, "s", 2),
        (3, "s", 3),
    ]
    assert read_rows(DeltaLog(path), NEW, since=3).num_rows == 1


def test_files_of_both_widths_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MERGE_FILES", 4)
    log = DeltaLog(str(tmp_path / "pushes"))
    for at in range(1, 4):
        append_rows(log, OLD, [{"at": at, "view": "v"}], at)
    for at in range(4, 9):
        append_rows(log, NEW, [{"at": at, "view": "v", "site": "s", "bytes_copied": at}], at)
    rows = read_rows(log, NEW).to_pylist()
    assert [row["at"] for row in rows] == list(range(1, 9))
    assert [row["site"] for row in rows] == [None] * 3 + ["s"] * 5
    assert len(log.snapshot().files) < 5
