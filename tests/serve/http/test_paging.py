"""Pages of rows: all of them, each once, whatever comes and goes between two pages."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from headwater.errors import InputError
from headwater.serve.paging import page, sort_rows
from support.cases import scaled

TYPES: tuple[tuple[pa.DataType, tuple[Any, ...]], ...] = (
    (pa.int64(), (None, -1, 0, 1, 2)),
    (pa.string(), (None, "", "a", "ab", "b", "é", "\U0001f600")),
    (pa.float64(), (None, -math.inf, -0.5, 0.0, 2.0, math.inf, math.nan)),
    (pa.bool_(), (None, True, False)),
    (pa.decimal128(10, 2), (None, Decimal("-1.50"), Decimal("0.00"), Decimal("7.25"))),
    (pa.timestamp("us", "UTC"), (None, datetime(1969, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))),
    (pa.date32(), (None, date(1, 1, 1), date(2026, 1, 31))),
    (pa.binary(), (None, b"", b"\x00", b"\xff")),
    (pa.list_(pa.int64()), (None, [], [1], [1, 2])),
    (pa.struct([("a", pa.int64())]), (None, {"a": 1}, {"a": None})),
)  # fmt: skip


def random_rows(chance: random.Random, kinds: list[int], count: int) -> list[tuple[Any, ...]]:
    return [tuple(chance.choice(TYPES[kind][1]) for kind in kinds) for _ in range(count)]


def table(kinds: list[int], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = [pa.array([row[at] for row in rows], TYPES[kind][0]) for at, kind in enumerate(kinds)]
    return pa.table(columns, names=[f"c{at}" for at in range(len(kinds))])


def counted(rows: pa.Table) -> Counter[str]:
    return Counter(map(repr, rows.to_pylist()))


@pytest.mark.parametrize("seed", range(scaled(300)))
def test_all_rows_come_once_and_rows_that_stay_are_never_missed(seed: int) -> None:
    chance = random.Random(seed)
    kinds = [chance.randrange(len(TYPES)) for _ in range(chance.randint(1, 3))]
    rows = random_rows(chance, kinds, chance.randint(0, 30))
    changing = chance.random() < 0.7
    staying, seen, cursor = counted(table(kinds, rows)), Counter[str](), None
    for _ in range(1000):
        limit = chance.randint(1, 7)
        part = page(sort_rows(table(kinds, rows)), limit, cursor)
        assert part.rows.num_rows <= limit
        seen += counted(part.rows)
        cursor = part.next
        if cursor is None:
            break
        if changing:
            for row in chance.sample(rows, min(len(rows), 2)):
                rows.remove(row)
            staying &= counted(table(kinds, rows))
            rows += random_rows(chance, kinds, 2)
    else:
        raise AssertionError("the pages never end")
    if changing:
        assert not staying - seen, "a row that was there all the time was left out"
    else:
        assert seen == counted(table(kinds, rows))


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        "W10",
        "bnVsbA",
        "W1siYzAiXSwxLFsxXV0=x",
        "W1siYzAiXSwwLFsxXV0",
        "W1siYzAiXSwxLFsiYSJdXQ",
        "[" * 9000,
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InputError, match="cursor"):
        page(sort_rows(table([0], [(1,), (2,)])), 1, cursor)


def test_a_cursor_of_other_columns_is_refused() -> None:
    cursor = page(sort_rows(table([0], [(1,), (2,)])), 1).next
    with pytest.raises(InputError, match="cursor"):
        page(sort_rows(table([1], [("a",), ("b",)])), 1, cursor)
    with pytest.raises(InputError, match="cursor"):
        page(sort_rows(table([0, 0], [(1, 1)])), 1, cursor)
