"""Sums of changes in buckets on disk equal sums in memory."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.capture.postgres.stream import difference
from headwater.capture.postgres.stream.difference import Buckets
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32()),
        pa.field("name", pa.string()),
        pa.field("price", pa.decimal128(10, 2)),
        pa.field("at", pa.timestamp("us", tz="UTC")),
        pa.field("share", pa.float64()),
        pa.field("raw", pa.binary()),
        pa.field(WEIGHT, pa.int64(), nullable=False),
    ]
)


def random_changes(rng: random.Random, rows: int) -> pa.Table:
    from datetime import UTC, datetime
    from decimal import Decimal

    def row() -> dict[str, object]:
        number = rng.choice([None, *range(40)])
        return {
            "id": number,
            "name": None if number is None else f"n{number % 7}",
            "price": None if rng.random() < 0.1 else Decimal(rng.randrange(3)) / 4,
            "at": datetime(2024, 1, 1 + (number or 0) % 3, tzinfo=UTC),
            "share": rng.choice([0.0, -0.0, float("nan"), None]),
            "raw": rng.choice([None, b"", b"x"]),
            WEIGHT: rng.choice([-1, 1, 1]),
        }

    return pa.Table.from_pylist([row() for _ in range(rows)], schema=SCHEMA)


def rows_of(table: pa.Table) -> list[str]:
    zset = consolidate(table).to_pylist()
    return sorted(repr({**row, "share": (row["share"] or 0.0) + 0.0}) for row in zset)


@pytest.mark.parametrize("key", [(), ("id",), ("name", "id"), ("share",)])
@pytest.mark.parametrize("in_memory", [0, 150, 10_000])
def test_buckets_sum_like_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: tuple[str, ...], in_memory: int
) -> None:
    monkeypatch.setattr(difference, "ROWS_IN_MEMORY", in_memory)
    rng = random.Random(len(key) * 7 + in_memory)
    parts = [random_changes(rng, size) for size in (100, 0, 60, 200, 1)]
    buckets = Buckets(SCHEMA, key, str(tmp_path))
    for part in parts:
        buckets.add(part)
    spilled = os.path.isdir(tmp_path) and bool(os.listdir(tmp_path))
    assert spilled == (in_memory < 361)
    sums = [part for part in buckets.sums() if len(part)]
    assert rows_of(pa.concat_tables(sums)) == rows_of(pa.concat_tables(parts))
    total = sum(len(part) for part in sums)
    assert total == len(consolidate(pa.concat_tables(sums))), "a row occurs in two buckets"
    buckets.close()
    assert os.listdir(tmp_path) == []


def test_nothing_sums_to_nothing(tmp_path: Path) -> None:
    buckets = Buckets(SCHEMA, ("id",), str(tmp_path))
    assert list(buckets.sums()) == []
    buckets.close()
