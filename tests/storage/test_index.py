"""Side files find the rows of a key, are made once, and are never trusted when they are not whole."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.storage.delta.data_files import DataFile
from headwater.storage.index import key_file, row_file
from headwater.storage.index.hashes import can_hash, key_hashes
from headwater.storage.index.key_file import open_key_file
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.index.row_file import open_row_file
from headwater.storage.index.side_files import FOLDER, sweep
from headwater.storage.timeline import WEIGHT, Timeline, change_schema
from headwater.storage.vacuum.table_files import table_files
from support.cases import law

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string())])


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just started."""
    for module in (key_file, row_file):
        monkeypatch.setattr(module, "_open", RecentlyUsed(module.MOST_OPEN))


@pytest.fixture
def timeline(tmp_path: Path) -> Timeline:
    made = Timeline(str(tmp_path / "t"))
    made.create(COLUMNS)
    append(made, range(100), 1)
    return made


def append(timeline: Timeline, keys: Sequence[int], time: int) -> DataFile:
    names = [f"name {key}" for key in keys]
    timeline.append(pa.table({"k": list(keys), "name": names, WEIGHT: [1] * len(keys)}), time)
    return next(file for file in timeline.snapshot().files if file.minimum["_time"] == time)


def rows_with(timeline: Timeline, file: DataFile, keys: list[int]) -> list[dict[str, Any]]:
    schema = change_schema(timeline.columns())
    hashes = np.sort(key_hashes(pa.table({"k": keys}), ["k"]))
    positions = open_key_file(file, ["k"], schema).find(hashes)
    return open_row_file(file, schema).take(positions, ["k", "name"]).to_pylist()


def test_rows_are_found_by_their_keys(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_file, "BATCH_ROWS", 7)
    file = append(timeline, [5, 3, 5, 9, *range(100, 130)], 2)
    assert [row["k"] for row in rows_with(timeline, file, [5, 4, 129])] == [5, 5, 129]
    assert rows_with(timeline, file, [4, 6]) == []
    assert rows_with(timeline, file, [3]) == [{"k": 3, "name": "name 3"}]


def test_side_files_are_made_once(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = timeline.snapshot().files
    expected = rows_with(timeline, file, [7])
    folder = Path(timeline.path) / FOLDER
    made = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    for module in (key_file, row_file):
        monkeypatch.setattr(module, "_open", RecentlyUsed(1))
    assert rows_with(timeline, file, [7]) == expected
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == made


@pytest.mark.parametrize("damage", [b"", b"HWKEYS01", b"x" * 1216, b"x" * 5_000], ids=len)
def test_a_damaged_side_file_is_made_again(
    timeline: Timeline, damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = timeline.snapshot().files
    expected = rows_with(timeline, file, [7, 70])
    for path in (Path(timeline.path) / FOLDER).iterdir():
        path.unlink()
        path.write_bytes(damage)
    for module in (key_file, row_file):
        monkeypatch.setattr(module, "_open", RecentlyUsed(1))
    assert rows_with(timeline, file, [7, 70]) == expected


def test_side_files_go_with_their_data_files(timeline: Timeline) -> None:
    first, second = append(timeline, [1], 2), append(timeline, [2], 3)
    for file in (first, second):
        rows_with(timeline, file, [1, 2])
    timeline.log.rewrite([], [first], {})
    assert sweep(timeline) == 2
    left = {name.partition(".parquet")[0] for name in os.listdir(os.path.join(timeline.path, FOLDER))}
    assert left == {second.relative.removesuffix(".parquet")}
    assert sweep(timeline) == 0


def test_vacuum_leaves_them_alone(timeline: Timeline) -> None:
    (file,) = timeline.snapshot().files
    rows_with(timeline, file, [7])
    files = table_files(timeline.log)
    assert files.unused == ()
    assert files.index_bytes > 0


def test_a_column_that_the_file_lacks_is_null(timeline: Timeline) -> None:
    (file,) = timeline.snapshot().files
    wider = pa.schema([*change_schema(timeline.columns()), ("added", pa.int32())])
    rows = open_row_file(file, wider).take(np.array([1, 2]), ["k", "added"])
    assert rows.to_pylist() == [{"k": 1, "added": None}, {"k": 2, "added": None}]


VALUES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "text": (pa.string(), st.text(max_size=12)),
    "bytes": (pa.binary(), st.binary(max_size=12)),
    "integer": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "float": (pa.float32(), st.floats(width=32)),
    "decimal": (pa.decimal128(38, 2), st.decimals(-(10**30), 10**30, places=2)),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates()),
    "instant": (pa.timestamp("us", "UTC"), st.datetimes()),
}


@pytest.mark.parametrize("kind", VALUES)
def test_equal_keys_and_only_those_have_equal_hashes(kind: str) -> None:
    arrow, values = VALUES[kind]

    @law(40)
    @given(st.lists(st.none() | values, max_size=30), st.integers(0, 5))
    def check(drawn: list[Any], cut: int) -> None:
        column = pa.array(drawn, arrow)
        whole = key_hashes(pa.table({"k": column}), ["k"])
        pieces = pa.chunked_array([column.slice(0, cut), column.slice(cut)])
        assert whole.tolist() == key_hashes(pa.table({"k": pieces}), ["k"]).tolist()
        for one, hash_of_one in zip(column.to_pylist(), whole.tolist(), strict=True):
            for other, hash_of_other in zip(column.to_pylist(), whole.tolist(), strict=True):
                assert (hash_of_one == hash_of_other) == equal(one, other)

    check()


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def test_keys_of_several_columns() -> None:
    rows = pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [Decimal(1)] * 4})
    assert len(set(key_hashes(rows, ["a", "b"]).tolist())) == 4
    assert len(set(key_hashes(rows, ["a", "c"]).tolist())) == 2
    assert key_hashes(rows, ["a", "b"]).tolist() != key_hashes(rows, ["b", "a"]).tolist()
    assert not can_hash(pa.list_(pa.int64()))


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    recent: RecentlyUsed[str, str] = RecentlyUsed(6, len)
    for name in ("aa", "bb", "cc"):
        recent.put(name, name)
    recent.get("aa")
    recent.put("dd", "dd")
    assert [recent.get(name) for name in ("aa", "bb", "cc", "dd")] == ["aa", None, "cc", "dd"]
    recent.put("dd", "dddd")
    assert recent.total == 6
    assert recent.put("large", "1234567") == "1234567"
    assert recent.total == 0
