"""What outlasts a power cut, and what a table looks like that did not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.errors import HeadwaterError
from headwater.model import Durability
from headwater.storage import source_clock
from headwater.storage.delta.damage import damage
from headwater.storage.delta.log_commits import log_file
from headwater.storage.source_clock import AHEAD, SourceClock
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

COLUMNS = pa.schema([("k", pa.int64())])
Events = list[tuple[str, str]]


def rows(*keys: int) -> pa.Table:
    return pa.table({"k": pa.array(keys, pa.int64()), "_weight": pa.array([1] * len(keys), pa.int64())})


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Events:
    """What was synced and linked, in order: the operation and the path."""
    seen: Events = []
    link, fsync = os.link, os.fsync

    def synced(descriptor: int) -> None:
        seen.append(("sync", os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def linked(source: str, target: str) -> None:
        seen.append(("link", target))
        link(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link", linked)
    return seen


def test_a_commit_of_a_source_is_on_the_disk_before_it_counts(tmp_path: Path, events: Events) -> None:
    source = Warehouse(str(tmp_path)).source("orders")
    source.create(COLUMNS)
    source.append(rows(1), 10)
    assert ("sync", log_file(source.path, 0)) in events  # how the table was created
    assert {("sync", str(tmp_path)), ("sync", str(tmp_path / "sources"))} <= set(events)
    events.clear()
    source.append(rows(2, 3), 20)
    (file,) = (file.path for file in source.delta(10, 20).files)
    draft = next(path for operation, path in events if operation == "sync" and path.endswith(".tmp"))
    log = os.path.join(source.path, "_delta_log")
    assert events == [
        ("sync", file),
        ("sync", source.path),
        ("sync", draft),
        ("link", log_file(source.path, 2)),
        ("sync", log),
    ]


def test_a_checkpoint_is_on_the_disk_before_the_commits_it_replaces_go(
    tmp_path: Path, events: Events
) -> None:
    source = Warehouse(str(tmp_path)).source("orders")
    source.create(COLUMNS)
    for time in range(1, 101):
        source.commit(time)
    log = os.path.join(source.path, "_delta_log")
    assert [os.path.basename(path) for _, path in events[-3:]] == [
        f"{100:020d}.checkpoint.parquet",
        "_last_checkpoint",
        os.path.basename(log),
    ]


def test_columns_that_were_added_are_on_the_disk(tmp_path: Path, events: Events) -> None:
    log = Warehouse(str(tmp_path)).system("files")
    log.create(COLUMNS)
    log.widen(COLUMNS.append(pa.field("name", pa.string())))
    assert ("sync", log_file(log.path, 1)) in events


def test_a_watermark_is_on_the_disk_before_it_is_used(tmp_path: Path, events: Events) -> None:
    """But only one in some seconds waits for the disk."""
    clock = Warehouse(str(tmp_path)).clock("orders")
    for time in range(50, 50 + 3 * AHEAD, AHEAD // 10):
        with clock.turn() as turn:
            assert turn is not None
            turn.declare(time)
    assert clock.last() == time
    assert [path for operation, path in events if operation == "sync"] == [clock.path] * 3


def test_after_a_power_cut_no_time_behind_a_watermark_is_given_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine starts with a clock that is behind, and without what was written last."""
    clock = Warehouse(str(tmp_path)).clock("orders")
    with clock.turn() as turn:
        assert turn is not None
        turn.declare(1_000)
        synced = Path(clock.path).read_bytes()
        turn.declare(2_000)  # declared, but not yet on the disk
    with clock.turn() as turn:
        assert turn is not None
        assert turn.take(1) == 2_001  # the same boot
    Path(clock.path).write_bytes(synced)
    monkeypatch.setattr(source_clock, "this_boot", lambda: b"another".ljust(36))
    with clock.turn() as turn:
        assert turn is not None
        assert turn.take(1) > 2_000
        turn.declare(turn.take(1))
    with clock.turn() as turn:
        assert turn is not None
        assert turn.take(1) == turn.last + 1 < 1_000 + AHEAD + 10


def test_fast_durability_waits_for_no_disk(tmp_path: Path, events: Events) -> None:
    warehouse = Warehouse(str(tmp_path), durability=Durability.FAST)
    source, clock = warehouse.source("orders"), warehouse.clock("orders")
    source.create(COLUMNS)
    for time in range(1, 102):
        source.append(rows(time), time)
    with clock.turn() as turn:
        assert turn is not None
        turn.declare(102)
    assert [event for event in events if event[0] == "sync"] == []


def test_stages_and_plain_tables_wait_for_no_disk(tmp_path: Path, events: Events) -> None:
    warehouse = Warehouse(str(tmp_path))
    stage, plain = warehouse.stage("v@1"), warehouse.published("v")
    stage.create(COLUMNS)
    plain.create(COLUMNS)
    stage.append(rows(1), 1)
    plain.commit(1)
    assert [event for event in events if event[0] == "sync"] == []


@pytest.mark.parametrize("left", [b"", b"\0" * 40])
def test_a_clock_that_a_power_cut_emptied_starts_anew(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "orders").write_bytes(left)
    clock = SourceClock(str(tmp_path / "orders"))
    assert clock.last() is None
    with clock.turn() as turn:
        assert turn is not None
        assert turn.take(50) == 50
        turn.store(50)
    assert clock.last() == 50


def stored(folder: Path) -> Timeline:
    timeline = Timeline(str(folder / "t"))
    timeline.create(COLUMNS)
    for time in (1, 2, 3):
        timeline.append(rows(*range(time * 100)), time)
    return timeline


def newest(timeline: Timeline) -> str:
    return max(file.path for file in timeline.snapshot().files)


def cut(path: str, to: int) -> None:
    os.truncate(path, to)


def test_a_whole_table_has_no_damage(tmp_path: Path) -> None:
    timeline = stored(tmp_path)
    assert damage(timeline.log) == damage(Timeline(timeline.path).log) == ""
    assert damage(Timeline(str(tmp_path / "none")).log) == ""


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda table: os.unlink(newest(table)), "is missing"),
        (lambda table: cut(newest(table), 100), "has 100 of its"),
        (lambda table: cut(newest(table), 0), "has 0 of its"),
        (lambda table: cut(log_file(table.path, 3), 0), "version 3 of its log is empty"),
        (lambda table: cut(log_file(table.path, 3), 90), "is damaged"),
        (lambda table: os.unlink(log_file(table.path, 2)), "is damaged"),
    ],
)
def test_damage_is_seen_by_whoever_opens_the_table(
    harm: Callable[[Timeline], None], says: str, tmp_path: Path
) -> None:
    timeline = stored(tmp_path)
    harm(timeline)
    assert says in damage(Timeline(timeline.path).log)


def test_a_torn_commit_is_an_error_with_a_name(tmp_path: Path) -> None:
    timeline = stored(tmp_path)
    follower = Timeline(timeline.path)
    assert follower.time() == 3
    timeline.commit(4)
    cut(log_file(timeline.path, 4), 30)
    with pytest.raises(HeadwaterError, match="damaged") as caught:
        follower.time()
    assert caught.value.code == "HW805"
    with pytest.raises(HeadwaterError, match="damaged"):
        Timeline(timeline.path).time()
