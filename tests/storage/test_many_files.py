"""A log of many files: what is not asked for is not made, and a slice does not go through every file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.lazy_values import LazyColumns
from headwater.storage.timeline import Range, Timeline

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string())])


def stored(folder: Path, times: range) -> Timeline:
    timeline = Timeline(str(folder / "t"))
    timeline.create(COLUMNS)
    for time in times:
        timeline.append(pa.table({"k": [time], "name": [f"n{time}"], "_weight": [1]}), time)
    return timeline


def times(files: tuple[DataFile, ...]) -> list[int]:
    return [file.minimum["_time"] for file in files]


def test_opening_a_table_makes_no_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, range(1, 6)).path
    asked: list[str] = []
    real = LazyColumns.column
    monkeypatch.setattr(LazyColumns, "column", lambda self, name: asked.append(name) or real(self, name))
    timeline = Timeline(path)
    assert (timeline.time(), timeline.rows_between(0, 9)) == (5, 5)
    timeline.append(pa.table({"k": [6], "name": ["n6"], "_weight": [1]}), 6)
    assert times(timeline.delta(2, 9).files) == [3, 4, 5, 6]
    assert asked == []
    assert times(timeline.as_of(9, [Range("k", 2, 3)]).files) == [2, 3]
    assert set(asked) == {"k"}


def test_slices_are_those_of_a_walk_through_all_files(tmp_path: Path) -> None:
    timeline = stored(tmp_path, range(10, 40, 3))
    first = timeline.snapshot()
    timeline.append(pa.table({"k": [50], "name": ["n"], "_weight": [1]}), 50)
    for snapshot in (first, timeline.snapshot()):
        for after in range(5, 55, 4):
            for until in range(after, 55, 5):
                walked = {file.path for file in snapshot.files if after < file.minimum["_time"] <= until}
                part = timeline.delta(after, until, (), snapshot)
                assert {file.path for file in part.files} == walked
    assert timeline.rows_between(10, 19) == 3
    assert timeline.arrivals_between(10, 50) == timeline.rows_between(10, 50)
    timeline.append(pa.table({"k": [10, 13], "name": ["n10", "n13"], "_weight": [-1, -1]}), 60)
    timeline.append(pa.table({"k": [16, 70], "name": ["n16", "n70"], "_weight": [-1, 1]}), 70)
    assert timeline.rows_between(50, 70) == 4
    assert timeline.arrivals_between(50, 70) == 2
    assert times(Timeline(timeline.path).as_of(19).files) == [10, 13, 16, 19]
