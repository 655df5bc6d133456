"""A plain table of windows: a push rewrites the files that hold windows of its time, and no others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.storage import published
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.published import publish, read_published
from headwater.storage.timeline import WEIGHT

INSTANT = pa.timestamp("us", tz="UTC")
WINDOW = pa.struct([pa.field("start", INSTANT), pa.field("end", INSTANT)])
COLUMNS = pa.schema([pa.field("w", WINDOW), pa.field("n", pa.int64())])
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def changes(*rows: tuple[int, int, int]) -> pa.Table:
    """Hour, count and weight."""
    hours = [BEGIN + timedelta(hours=hour) for hour, _, _ in rows]
    windows = [{"start": start, "end": start + timedelta(hours=1)} for start in hours]
    return pa.table(
        {
            "w": pa.array(windows, WINDOW),
            "n": pa.array([n for _, n, _ in rows], pa.int64()),
            WEIGHT: pa.array([weight for _, _, weight in rows], pa.int64()),
        }
    )


def test_only_files_around_the_windows_that_change_are_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "SMALL_FILE_ROWS", 2)
    log = DeltaLog(str(tmp_path / "plain"))
    log.create(COLUMNS, "windows")
    for hour in (0, 10, 20):
        publish(log, changes((hour, 7, 1), (hour + 1, 7, 1), (hour + 2, 7, 1)), hour + 1)
    before = {file.relative for file in log.snapshot().files}
    assert len(before) == 3
    # The counts say nothing: every file has a 7.
    publish(log, changes((21, 7, -1), (21, 8, 1)), 30)
    after = {file.relative for file in log.snapshot().files}
    assert len(after & before) == 2
    rows = read_published(log)[1].sort_by("n").to_pylist()
    assert [row["n"] for row in rows] == [7] * 8 + [8]
    assert rows[-1]["w"]["start"] == BEGIN + timedelta(hours=21)


def test_windows_that_are_over_get_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each push would write all windows that ever were."""
    monkeypatch.setattr(published, "SMALL_FILE_ROWS", 2)
    monkeypatch.setattr(published, "FEWEST_SETTLED", 5)
    log = DeltaLog(str(tmp_path / "plain"))
    log.create(COLUMNS, "windows")
    most = 0
    for hour in range(40):
        before = {file.relative for file in log.snapshot().files}
        again = [(hour - 1, 7, -1), (hour - 1, 8, 1)] if hour else []
        publish(log, changes(*again, (hour, 7, 1)), hour + 1)
        most = max(most, sum(file.rows for file in log.snapshot().files if file.relative not in before))
    assert most < 15
    rows = read_published(log)[1].sort_by("n").to_pylist()
    assert [row["n"] for row in rows] == [7] + [8] * 39
    assert {row["w"]["start"] for row in rows} == {BEGIN + timedelta(hours=hour) for hour in range(40)}


def test_rows_that_were_just_written_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table holds the same, push by push; what was forgotten meanwhile is read."""
    monkeypatch.setattr(published, "FEWEST_SETTLED", 5)
    read: list[int] = []
    files_of = published.read_files
    plain, remembering = (DeltaLog(str(tmp_path / name)) for name in ("plain", "remembering"))
    plain.create(COLUMNS, "windows")
    remembering.create(COLUMNS, "windows")
    fresh = FreshRows()
    for hour in range(12):
        delta = changes(*([(hour - 1, 7, -1), (hour - 1, 8, 1)] if hour else []), (hour, 7, 1))
        assert publish(plain, delta, hour + 1)
        if hour == 6:
            fresh = FreshRows()
        with monkeypatch.context() as watched:
            watched.setattr(
                published, "read_files", lambda *asked, at=hour: read.append(at) or files_of(*asked)
            )
            assert publish(remembering, delta, hour + 1, fresh)
        held = [log_rows.sort_by("n").to_pylist() for log_rows in (rows_of(plain), rows_of(remembering))]
        assert held[0] == held[1]
    assert set(read) == {6}


def rows_of(log: DeltaLog) -> pa.Table:
    return read_published(log)[1]
