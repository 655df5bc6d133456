"""Looking keys up skips files by their ranges: never one that holds the key, whatever its type."""

from __future__ import annotations

import math
import shutil
import tempfile
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.capture.intake.append import Appender
from headwater.clock import ManualClock
from headwater.model import Column, Table
from headwater.storage.delta.data_files import DataFile
from headwater.storage.index.read_columns import read_columns
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.warehouse import Warehouse
from support.capture import rows_of
from support.cases import law

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("large_rows", [1, 100], ids=["through side files", "read whole"])
@pytest.mark.parametrize("kind", KEYS)
def test_any_type_of_key(kind: str, large_rows: int) -> None:
    columns = (Column("k", kind), Column("part", "int"), Column("v", "int"))
    keys = KEYS[kind]

    @law(5)
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
            appender.current.large_rows = large_rows
            expected: dict[Any, tuple[Any, ...]] = {}
            for number, batch in enumerate(batches):
                rows = [{"k": key, "part": part, "v": number} for key, part in batch]
                assert appender.append(rows).rejected == 0
                for key, part in batch:
                    identity = (plain(key), part) if wide else plain(key)
                    expected[identity] = (plain(key), part, number)
            stored = [tuple(map(plain, row)) for row in rows_of(appender.warehouse, "t").elements()]
            assert sorted(map(repr, stored)) == sorted(map(repr, expected.values()))

    check()


def test_files_out_of_range_are_not_read(monkeypatch: pytest.MonkeyPatch, warehouse: Warehouse) -> None:
    """Keys that grow: an insert beyond all others reads no file, an insert between them reads one."""
    table = Table("t", (Column("id", "bigint", nullable=False), Column("v", "string")), key=("id",))
    for start in range(0, 50, 10):
        fresh = Appender(warehouse, table, ManualClock())
        fresh.append([{"id": start + n, "v": "x"} for n in range(10)])
    read: list[str] = []

    def counted(file: DataFile, columns: pa.Schema) -> pa.Table:
        read.append(file.path)
        return read_columns(file, columns)

    monkeypatch.setattr("headwater.capture.intake.current.read_columns", counted)
    assert Appender(warehouse, table, ManualClock()).append([{"id": 50, "v": "y"}]).accepted == 1
    assert read == []
    upserts = [{"op": "upsert", "row": {"id": 5, "v": "y"}}, {"op": "upsert", "row": {"id": 45, "v": "y"}}]
    assert Appender(warehouse, table, ManualClock()).append(upserts).accepted == 2
    assert len(set(read)) == 2


BIG = Table("t", (Column("id", "bigint", nullable=False), Column("v", "string")), key=("id",))


def upserts(*keys: int) -> list[dict[str, Any]]:
    return [{"op": "upsert", "row": {"id": key, "v": "new"}} for key in keys]


@pytest.fixture
def loaded(warehouse: Warehouse) -> Warehouse:
    """Five files of 30,000 rows each, whose keys lie all over the range."""
    for start in range(5):
        keys = list(range(start, 150_000, 5))
        rows = pa.table({"id": keys, "v": [f"v{key}" for key in keys]})
        assert Appender(warehouse, BIG, ManualClock()).append(rows).accepted == len(keys)
    return warehouse


def test_a_large_file_is_read_once_in_its_life(loaded: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever process asks: later ones find the side files that the first one made."""
    assert Appender(loaded, BIG, ManualClock()).append(upserts(0, 77_777, 149_999)).accepted == 3
    for module in ("key_file", "row_file"):
        monkeypatch.setattr(f"headwater.storage.index.{module}._open", RecentlyUsed(256))
        monkeypatch.setattr(f"headwater.storage.index.{module}.read_columns", None)
    later = Appender(loaded, BIG, ManualClock())
    assert later.append([{"id": 150_000, "v": "inserted"}, {"id": 77_777, "v": "taken"}]).rejected == 1
    assert later.append(upserts(0, 77_777, 149_999)).accepted == 3
    stored = rows_of(loaded, "t")
    assert len(stored) == 150_001
    assert [stored[key, "new"] for key in (0, 77_777, 149_999)] == [1, 1, 1]


def test_an_insert_of_new_keys_reads_no_row(loaded: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.capture.intake.current.open_row_file", None)
    rows = [{"id": 149_990, "v": "taken"}, *({"id": -1 - number, "v": "x"} for number in range(100))]
    monkeypatch.setattr("headwater.capture.intake.current.read_columns", None)
    assert Appender(loaded, BIG, ManualClock()).append(rows[1:]).accepted == 100
    with pytest.raises(TypeError):  # the row that has the key must be looked at
        Appender(loaded, BIG, ManualClock()).append(rows[:1])


def test_a_file_without_side_files_is_read_whole(
    loaded: Warehouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The disk is full, or another user's: looking up still works."""
    folder = Path(loaded.source("t").path) / "_keys"
    shutil.rmtree(folder)
    folder.write_text("no folder")
    for module in ("key_file", "row_file"):
        monkeypatch.setattr(f"headwater.storage.index.{module}._open", RecentlyUsed(256))
    assert Appender(loaded, BIG, ManualClock()).append(upserts(0, 149_999)).accepted == 2
    assert rows_of(loaded, "t")[0, "new"] == 1
    assert "side files cannot be made" in caplog.text
