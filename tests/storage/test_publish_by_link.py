"""A view's plain table takes over files of its timeline: any reader sees the view's rows and columns only."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from headwater.storage.delta.delta_log import DeltaLog, NewFile
from headwater.storage.delta.statistics import footer_statistics
from headwater.storage.published import publish, publish_files, read_published
from headwater.storage.timeline import Timeline, at_time, new_file_name
from headwater.storage.vacuum.table_files import table_files

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string()), ("at", pa.timestamp("us", "UTC"))])
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, UTC)
Rows = list[tuple[int, str | None]]


def timeline_and_table(folder: Path) -> tuple[Timeline, DeltaLog]:
    timeline, log = Timeline(str(folder / "stage")), DeltaLog(str(folder / "view"))
    timeline.create(COLUMNS)
    log.create(COLUMNS)
    return timeline, log


def written(timeline: Timeline, time: int, rows: Rows, weight: int = 1) -> NewFile:
    """A file as a common push leaves it: in another order, with a column of another stage, all NULL."""
    name = new_file_name(time)
    table = pa.table(
        {
            "url": pa.nulls(len(rows), pa.string()),
            "name": pa.array([row[1] for row in rows], pa.string()),
            "k": pa.array([row[0] for row in rows], pa.int64()),
            "at": pa.array([NOW + timedelta(days=row[0]) for row in rows], pa.timestamp("us", "UTC")),
            "_weight": pa.array([weight] * len(rows), pa.int64()),
        }
    )
    path = os.path.join(timeline.path, name)
    pq.write_table(table, path)
    return at_time(NewFile(name, footer_statistics(pq.read_metadata(path))), time)


def push(timeline: Timeline, log: DeltaLog, time: int, rows: Rows, weight: int = 1) -> bool:
    before = log.time()
    timeline.commit(time, [written(timeline, time, rows, weight)])
    return publish_files(log, timeline.delta(before, time).files, time)


def seen(path: str) -> list[Rows]:
    """Keys and names as each reader gives them; each must give the view's three columns and no other."""
    arrow = DeltaTable(path).to_pyarrow_table()
    lazy = duckdb.connect().from_arrow(DeltaTable(path).to_pyarrow_dataset())
    frame = pl.read_delta(path)
    ours = read_published(DeltaLog(path))[1]
    names = [arrow.column_names, lazy.columns, frame.columns, ours.column_names]
    assert names == [COLUMNS.names] * 4
    tables = [
        arrow.select(["k", "name"]).to_pylist(),
        [{"k": row[0], "name": row[1]} for row in lazy.select("k, name").fetchall()],
        frame.select("k", "name").to_dicts(),
        ours.select(["k", "name"]).to_pylist(),
    ]
    return [sorted((row["k"], row["name"]) for row in rows) for rows in tables]


def test_every_reader_sees_the_linked_rows(tmp_path: Path) -> None:
    timeline, log = timeline_and_table(tmp_path)
    assert push(timeline, log, 10, [(1, "a"), (2, None)])
    assert push(timeline, log, 20, [(3, "c")])
    assert seen(log.path) == [[(1, "a"), (2, None), (3, "c")]] * 4
    both = zip(timeline.snapshot().files, log.snapshot().files, strict=True)
    assert all(os.path.samefile(link.path, file.path) for link, file in both)  # nothing was written again
    # What readers skip files by holds in the view's table too.
    assert pl.scan_delta(log.path).filter(pl.col("k") == 3).collect()["name"].to_list() == ["c"]
    late = pl.scan_delta(log.path).filter(pl.col("at") > NOW + timedelta(days=2, hours=1)).collect()
    assert late["k"].to_list() == [3]
    assert duckdb.connect().from_arrow(DeltaTable(log.path).to_pyarrow_dataset()).filter("k < 2").fetchall()


def test_linked_and_rewritten_files_live_together(tmp_path: Path) -> None:
    """A deletion rewrites a linked file; the timeline's own stays as it was."""
    timeline, log = timeline_and_table(tmp_path)
    assert push(timeline, log, 10, [(1, "a"), (2, None)])
    assert push(timeline, log, 20, [(3, "c")])
    assert not push(timeline, log, 30, [(1, "a")], weight=-1)
    assert publish(log, timeline.read(timeline.delta(20, 30)), 30)
    assert seen(log.path) == [[(2, None), (3, "c")]] * 4
    assert push(timeline, log, 40, [(4, "d")])
    assert seen(log.path) == [[(2, None), (3, "c"), (4, "d")]] * 4
    assert timeline.read(timeline.as_of(10)).column("k").to_pylist() == [1, 2]


@pytest.mark.parametrize("weight", [2, -1])
def test_only_new_rows_that_occur_once_are_taken_as_they_are(weight: int, tmp_path: Path) -> None:
    timeline, log = timeline_and_table(tmp_path)
    assert not push(timeline, log, 10, [(1, "a")], weight)
    assert log.time() == 0


def test_the_same_push_again_links_nothing(tmp_path: Path) -> None:
    timeline, log = timeline_and_table(tmp_path)
    assert push(timeline, log, 10, [(1, "a")])
    assert publish_files(log, timeline.as_of(10).files, 10)
    assert seen(log.path) == [[(1, "a")]] * 4


def delete_unused(log: DeltaLog) -> int:
    unused = table_files(log).unused
    for file in unused:
        os.unlink(file.path)
    return len(unused)


@pytest.mark.parametrize("linking", [True, False])
def test_vacuum_of_one_table_leaves_the_other(
    linking: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where data files cannot be linked and are copied."""
    real = os.link

    def refusing(source: str, target: str) -> None:
        if target.endswith(".parquet") and not linking:
            raise OSError("no links here")
        real(source, target)

    monkeypatch.setattr(os, "link", refusing)
    timeline, log = timeline_and_table(tmp_path)
    assert push(timeline, log, 10, [(1, "a"), (2, "b")])
    (stored,), (shown,) = timeline.snapshot().files, log.snapshot().files
    assert os.path.samefile(stored.path, shown.path) == linking
    # The view replaces its file and vacuums: the timeline still has its own.
    assert publish(log, timeline.read(timeline.as_of(10)).slice(0, 1), 20)
    assert log.commit(30, [], [shown])
    assert delete_unused(log) == 1
    assert not os.path.exists(shown.path)
    assert timeline.read(timeline.as_of(10)).column("k").to_pylist() == [1, 2]
    # And the other way round.
    assert push(timeline, log, 40, [(3, "c")])
    assert timeline.log.rewrite([], timeline.snapshot().files, {})
    assert delete_unused(timeline.log) == 2
    assert (os.path.exists(stored.path), timeline.as_of(40).empty) == (False, True)
    assert seen(log.path) == [[(1, "a"), (3, "c")]] * 4
