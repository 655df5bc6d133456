"""Z-sets as Arrow tables: which rows are the same, and what remains of them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

NESTED = pa.struct(
    [("low", pa.float64()), ("within", pa.struct([("name", pa.string())])), ("list", pa.list_(pa.int64()))]
)
VALUES: list[Any] = [
    None,
    {"low": None, "within": None, "list": None},
    {"low": None, "within": {"name": None}, "list": []},
    {"low": 0.0, "within": {"name": "a"}, "list": [1]},
    {"low": 0.0, "within": {"name": "a"}, "list": [1, None]},
    {"low": float("nan"), "within": {"name": ""}, "list": [1]},
]


@pytest.mark.parametrize("seed", range(20))
def test_nested_rows_are_counted_as_python_counts_them(seed: int) -> None:
    chance = Random(seed)
    chosen = [(chance.randrange(len(VALUES)), chance.choice((-1, 1))) for _ in range(30)]
    expected: dict[str, int] = {}
    for number, weight in chosen:
        expected[repr(VALUES[number])] = expected.get(repr(VALUES[number]), 0) + weight
    counted = consolidate(_changes([VALUES[number] for number, _ in chosen], [sign for _, sign in chosen]))
    rows = zip(counted["value"].to_pylist(), counted[WEIGHT].to_pylist(), strict=True)
    assert {repr(value): weight for value, weight in rows} == {
        value: weight for value, weight in expected.items() if weight
    }


def test_minus_zero_is_zero_within_a_struct_too() -> None:
    both = [{"low": -0.0, "within": None, "list": None}, {"low": 0.0, "within": None, "list": None}]
    assert consolidate(_changes(both, [1, -1])).num_rows == 0


def test_windows_are_consolidated_without_python_values() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    windows = [
        {"start": start + timedelta(seconds=number), "end": start + timedelta(seconds=number + 5)}
        for number in range(50_000)
    ]
    kind = pa.struct([(name, pa.timestamp("us", tz="UTC")) for name in ("start", "end")])
    column = pa.array(windows + windows, kind)
    changes = pa.table({"w": column, WEIGHT: pa.array([1] * len(windows) + [-1] * len(windows), pa.int64())})
    begin = time.process_time()
    assert consolidate(changes).num_rows == 0
    assert time.process_time() - begin < 0.5  # by values of Python some 3 s


def _changes(values: list[Any], weights: list[int]) -> pa.Table:
    return pa.table({"value": pa.array(values, NESTED), WEIGHT: pa.array(weights, pa.int64())})
