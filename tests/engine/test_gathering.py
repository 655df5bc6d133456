"""New small files of a source become one before a push, if everybody who reads it is pushed beyond them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

import headwater
from headwater.capture.intake.append import open_source
from headwater.engine.push.gathering import gather
from headwater.engine.push.workplace import Workplace
from headwater.errors import HeadwaterError
from headwater.storage.timeline import WEIGHT, Timeline
from headwater.storage.zset import consolidate

SQL = """
CREATE TABLE t (k BIGINT, x BIGINT);
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT k, x FROM t WHERE x > 1;
CREATE MATERIALIZED VIEW w FRESHNESS = INTERVAL '30' SECOND AS SELECT x, count(*) AS n FROM t GROUP BY x;
"""


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    (tmp_path / "headwater.yml").write_text("name: t\n")
    (tmp_path / "t.sql").write_text(SQL)
    project = headwater.open(str(tmp_path))
    open_source(project.warehouse, project.project.tables["t"])
    made = Workplace(cast(Any, None), project.warehouse, project.catalog)
    for view in ("v", "w"):
        made.timeline(view).create(pa.schema([("k", pa.int64()), ("x", pa.int64())]))
    return made


def feed(source: Timeline, times: range) -> None:
    for time in times:
        rows = pa.table(
            {"k": [time, time], "x": [1, time], WEIGHT: pa.array([1, -1 if time % 3 == 0 else 1])}
        )
        source.append(rows, time)


def rows(source: Timeline, after: int, until: int) -> list[dict[str, Any]]:
    found = consolidate(source.read(source.delta(after, until))).to_pylist()
    return sorted(found, key=lambda row: (row["k"], row["x"]))


def test_a_delta_is_the_same_and_one_file(workplace: Workplace) -> None:
    source = workplace.warehouse.source("t")
    feed(source, range(10, 20))
    for view in ("v", "w"):
        workplace.timeline(view).commit(12)
    before, older = rows(source, 12, 19), rows(source, 0, 12)
    gather(workplace, {"v", "w"}, 18)
    assert rows(source, 12, 19) == before
    assert rows(source, 0, 12) == older
    assert len(source.delta(12, 18).files) == 1
    assert len(source.delta(18, 19).files) == 1
    assert source.gathered() == 18
    assert source.horizon() == 0


def test_a_source_that_others_read_is_left_alone(workplace: Workplace) -> None:
    source = workplace.warehouse.source("t")
    feed(source, range(10, 20))
    for view in ("v", "w"):
        workplace.timeline(view).commit(12)
    gather(workplace, {"v"}, 19)
    assert len(source.delta(12, 19).files) == 7
    assert source.gathered() == 0


def test_what_one_reader_has_read_keeps_its_times(workplace: Workplace) -> None:
    source = workplace.warehouse.source("t")
    feed(source, range(10, 30))
    workplace.timeline("v").commit(12)
    workplace.timeline("w").commit(20)
    gather(workplace, {"v", "w"}, 29)
    assert len(source.delta(12, 20).files) == 8
    assert len(source.delta(20, 29).files) == 1


def test_a_view_that_was_never_computed_holds_up_nobody(workplace: Workplace) -> None:
    source = workplace.warehouse.source("t")
    feed(source, range(10, 20))
    workplace.timeline("v").commit(12)
    with workplace.warehouse.clock("t").turn() as turn:
        assert turn is not None
        turn.store(16)
    gather(workplace, {"v"}, 19, {"w": 14})
    assert len(source.delta(14, 19).files) == 5  # it is being computed as of 14
    assert source.gathered() == 0 or source.gathered() <= 14
    gather(workplace, {"v"}, 19)
    assert len(source.delta(16, 19).files) == 3  # it may be computed as of 16, or later
    assert source.gathered() == 16


def test_who_was_not_there_when_changes_were_merged_is_told_so(workplace: Workplace) -> None:
    """A view that was dropped at 15 and comes back must not read what was merged from 12 on."""
    source = workplace.warehouse.source("t")
    feed(source, range(10, 20))
    for view in ("v", "w"):
        workplace.timeline(view).commit(12)
    gather(workplace, {"v", "w"}, 18)
    assert [time for time in range(10, 20) if not source.has_changes_since(time)] == [13, 14, 15, 16, 17]
    # The push has failed and is tried again: what is there already is part of what is merged now.
    feed(source, range(20, 30))
    gather(workplace, {"v", "w"}, 25)
    assert source.has_changes_since(12)
    assert not any(map(source.has_changes_since, range(13, 25)))
    for view in ("v", "w"):
        workplace.timeline(view).commit(26)
    feed(source, range(30, 40))
    gather(workplace, {"v", "w"}, 39)
    assert [time for time in range(12, 40) if source.has_changes_since(time)] == [25, 26, 39]


def test_a_view_whose_log_is_truncated_holds_up_its_sources_only(workplace: Workplace) -> None:
    source = workplace.warehouse.source("t")
    feed(source, range(10, 20))
    for view in ("v", "w"):
        workplace.timeline(view).commit(12)
    truncate(workplace.timeline("w"))
    gather(workplace, {"v"}, 19)
    assert source.gathered() == 0


def truncate(timeline: Timeline) -> None:
    """Half of the next commit is there, as after a crash of the disk."""
    version = timeline.snapshot().version + 1
    (Path(timeline.path) / "_delta_log" / f"{version:020d}.json").write_text('{"commitInfo": {"times')
    with pytest.raises(HeadwaterError, match="HW805"):
        timeline.time()
