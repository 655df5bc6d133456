"""A table can be opened whatever became of whoever created it, and asked for as long as a process lives."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from headwater.storage.timeline import WEIGHT, Timeline

COLUMNS = pa.schema([("a", pa.int64())])


def rows(*values: int) -> pa.Table:
    return pa.table({"a": list(values), WEIGHT: pa.array([1] * len(values), pa.int64())})


@pytest.mark.parametrize("left", ["", "00000000000000000000.json#1", "_commit_1234.json.tmp"])
def test_a_killed_creation_is_no_table_yet(left: str, tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    if left:
        (log / left).write_text('{"protocol"')
    timeline = Timeline(str(tmp_path))
    assert not timeline.exists()
    assert timeline.time() == 0
    timeline.create(COLUMNS)
    timeline.append(rows(1), 5)
    assert Timeline(str(tmp_path)).time() == 5


def test_a_table_exists_when_only_a_checkpoint_is_left_of_its_first_versions(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path))
    timeline.create(COLUMNS)
    timeline.append(rows(1), 5)
    DeltaTable(str(tmp_path)).create_checkpoint()
    for version in range(2):
        os.unlink(tmp_path / "_delta_log" / f"{version:020d}.json")
    assert Timeline(str(tmp_path)).exists()
    assert Timeline(str(tmp_path)).time() == 5


def test_transactions_are_known_after_the_log_was_cleaned_up(tmp_path: Path) -> None:
    """A process that opened the table long ago asks for a writer's last number for the first time."""
    timeline = Timeline(str(tmp_path))
    timeline.create(COLUMNS)
    timeline.append(rows(1), 5, transactions={"writer": 7})
    opened_long_ago = Timeline(str(tmp_path))
    assert opened_long_ago.time() == 5
    timeline.append(rows(2), 6)
    DeltaTable(str(tmp_path)).create_checkpoint()
    for version in range(2):
        os.unlink(tmp_path / "_delta_log" / f"{version:020d}.json")
    assert opened_long_ago.log.transaction("writer") == 7
    assert opened_long_ago.log.transaction("another") is None
    assert opened_long_ago.time() == 6


def test_a_durable_table_is_created_once_and_can_be_read_by_delta_rs(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path), durable=True)
    timeline.create(COLUMNS, "numbers")
    timeline.append(rows(1, 2), 5)
    Timeline(str(tmp_path), durable=True).create(COLUMNS, "other numbers")
    table = DeltaTable(str(tmp_path))
    assert table.metadata().description == "numbers"
    assert sorted(table.to_pyarrow_table()["a"].to_pylist()) == [1, 2]
