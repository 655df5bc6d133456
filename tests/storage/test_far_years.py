"""Years that Python's datetime does not have are stored, found again and shown like any other."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from headwater.capture.intake.append import append
from headwater.cli.show.output import to_json
from headwater.clock import ManualClock
from headwater.model import Column, Table
from headwater.storage.as_python import as_python
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.published import publish, read_published
from headwater.storage.timeline import Range, Timeline
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

AT, DAY = pa.timestamp("us", "UTC"), pa.date32()
COLUMNS = pa.schema([("k", pa.int64()), ("at", AT), ("day", DAY)])
FAR_AT, FAR_DAY = 253_402_300_800_000_000, 2_932_897  # 10000-01-01
LONG_AGO_AT, LONG_AGO_DAY = -62_135_596_800_000_001, -719_163  # the last of the year 0
ROWS = [(1, FAR_AT, FAR_DAY), (2, LONG_AGO_AT, LONG_AGO_DAY), (3, 0, 0), (4, None, None)]


def changes(*rows: tuple[int, int | None, int | None], weight: int = 1) -> pa.Table:
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate([pa.int64(), AT, DAY])]
    weights = pa.array([weight] * len(rows), pa.int64())
    return pa.table([*columns, weights], names=[*COLUMNS.names, "_weight"])


def ticks(table: pa.Table) -> list[tuple[Any, ...]]:
    numbers = [table.column("k"), table.column("at").cast(pa.int64()), table.column("day").cast(pa.int32())]
    return sorted(zip(*(column.to_pylist() for column in numbers), strict=True))


def test_a_timeline_stores_them_and_knows_no_range(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path / "t"))
    timeline.create(COLUMNS)
    timeline.append(changes(*ROWS), 10)
    timeline.append(changes((5, 1, 1)), 20)
    for opened in (timeline, Timeline(timeline.path)):
        now = Range("at", datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
        assert [file.minimum["_time"] for file in opened.as_of(30, [now]).files] == [10]
        assert ticks(opened.read(opened.as_of(30))) == sorted([*ROWS, (5, 1, 1)])


def test_ranges_that_another_writer_put_into_the_log_are_unknown(tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    rows = changes(*ROWS[:1]).drop_columns("_weight")
    write_deltalake(path, rows)
    (log,) = (tmp_path / "t" / "_delta_log").glob("*.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    add = next(line["add"] for line in lines if "add" in line)
    bounds = {"k": 1, "at": "+10000-01-01T00:00:00.000Z", "day": "+10000-01-01"}
    statistics = {"numRecords": 1, "minValues": bounds, "maxValues": bounds, "nullCount": {"k": 0}}
    for at in (json.dumps(statistics), json.dumps(statistics).replace("+", "")):
        add["stats"] = at
        log.write_text("\n".join(map(json.dumps, lines)) + "\n")
        (file,) = DeltaLog(path).snapshot().files
        assert file.may_hold("at", datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))
        assert file.may_hold("day", date(2026, 1, 1), date(2026, 1, 1))
        assert not file.may_hold("k", 5, 6)


def test_followed_commits_with_such_ranges(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path / "t"))
    timeline.create(COLUMNS)
    follower = Timeline(timeline.path)
    assert follower.time() == 0
    timeline.append(changes(*ROWS[:1]), 10)
    assert ticks(follower.read(follower.as_of(10))) == ROWS[:1]


def test_a_plain_table_gets_and_loses_them(tmp_path: Path) -> None:
    log = DeltaLog(str(tmp_path / "v"))
    log.create(COLUMNS)
    assert publish(log, changes(*ROWS), 10)
    assert publish(log, changes(ROWS[0], weight=-1), 20)
    assert ticks(read_published(log)[1].slice(0)) == sorted(ROWS[1:])
    only = pa.table({"at": pa.array([FAR_AT], AT), "_weight": pa.array([1], pa.int64())})
    narrow = DeltaLog(str(tmp_path / "w"))
    narrow.create(pa.schema([("at", AT)]))
    assert publish(narrow, only, 10)
    assert publish(narrow, only.set_column(1, "_weight", pa.array([-1], pa.int64())), 20)
    assert narrow.snapshot().rows == 0
    assert DeltaTable(narrow.path).to_pyarrow_table().num_rows == 0


def test_nested_ones_are_equal_to_each_other() -> None:
    window = pa.struct([("start", AT), ("end", AT)])
    rows = pa.table(
        {
            "window": pa.array([{"start": FAR_AT, "end": FAR_AT}] * 2, window),
            "_weight": pa.array([1, -1], pa.int64()),
        }
    )
    assert consolidate(rows).num_rows == 0


def test_they_are_shown_as_text() -> None:
    table = changes(*ROWS)
    window = pa.array([{"start": FAR_AT}, {"start": 0}, None, {"start": None}], pa.struct([("start", AT)]))
    days = pa.array([[FAR_DAY, 0], [], None, [None]], pa.list_(DAY))
    rows = as_python(table.append_column("window", window).append_column("days", days))
    assert rows[0] == {
        "k": 1,
        "at": "10000-01-01 00:00:00.000000Z",
        "day": "10000-01-01",
        "_weight": 1,
        "window": {"start": "10000-01-01 00:00:00.000000Z"},
        "days": ["10000-01-01", date(1970, 1, 1)],
    }
    assert (rows[1]["day"], rows[2]["day"], rows[3]["at"]) == ("0000-12-31", date(1970, 1, 1), None)
    assert "10000-01-01" in to_json(rows)
    assert as_python(table.slice(2)) == table.slice(2).to_pylist()


KEYED = Table(
    "events",
    (Column("at", "timestamp", nullable=False), Column("day", "date"), Column("n", "bigint")),
    key=("at",),
    unique=(("day",),),
)


@pytest.mark.parametrize("times", [1, 3])
def test_a_source_keyed_by_them_takes_records(times: int, tmp_path: Path) -> None:
    """Inserted, refused as repeated, and read back, by one process after another."""
    clock = ManualClock()
    rows = pa.table(
        {
            "at": pa.array([FAR_AT, 0], AT),
            "day": pa.array([FAR_DAY, 0], DAY),
            "n": pa.array([1, 2], pa.int64()),
        }
    )
    for attempt in range(times):
        appended = append(Warehouse(str(tmp_path)), KEYED, rows, clock)
        assert (appended.accepted, appended.rejected) == ((2, 0) if attempt == 0 else (0, 2))
    source = Warehouse(str(tmp_path)).source("events")
    stored = consolidate(source.read(source.as_of(source.time())))
    assert sorted(stored.column("n").to_pylist()) == [1, 2]
