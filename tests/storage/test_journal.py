"""Tables that only grow: wider from version to version, merged and dropped day by day."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.records.journal import append_rows, day_of, newest_rows, read_rows
from headwater.storage.records.journal_files import MANY_FILES, drop_before, merge_days
from headwater.units import DAY, SECOND

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


def test_files_of_both_widths_merge(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    for at in range(1, 4):
        append_rows(log, OLD, [{"at": at, "view": "v"}], at)
    for at in range(4, 9):
        append_rows(log, NEW, [{"at": at, "view": "v", "site": "s", "bytes_copied": at}], at)
    assert merge_days(log, DAY) == 7
    rows = read_rows(log, NEW).to_pylist()
    assert [row["at"] for row in rows] == list(range(1, 9))
    assert [row["site"] for row in rows] == [None] * 3 + ["s"] * 5
    assert len(log.snapshot().files) == 1


def test_files_are_merged_day_by_day(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    instants = [day * DAY + second * SECOND for day in range(3) for second in range(10)]
    append_rows(log, OLD, [{"at": instants[-1] - DAY, "view": "w"}, {"at": instants[-1], "view": "w"}], 1)
    for at in instants:
        append_rows(log, OLD, [{"at": at, "view": "v"}], at)
    assert merge_days(log, 2 * DAY) == 19  # the files of today wait until there are more
    days = [(day_of(file.minimum["at"]), day_of(file.maximum["at"])) for file in log.snapshot().files]
    assert all(first == last for first, last in days)
    assert sorted(days)[:2] == [(0, 0), (1, 1)]
    assert sorted(read_rows(log, OLD).column("at").to_pylist()) == sorted(
        [*instants, instants[-1] - DAY, instants[-1]]
    )


@pytest.mark.slow
def test_the_files_of_a_long_day_stay_few_and_are_seldom_written_anew(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    written, appended = 0, 9 * MANY_FILES
    for at in range(1, appended + 1):
        append_rows(log, OLD, [{"at": at, "view": "v"}], at)
        before = {file.relative for file in log.snapshot().files}
        merge_days(log, at)
        written += sum(file.rows for file in log.snapshot().files if file.relative not in before)
    assert len(log.snapshot().files) <= MANY_FILES + 5
    assert log.snapshot().rows == appended
    assert written < 6 * appended


def test_old_days_are_dropped_whole(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    for day in range(5):
        append_rows(log, OLD, [{"at": day * DAY + at, "view": "v"} for at in (1, 2)], 1)
    assert drop_before(log, 3 * DAY, now=9 * DAY) == 3
    assert [row["at"] for row in read_rows(log, OLD).to_pylist()] == [
        3 * DAY + 1, 3 * DAY + 2, 4 * DAY + 1, 4 * DAY + 2,
    ]  # fmt: skip
    assert drop_before(log, 3 * DAY, now=9 * DAY) == 0


def test_a_table_whose_files_span_days_is_read_and_dropped_with_its_last_day(tmp_path: Path) -> None:
    """As an older version wrote it."""
    log = DeltaLog(str(tmp_path / "pushes"))
    log.create(OLD)
    old = pa.table({"at": [1, DAY + 1, 2 * DAY + 1], "view": ["v"] * 3}, schema=OLD)
    log.commit(1, [write_parquet(log.path, "old.parquet", old)])
    append_rows(log, OLD, [{"at": 2 * DAY + 2, "view": "v"}], 2)
    assert merge_days(log, 5 * DAY) == 0
    assert read_rows(log, OLD, DAY, 2 * DAY + 2).column("at").to_pylist() == [DAY + 1, 2 * DAY + 1]
    assert drop_before(log, 2 * DAY, now=5 * DAY) == 0
    assert drop_before(log, 3 * DAY, now=5 * DAY) == 2


def test_only_the_files_of_a_period_are_opened(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "pushes"))
    for day in range(4):
        append_rows(log, OLD, [{"at": day * DAY + at, "view": "v"} for at in (1, 2)], 1)
    for file in log.snapshot().files:
        if file.maximum["at"] < 3 * DAY:
            Path(file.path).unlink()
    assert read_rows(log, OLD, 3 * DAY).num_rows == 2
    assert newest_rows(log, OLD, 2, pc.field("view") == "v").num_rows == 2
