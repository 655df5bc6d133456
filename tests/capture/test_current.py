"""Looking keys up skips files by their ranges: never one that holds the key, whatever its type."""

from __future__ import annotations

import math
import tempfile
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from capture_helpers import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.capture.append import Appender
from headwater.clock import ManualClock
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse

START = datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
KEYS: dict[str, list[Any]] = {
    "bigint": [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1, None],
    "double": [math.nan, math.inf, -math.inf, 0.0, 0.1, 1e300, None],
    "string": ["", "a", "z" * 64, "z" * 65, "é", "\U0001f600", None],
    "decimal(38,20)": [Decimal("0.1"), Decimal("0.10000000000000000001"), Decimal(10**17), Decimal(-1), None],
    "date": [date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31), None],
    "timestamp": [START + timedelta(microseconds=n) for n in (0, 1, 2, 999, 1000)] + [None],
    "timestamp_ntz": [START.replace(tzinfo=None) + timedelta(microseconds=n) for n in (0, 1, 500)] + [None],
    "binary": [b"", b"\x00", b"\xff" * 70, None],
    "boolean": [True, False, None],
}


def plain(value: Any) -> Any:
    """Equal values as equal texts."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case Decimal():
            return value.normalize()
        case datetime():
            return value.isoformat()
        case _:
            return value


@pytest.mark.parametrize("kind", KEYS)
def test_any_type_of_key(kind: str) -> None:
    columns = (Column("k", kind), Column("part", "int"), Column("v", "int"))
    keys = KEYS[kind]

    @settings(deadline=None, derandomize=True, max_examples=8)
    @given(
        st.booleans(),
        st.lists(
            st.lists(st.tuples(st.sampled_from(keys), st.sampled_from([1, None])), min_size=1, max_size=3),
            min_size=3,
            max_size=8,
        ),
    )
    def check(wide: bool, batches: list[list[tuple[Any, int | None]]]) -> None:
        table = Table("t", columns, update_key=("k", "part") if wide else ("k",))
        with tempfile.TemporaryDirectory() as folder:
            appender = Appender(Warehouse(folder), table, ManualClock())
            expected: dict[Any, tuple[Any, ...]] = {}
            for number, batch in enumerate(batches):
                rows = [{"k": key, "part": part, "v": number} for key, part in batch]
                assert appender.append(rows).rejected == 0
                for key, part in batch:
                    known = (plain(key), part) if wide else plain(key)
                    expected[known] = (plain(key), part, number)
            found = [tuple(map(plain, row)) for row in rows_of(appender.warehouse, "t").elements()]
            assert sorted(map(repr, found)) == sorted(map(repr, expected.values()))

    check()


def test_files_out_of_range_are_not_read(monkeypatch: pytest.MonkeyPatch, warehouse: Warehouse) -> None:
    """Keys that grow: an insert behind all others reads no file at all, one between reads one."""
    table = Table("t", (Column("id", "bigint", nullable=False), Column("v", "string")), key=("id",))
    for start in range(0, 50, 10):
        fresh = Appender(warehouse, table, ManualClock())
        fresh.append([{"id": start + n, "v": "x"} for n in range(10)])
    read: list[str] = []
    from headwater.capture import current

    real = current.pq.ParquetFile

    def counted(path: str) -> Any:
        read.append(path)
        return real(path)

    monkeypatch.setattr(current.pq, "ParquetFile", counted)
    assert Appender(warehouse, table, ManualClock()).append([{"id": 50, "v": "y"}]).accepted == 1
    assert read == []
    upserts = [{"op": "upsert", "row": {"id": 5, "v": "y"}}, {"op": "upsert", "row": {"id": 45, "v": "y"}}]
    assert Appender(warehouse, table, ManualClock()).append(upserts).accepted == 2
    assert len(set(read)) == 2
