"""The RETAIN clause of CREATE TABLE."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.errors import InputError
from headwater.model import Retain, Site, Table
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

COLUMNS = "(id BIGINT PRIMARY KEY, at TIMESTAMP TEMPORAL, day DATE)"


def table(text: str) -> Table:
    return resolve(parse_statements(text, "t.sql"), {"default": Site()}).tables[0]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("", Retain()),
        ("RETAIN CURRENT", Retain(current=True)),
        ("RETAIN INTERVAL '30' DAY", Retain(window=timedelta(days=30), column="at")),
        ("RETAIN INTERVAL '30' DAY ON AT", Retain(window=timedelta(days=30), column="at")),
        (
            "RETAIN INTERVAL '30' DAY KEEP DERIVED",
            Retain(window=timedelta(days=30), column="at", keep_derived=True),
        ),
        (
            "RETAIN INTERVAL '30' DAY ON at KEEP DERIVED",
            Retain(window=timedelta(days=30), column="at", keep_derived=True),
        ),
        ("RETAIN INTERVAL '36 hours' ON VIOLATION WARN", Retain(window=timedelta(hours=36), column="at")),
    ],
)
def test_retain(clause: str, expected: Retain) -> None:
    assert table(f"CREATE TABLE orders {COLUMNS} {clause}").retain == expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"CREATE TABLE t {COLUMNS} RETAIN 5", "HW111", "expected CURRENT or INTERVAL"),
        (f"CREATE TABLE t {COLUMNS} RETAIN INTERVAL '1' MONTH", "HW108", "no fixed length"),
        (f"CREATE TABLE t {COLUMNS} RETAIN CURRENT RETAIN CURRENT", "HW103", "given twice"),
        (f"CREATE TABLE t {COLUMNS} RETAIN INTERVAL '1' DAY ON day", "HW126", "needs a TEMPORAL column"),
        (f"CREATE TABLE t {COLUMNS} RETAIN INTERVAL '1' DAY ON days", "HW106", "days"),
        ("CREATE TABLE t (a BIGINT TEMPORAL) RETAIN INTERVAL '1' DAY", "HW126", "needs a TEMPORAL column"),
        (f"CREATE TABLE t {COLUMNS} RETAIN INTERVAL '1' DAY KEEP", "HW100", "expected DERIVED"),
        (
            f"CREATE TABLE t {COLUMNS} USING postgres OPTIONS (uri 'postgres://h/d') RETAIN INTERVAL '1' DAY",
            "HW126",
            "captured from PostgreSQL",
        ),
        (
            f"CREATE TABLE t {COLUMNS} RETAIN INTERVAL '1' DAY; CREATE TABLE u (t BIGINT REFERENCES t (id))",
            "HW126",
            '"u" references it',
        ),
    ],
)
def test_wrong_input(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        table(text)
    assert caught.value.code == code
