"""Timelines, Z-sets as Arrow, plain view tables: what storage promises, without Spark."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.published import publish, read_published
from headwater.storage.timeline import COMPACTED, Range, Timeline
from headwater.storage.view_rows import read_view
from headwater.storage.zset import consolidate, expand
from support.cases import scaled

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string())])


def changes(*rows: tuple[int | None, str | None, int]) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([row[0] for row in rows], pa.int64()),
            "name": pa.array([row[1] for row in rows], pa.string()),
            "_weight": pa.array([row[2] for row in rows], pa.int64()),
        }
    )


def rows_of(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


def timeline(folder: Path) -> Timeline:
    empty = Timeline(str(folder / "t"))
    empty.create(COLUMNS)
    return empty


def test_a_relation_is_the_sum_of_its_changes_up_to_a_time(tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    stored.append(changes((1, "a", 1), (2, "b", 1)), 10)
    stored.append(changes((1, "a", -1), (1, "c", 1)), 20)
    assert rows_of(expand(consolidate(stored.read(stored.as_of(10))))) == Counter({(1, "a"): 1, (2, "b"): 1})
    assert rows_of(expand(consolidate(stored.read(stored.as_of(25))))) == Counter({(1, "c"): 1, (2, "b"): 1})
    assert stored.delta(10, 20).rows == 2
    assert stored.delta(20, 30).empty
    assert not stored.delta(10, 20).inserts_only
    assert stored.delta(0, 10).inserts_only


def test_a_time_is_committed_once(tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    assert stored.append(changes((1, "a", 1)), 10)
    assert not stored.append(changes((1, "a", 1)), 10)
    assert not Timeline(stored.path).append(changes((1, "a", 1)), 9)
    assert rows_of(stored.read(stored.as_of(99))) == Counter({(1, "a", 1): 1})


def test_any_delta_reader_sees_weights_and_times(tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    stored.append(changes((1, "a", 1)), 10)
    assert DeltaTable(stored.path).to_pyarrow_table().to_pylist() == [
        {"k": 1, "name": "a", "_weight": 1, "_time": 10}
    ]


@pytest.mark.parametrize(
    ("low", "high", "files"), [(0, 5, 1), (6, 9, 0), (10, 12, 1), (3, 11, 2), (100, 100, 0)]
)
def test_files_outside_a_range_are_not_read(low: int, high: int, files: int, tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    stored.append(changes((1, "a", 1), (5, "b", 1)), 10)
    stored.append(changes((10, "a", 1), (20, None, 1)), 20)
    assert len(stored.as_of(30, [Range("k", low, high)]).files) == files


def test_the_horizon_of_compaction_is_remembered(tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    stored.append(changes((1, "a", 1)), 10)
    stored.append(changes((1, "a", -1)), 20)
    assert stored.horizon() == 0
    assert stored.log.rewrite([], stored.snapshot().files, {COMPACTED: 20})
    assert stored.horizon() == Timeline(stored.path).horizon() == 20
    assert stored.time() == 20


def test_consolidate_joins_what_is_equal() -> None:
    nan, other = float("nan"), -float("nan")
    table = pa.table(
        {
            "x": pa.array([0.0, -0.0, nan, other, None, None], pa.float64()),
            "parts": pa.array([["a"], ["a"], [], [], None, None], pa.list_(pa.string())),
            "_weight": pa.array([1, -1, 1, -1, 2, 1], pa.int64()),
        }
    )
    assert consolidate(table).to_pylist() == [{"x": None, "parts": None, "_weight": 3}]


@pytest.mark.parametrize("seed", range(scaled(30)))
def test_a_plain_table_follows_random_deltas(seed: int, tmp_path: Path) -> None:
    """Rows with copies and NULLs come and go; the plain table always holds exactly the sum."""
    chance = random.Random(seed)
    log = DeltaLog(str(tmp_path / "plain"))
    log.create(COLUMNS)
    present: Counter[tuple[object, ...]] = Counter()
    for time in range(1, 12):
        delta = []
        for _ in range(chance.randint(0, 12)):
            if present and chance.random() < 0.5:
                row = chance.choice(list(present))
                present -= Counter([row])
                delta.append((*row, -1))
            else:
                row = (chance.choice([None, *range(6)]), chance.choice([None, "a", "b"]))
                present[row] += 1
                delta.append((*row, 1))
        assert publish(log, changes(*delta), time)
        assert publish(log, changes((99, "again", 1)), time)  # the same push again changes nothing
        published_at, table = read_published(DeltaLog(log.path))
        assert (published_at, rows_of(table)) == (time, present)


def test_a_plain_table_made_anew_forgets_its_time(tmp_path: Path) -> None:
    stored = timeline(tmp_path)
    stored.append(changes((1, "a", 1), (2, "b", 1)), 10)
    log = DeltaLog(str(tmp_path / "plain"))
    log.create(COLUMNS, "first")
    publish(log, changes((7, "old", 1)), 50)
    log.replace(COLUMNS, "second", 0)
    assert log.time() == 0
    assert rows_of(read_view(stored, log, "second")[1]) == Counter({(1, "a"): 1, (2, "b"): 1})


def test_a_dictionary_is_tried_only_on_values_that_repeat(tmp_path: Path) -> None:
    names = [("Bern", "Rome")[at % 2] for at in range(3_000)]
    rows = pa.table(
        {"k": range(3_000), "name": names, "_weight": [1] * 3_000, "many": [[at] for at in range(3_000)]}
    )
    file = write_parquet(str(tmp_path), "f.parquet", rows)
    group = pq.read_metadata(tmp_path / file.relative).row_group(0)
    tried = {
        group.column(at).path_in_schema: group.column(at).has_dictionary_page
        for at in range(group.num_columns)
    }
    assert tried == {"k": False, "name": True, "_weight": True, "many.list.element": False}
    assert pq.read_table(tmp_path / file.relative).equals(rows)
    assert write_parquet(str(tmp_path), "none.parquet", rows.slice(0, 0)).statistics.rows == 0
