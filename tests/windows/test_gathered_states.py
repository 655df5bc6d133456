"""States of many timelines that a family reads: their sum is remembered, and is what their files hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.engine.query.families import gathered_files
from headwater.engine.query.families.gathered_files import Gathered, gathered_file
from headwater.storage import fresh_rows
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.timeline import WEIGHT, Range, Timeline, change_schema

INSTANT = pa.timestamp("us", tz="UTC")
WINDOW = pa.struct([pa.field("start", INSTANT, nullable=False), pa.field("end", INSTANT, nullable=False)])
COLUMNS = pa.schema([("symbol", pa.string()), pa.field("w", WINDOW, nullable=False), ("n", pa.int64())])
LATEST = 1_000_000
Key = tuple[str, int]


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


class Views:
    """Three timelines of windows of ten seconds, and what each holds."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.folder, self.random = folder, random
        self.timelines = [Timeline(str(folder / f"v{number}")) for number in range(3)]
        self.states: list[dict[Key, int]] = [{} for _ in self.timelines]
        self.fresh = FreshRows()
        for timeline in self.timelines:
            timeline.create(COLUMNS)

    def push(self, time: int) -> None:
        """Some windows of the last seconds change; the old state is taken back."""
        for timeline, states in zip(self.timelines, self.states, strict=True):
            keys = {(self.random.choice("ab"), 10 * self.random.randint(time - 3, time)) for _ in range(5)}
            rows = []
            for key in sorted(keys):
                if key in states:
                    rows.append(self._change(key, states[key], -1))
                states[key] = self.random.randint(1, 99)
                rows.append(self._change(key, states[key], 1))
            changes = pa.Table.from_pylist(rows, schema=change_schema(COLUMNS))
            timeline.commit(time, [timeline.write(changes, time)])

    @staticmethod
    def _change(key: Key, n: int, weight: int) -> dict[str, object]:
        window = {"start": at(key[1]), "end": at(key[1] + 10)}
        return {"symbol": key[0], "w": window, "n": n, WEIGHT: weight}

    def merge(self, number: int) -> None:
        """Replace all files of a timeline by one with the same rows."""
        timeline = self.timelines[number]
        whole = timeline.as_of(LATEST)
        file = timeline.write(timeline.read(whole), timeline.time())
        assert timeline.log.rewrite([file], whole.files, {})

    def gathered(self, memory: Gathered, since: int) -> list[tuple[object, ...]]:
        """The rows of the gathered file, of windows that start from then on."""
        span = at(since), at(LATEST)
        members = [
            (
                timeline.path,
                timeline.as_of(LATEST, [Range("w.start", *span)]),
                timeline.as_of(LATEST),
            )
            for timeline in self.timelines
        ]
        names = ["symbol", "w", "n"]
        path = gathered_file(
            memory,
            self.fresh,
            str(self.folder),
            self.timelines[0],
            members,
            names,
            "member",
            [Range("w", *span)],
        )
        assert path is not None
        return sorted(
            (row["member"], row["symbol"], row["w"]["start"], row["n"], row[WEIGHT])
            for row in pq.read_table(path).to_pylist()
            if row["w"]["start"] >= at(since)
        )

    def expected(self, since: int) -> list[tuple[object, ...]]:
        return sorted(
            (number, symbol, at(start), n, 1)
            for number, states in enumerate(self.states)
            for (symbol, start), n in states.items()
            if start >= since
        )


@pytest.fixture
def views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Views:
    monkeypatch.setattr(gathered_files, "MANY_FILES", 2)
    return Views(tmp_path, Random(7))


def test_the_sum_is_what_the_files_hold_after_every_push(views: Views) -> None:
    memory = Gathered()
    for time in range(1, 10):
        views.push(time)
        if time == 5:
            views.merge(1)  # a file that stands for others must not be added to them
        since = 10 * (time - 3) if time != 7 else 0  # a late row asks for windows that were left out
        assert views.gathered(memory, since) == views.expected(since)


def test_files_that_are_known_are_not_read_again(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    files = gathered_files.read_files
    monkeypatch.setattr(
        gathered_files, "read_files", lambda paths, *rest: read.extend(paths) or files(paths, *rest)
    )
    memory = Gathered()
    for time in range(1, 6):
        views.push(time)
        views.gathered(memory, -100)
    assert len(read) == len(set(read)) == 15


def test_rows_that_were_just_written_are_not_read(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Gathered()
    monkeypatch.setattr(gathered_files, "read_files", lambda *asked: pytest.fail(f"{asked[0]} is read"))
    for time in range(1, 4):
        views.push(time)
        whole = [(timeline, timeline.delta(time - 1, time)) for timeline in views.timelines]
        views.fresh.remember(
            {part.files[0].path: timeline.read(part) for timeline, part in whole if part.files}
        )
        assert views.gathered(memory, 0) == views.expected(0)


def test_of_each_table_the_last_files_are_remembered_while_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fresh = FreshRows()
    rows = pa.table({"symbol": ["a", "b"], WEIGHT: [1, -1]})
    fresh.remember({"v0/1": rows, "v1/1": rows, "v1/2": rows})
    fresh.remember({"v2/1": rows})
    assert fresh.of(["v1/2", "v1/1"], ["symbol"]) == pa.concat_tables([rows, rows]).select(["symbol"])
    assert fresh.of(["v1/2", "v1/0"], ["symbol"]) is None, "one of them must be read"
    assert fresh.of([], ["symbol"]) is None
    fresh.remember({"v1/3": rows})
    assert fresh.of(["v1/1"], ["symbol"]) is None
    assert fresh.of(["v0/1"], [WEIGHT, "symbol"]) == rows.select([WEIGHT, "symbol"])
    monkeypatch.setattr(fresh_rows, "MOST_BYTES", rows.nbytes)
    fresh.remember({"v3/1": rows})
    assert [fresh.of([path], ["symbol"]) is None for path in ("v0/1", "v2/1", "v1/3", "v3/1")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_oldest_sums_go_where_there_is_no_room(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Gathered()
    views.push(1)
    views.gathered(memory, 0)
    monkeypatch.setattr(gathered_files, "REMEMBERED_BYTES", 1)
    views.push(2)
    assert views.gathered(memory, 0) == views.expected(0)
    assert not memory.sums
