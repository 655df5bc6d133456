"""Two processes write one table on a file system without locks: the second one fails, and nothing is wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.storage.delta.delta_log import ConflictError, DeltaLog
from headwater.storage.published import publish, publish_files, read_published
from headwater.storage.timeline import COMPACTED, Timeline

pytestmark = pytest.mark.slow

COLUMNS = pa.schema([("k", pa.int64())])


def rows(*keys: int, weight: int = 1) -> pa.Table:
    return pa.table({"k": pa.array(keys, pa.int64()), "_weight": pa.array([weight] * len(keys), pa.int64())})


def stored(folder: Path) -> Timeline:
    timeline = Timeline(str(folder / "t"))
    timeline.create(COLUMNS)
    for time in (1, 2, 3):
        timeline.append(rows(time), time)
    return timeline


def keys(timeline: Timeline) -> list[int]:
    return sorted(timeline.read(timeline.as_of(10**9)).column("k").to_pylist())


def test_of_two_that_merge_the_same_files_the_second_gives_up(tmp_path: Path) -> None:
    first, second = stored(tmp_path), Timeline(str(tmp_path / "t"))
    old = second.snapshot().files
    merged = second.write(rows(1, 2, 3), 3)
    assert first.log.rewrite([first.write(rows(1, 2, 3), 3)], first.snapshot().files, {COMPACTED: 3})
    assert not second.log.rewrite([merged], old, {COMPACTED: 3})
    assert keys(Timeline(first.path)) == [1, 2, 3]


def test_merging_gives_up_when_a_commit_slips_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the table and the write."""
    first, second = stored(tmp_path), Timeline(str(tmp_path / "t"))
    stale = second.snapshot()
    assert first.log.rewrite([first.write(rows(1, 2, 3), 3)], first.snapshot().files, {COMPACTED: 3})
    monkeypatch.setattr(second.log, "snapshot", lambda: stale)
    assert not second.log.rewrite([second.write(rows(1, 2, 3), 3)], stale.files, {COMPACTED: 3})
    assert keys(Timeline(first.path)) == [1, 2, 3]


def test_a_delta_is_committed_only_after_the_time_from_which_it_was_computed(tmp_path: Path) -> None:
    """Two runs push one stage from 3, one to 5 and one to 7: the later one would hold the changes twice."""
    first, second = stored(tmp_path), Timeline(str(tmp_path / "t"))
    assert first.commit(5, [first.write(rows(5), 5)], after=3)
    with pytest.raises(ConflictError) as caught:
        second.commit(7, [second.write(rows(5, 7), 7)], after=3)
    assert caught.value.code == "HW801"
    assert not second.commit(4, [second.write(rows(4), 4)], after=3)  # the time was reached: nothing to do
    assert keys(first) == [1, 2, 3, 5]


def test_what_is_merged_meanwhile_is_no_conflict_for_a_delta(tmp_path: Path) -> None:
    first, second = stored(tmp_path), Timeline(str(tmp_path / "t"))
    assert second.time() == 3
    assert first.log.rewrite([first.write(rows(1, 2, 3), 3)], first.snapshot().files, {COMPACTED: 3})
    assert second.commit(7, [second.write(rows(7), 7)], after=3)
    assert keys(first) == [1, 2, 3, 7]


def test_files_that_another_process_removed_cannot_be_removed_again(tmp_path: Path) -> None:
    first, second = stored(tmp_path), Timeline(str(tmp_path / "t"))
    old = second.snapshot().files
    first.log.rewrite([first.write(rows(1, 2, 3), 3)], first.snapshot().files, {COMPACTED: 3})
    with pytest.raises(ConflictError):
        second.log.commit(9, [second.write(rows(9), 9)], old, after=3)
    assert keys(first) == [1, 2, 3]


def test_two_publish_the_same_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, other = DeltaLog(str(tmp_path / "v")), DeltaLog(str(tmp_path / "v"))
    plain.create(COLUMNS)
    assert publish(plain, rows(1, 2), 10)
    stage = Timeline(str(tmp_path / "stage"))
    stage.create(COLUMNS)
    stage.append(rows(3), 20)
    assert other.time() == 10
    look, looks = other.snapshot, iter([other.snapshot()])
    monkeypatch.setattr(other, "snapshot", lambda: next(looks, None) or look())
    assert publish(plain, rows(3), 20)
    with pytest.raises(ConflictError):  # it looked at the table before the other one published
        publish_files(other, stage.delta(0, 30).files, 30)
    assert sorted(read_published(plain)[1].column("k").to_pylist()) == [1, 2, 3]


def test_threads_that_merge_and_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = stored(tmp_path).path
    appended, start = list(range(100, 120)), threading.Barrier(3)

    def merge() -> None:
        own = Timeline(path)
        start.wait()
        for _ in range(20):
            snapshot = own.snapshot()
            part = own.as_of(snapshot.time, (), snapshot)
            own.log.rewrite(
                [own.write(own.read(part), snapshot.time)], part.files, {COMPACTED: snapshot.time}
            )

    def append() -> None:
        own = Timeline(path)
        start.wait()
        for time in appended:
            assert own.append(rows(time), time)

    threads = [threading.Thread(target=work) for work in (merge, merge, append)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys(Timeline(path)) == [1, 2, 3, *appended]


PUSH = """
import sys
import pyarrow as pa
from headwater.storage.delta.delta_log import ConflictError
from headwater.storage.timeline import Timeline

timeline, step = Timeline(sys.argv[1]), int(sys.argv[2])
pushed = conflicts = 0
while (after := timeline.time()) < 2_000:
    until = after + step
    keys = pa.array(range(after + 1, until + 1), pa.int64())
    changes = pa.table({"k": keys, "_weight": pa.array([1] * len(keys), pa.int64())})
    try:
        pushed += timeline.commit(until, [timeline.write(changes, until)], after=after)
    except ConflictError:
        conflicts += 1
print(pushed, conflicts)
"""


def test_two_processes_push_one_stage(tmp_path: Path) -> None:
    """Each pushes the changes after the time it sees; whoever commits second would repeat some of them."""
    timeline = Timeline(str(tmp_path / "t"))
    timeline.create(COLUMNS)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PUSH, timeline.path, str(step)], stdout=subprocess.PIPE, text=True
        )
        for step in (37, 41)
    ]
    counts = [[int(word) for word in process.communicate()[0].split()] for process in processes]
    assert all(process.returncode == 0 for process in processes)
    assert sum(pushed for pushed, _ in counts) == timeline.snapshot().version
    assert keys(timeline) == list(range(1, timeline.time() + 1))
