"""Small files become large ones without writing a row again and again."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headwater
from headwater.capture.intake.append import open_source
from headwater.clock import ManualClock
from headwater.engine.upkeep.budget import UpkeepBudget
from headwater.engine.upkeep.compaction import Compactor, compact, horizon
from headwater.engine.upkeep.merges import LEAST_ROWS, MANY_FILES, Merge
from headwater.engine.upkeep.merging import Merged, merge_on_driver
from headwater.errors import HeadwaterError
from headwater.storage.delta.delta_log import ConflictError
from headwater.storage.timeline import WEIGHT, Timeline
from headwater.storage.zset import consolidate

pytestmark = pytest.mark.slow

COLUMNS = pa.schema([("a", pa.int64())])


@pytest.mark.slow
def test_a_row_is_written_anew_only_when_its_file_doubles(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path))
    timeline.create(COLUMNS, "numbers")
    pushes, rows_each, written = 40, 10, 0
    for time in range(1, pushes * MANY_FILES + 1):
        rows = list(range(rows_each))
        timeline.append(pa.table({"a": rows, WEIGHT: pa.array([1] * rows_each, pa.int64())}), time)
        before = {file.path for file in timeline.snapshot().files}
        if compact(timeline, time):
            added = [file for file in timeline.snapshot().files if file.path not in before]
            written += sum(file.rows for file in added)
    whole = pushes * MANY_FILES * rows_each
    files = timeline.snapshot().files
    assert sum(file.rows for file in files) == whole
    assert len(files) < 2 * MANY_FILES
    assert written < 8 * whole  # each row about log2(pushes) times; twenty times if all were merged


def test_random_updates_leave_at_most_twice_the_live_rows(tmp_path: Path) -> None:
    """Also where every file is large: they were never merged once."""
    timeline = Timeline(str(tmp_path))
    timeline.create(pa.schema([("k", pa.int64()), ("v", pa.int64())]))
    live, updated, chance = 60_000, 55_000, np.random.default_rng(1)
    versions = np.zeros(live, np.int64)
    timeline.append(changes(np.arange(live), versions, 1), 1)
    for time in range(2, 30):
        keys = chance.choice(live, updated, replace=False)
        old = changes(keys, versions[keys], -1)
        versions[keys] = time
        timeline.append(pa.concat_tables([old, changes(keys, versions[keys], 1)]), time)
        compact(timeline, time)
        assert timeline.snapshot().rows <= 2 * live + LEAST_ROWS
    stored = consolidate(timeline.read(timeline.as_of(29)))
    assert stored.sort_by("k").column("v").to_pylist() == versions.tolist()


def changes(keys: np.ndarray, values: np.ndarray, weight: int) -> pa.Table:
    return pa.table({"k": keys, "v": values, WEIGHT: np.full(len(keys), weight)})


SQL = """
CREATE TABLE t (a BIGINT);
CREATE TABLE u (a BIGINT);
CREATE MATERIALIZED VIEW done FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t;
CREATE MATERIALIZED VIEW never FRESHNESS = INTERVAL '30' SECOND AS SELECT t.a FROM t JOIN u ON t.a = u.a;
"""


@pytest.fixture
def project(tmp_path: Path) -> headwater.api.Headwater:
    (tmp_path / "headwater.yml").write_text("name: t\n")
    (tmp_path / "t.sql").write_text(SQL)
    opened = headwater.open(str(tmp_path))
    for table in opened.project.tables.values():
        open_source(opened.warehouse, table)
    for time in range(1, 4 * MANY_FILES):
        rows = pa.table({"a": [time], WEIGHT: pa.array([1], pa.int64())})
        opened.warehouse.source("t").append(rows, time)
    done = opened.warehouse.stage(opened.catalog.folder("done"))
    done.create(COLUMNS)
    done.commit(3 * MANY_FILES)
    return opened


def compactor(project: headwater.api.Headwater, **options: Any) -> Compactor:
    return Compactor(lambda: project.catalog, project.warehouse, **options)


def captured(project: headwater.api.Headwater, table: str, time: int) -> None:
    with project.warehouse.clock(table).turn() as turn:
        assert turn is not None
        turn.store(time)


def test_a_view_that_is_never_computed_does_not_block_compaction(project: headwater.api.Headwater) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    source = project.warehouse.source("t")
    files = len(source.snapshot().files)
    assert horizon(project.catalog, project.warehouse, "t") == 3 * MANY_FILES
    assert compactor(project).compact() == 1
    assert len(source.snapshot().files) < files


def test_what_its_first_computation_will_read_stays(project: headwater.api.Headwater) -> None:
    """It is computed as far as its sources are captured, or as of the time that it was begun with."""
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 5)
    assert horizon(project.catalog, project.warehouse, "t") == 5
    captured(project, "u", 4 * MANY_FILES)
    assert horizon(project.catalog, project.warehouse, "t", {"never": 7}) == 7


def test_a_source_whose_clock_is_unknown_is_left_alone(project: headwater.api.Headwater) -> None:
    assert compactor(project).compact() == 0


def test_one_broken_timeline_does_not_keep_others_from_being_compacted(
    project: headwater.api.Headwater,
) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    broken = Path(project.warehouse.source("u").path) / "_delta_log" / f"{1:020d}.json"
    broken.write_text('{"commitInfo": {"times')
    files = len(project.warehouse.source("t").snapshot().files)
    with pytest.raises(HeadwaterError, match="HW805"):
        compactor(project).compact()
    assert len(project.warehouse.source("t").snapshot().files) < files


def test_history_that_is_to_be_kept_stays(project: headwater.api.Headwater) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    assert horizon(project.catalog, project.warehouse, "t", keep_since=20) == 20
    source = project.warehouse.source("t")
    compactor(project, keep_since=lambda catalog, relation: 20).compact()
    assert source.horizon() <= 20
    assert len(source.delta(20, 4 * MANY_FILES).files) == 4 * MANY_FILES - 21


def test_a_first_computation_that_begins_meanwhile_keeps_its_history(
    project: headwater.api.Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began as of an earlier time while the files were being merged: the merge is given up."""
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    computing: dict[str, int] = {}

    def merge_and_begin(timeline: Timeline, merge: Merge, newest: int) -> Merged:
        computing["never"] = 7
        return merge_on_driver(timeline, merge, newest)

    monkeypatch.setattr("headwater.engine.upkeep.compaction.merge_on_driver", merge_and_begin)
    source = project.warehouse.source("t")
    before = source.snapshot()
    stored = sorted(Path(source.path).glob("*.parquet"))
    assert compactor(project, first_computations=lambda: nullcontext(computing)).compact() == 0
    assert source.snapshot() == before
    assert source.horizon() == 0
    assert sorted(Path(source.path).glob("*.parquet")) == stored


def test_files_that_were_replaced_meanwhile_are_not_replaced_again(
    project: headwater.api.Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    source = project.warehouse.source("t")

    def merge_too_late(timeline: Timeline, merge: Merge, newest: int) -> Merged:
        merged = merge_on_driver(timeline, merge, newest)
        assert timeline.log.rewrite(merge_on_driver(timeline, merge, newest).files, merge.files, {})
        return merged

    monkeypatch.setattr("headwater.engine.upkeep.compaction.merge_on_driver", merge_too_late)
    before = consolidate(source.read(source.as_of(source.time()))).num_rows
    assert compactor(project).compact() == 0
    assert source.snapshot().rows == before


def test_upkeep_waits_until_its_share_has_paid(project: headwater.api.Headwater) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    clock = ManualClock()
    budget = UpkeepBudget(clock, share=0.1, cores=2)
    budgeted = compactor(project, budget=budget)
    budget.spend(60)
    clock.advance(timedelta(seconds=299))
    assert budgeted.compact() == 0
    clock.advance(timedelta(seconds=2))
    assert budgeted.compact() == 1
    assert budget.spent > 60


def test_many_small_merges_are_done_at_one_look() -> None:
    clock = ManualClock()
    budget = UpkeepBudget(clock, share=0.1, cores=2)
    clock.advance(timedelta(hours=1))  # not all of this is saved up
    for _ in range(16):
        assert budget.affords_more()
        budget.spend(0.125)
    assert budget.affords_more()
    budget.spend(0.125)
    assert not budget.affords_more()


def test_a_large_merge_is_left_to_spark(
    project: headwater.api.Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured(project, "t", 4 * MANY_FILES)
    captured(project, "u", 4 * MANY_FILES)
    monkeypatch.setattr("headwater.engine.upkeep.merges.DRIVER_ROWS", 10)
    monkeypatch.setattr("headwater.engine.upkeep.merges.LEAST_ROWS", 10)
    monkeypatch.setattr("headwater.engine.upkeep.merges._small", lambda files, many: None)
    source, time = project.warehouse.source("t"), 2 * MANY_FILES
    gone = pa.table({"a": list(range(1, time)), WEIGHT: pa.array([-1] * (time - 1), pa.int64())})
    source.append(gone, 4 * MANY_FILES)
    project.warehouse.stage(project.catalog.folder("done")).commit(5 * MANY_FILES)
    asked: list[tuple[str, int]] = []

    def large(name: str, timeline: Timeline, merge: Merge, newest: int) -> Merged | None:
        asked.append((name, merge.rows))
        return merge_on_driver(timeline, merge, newest) if len(asked) > 1 else None

    merging = compactor(project, merge_large=large)
    before = source.snapshot()
    assert merging.compact() == 0  # it was stopped
    assert source.snapshot() == before
    assert merging.compact() == 1
    assert asked == [("t", 2 * (time - 1))] * 2  # later rows cannot be among the deleted ones
    assert source.snapshot().rows == 4 * MANY_FILES - time


def test_a_table_that_is_looked_up_by_key_stays_so(tmp_path: Path) -> None:
    """The merged file has its side files before the first writer asks, and those of the old ones are gone."""
    (tmp_path / "headwater.yml").write_text("name: t\n")
    (tmp_path / "t.sql").write_text(
        "CREATE TABLE t (a BIGINT PRIMARY KEY, v BIGINT);\n"
        "CREATE MATERIALIZED VIEW done FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t;\n"
    )
    opened = headwater.open(str(tmp_path))
    keys = np.arange(30_000)
    opened.ingest("t", pa.table({"a": keys, "v": keys}))
    updates = [{"op": "upsert", "row": {"a": int(key), "v": -1}} for key in keys[:25_000]]
    opened.ingest("t", updates)
    opened.ingest("t", updates[:1])
    source = opened.warehouse.source("t")
    done = opened.warehouse.stage(opened.catalog.folder("done"))
    done.create(COLUMNS)
    done.commit(source.time())
    folder = Path(source.path) / "_keys"
    assert len({name.name.partition(".parquet")[0] for name in folder.iterdir()}) == 2
    assert compactor(opened).compact() == 1
    (file,) = source.snapshot().files
    assert {name.name.partition(".parquet")[0] for name in folder.iterdir()} == {
        file.relative.removesuffix(".parquet")
    }
    assert {name.suffix for name in folder.iterdir()} == {".keys", ".rows"}


def test_files_that_a_merge_replaced_cannot_be_replaced_by_a_commit(tmp_path: Path) -> None:
    """A replica gets its full state while it is compacted: the merged rows would be there twice."""
    timeline = Timeline(str(tmp_path))
    timeline.create(COLUMNS)
    for time in range(1, MANY_FILES + 1):
        timeline.append(pa.table({"a": [time], WEIGHT: pa.array([1], pa.int64())}), time)
    before = timeline.snapshot().files
    assert compact(timeline, MANY_FILES)
    whole = timeline.write(pa.table({"a": [0], WEIGHT: pa.array([1], pa.int64())}), 99)
    with pytest.raises(ConflictError):
        timeline.log.commit(99, [whole], before)
    assert timeline.snapshot().rows == MANY_FILES
