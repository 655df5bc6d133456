"""The WATERMARK clause of CREATE TABLE."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.errors import InputError
from headwater.model import Table, Watermark
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

COLUMNS = "(id BIGINT, at TIMESTAMP TEMPORAL, day DATE TEMPORAL)"
TEN = Watermark(timedelta(minutes=10), "at")


def table(text: str) -> Table:
    return resolve(parse_statements(text, "t.sql")).tables[0]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("", None),
        ("WATERMARK = INTERVAL '10' MINUTE", TEN),
        ("WATERMARK INTERVAL '10' MINUTE ON AT", TEN),
        ("WATERMARK = 10 MINUTES USING stream", TEN),
        ("WATERMARK = '10 minutes' ON VIOLATION WARN RETAIN INTERVAL '30' DAY ON at", TEN),
        ("TBLPROPERTIES ('headwater.watermark' = '10 minutes')", TEN),
        ("WATERMARK = '10 minutes' TBLPROPERTIES ('headwater.watermark' = '600 seconds')", TEN),
    ],
)
def test_watermark(clause: str, expected: Watermark | None) -> None:
    assert table(f"CREATE TABLE quotes {COLUMNS} {clause}").watermark == expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"CREATE TABLE t {COLUMNS} WATERMARK = INTERVAL '1' MONTH", "HW108", "no fixed length"),
        (f"CREATE TABLE t {COLUMNS} WATERMARK = '1 day' ON day", "HW128", "needs a TEMPORAL column"),
        ("CREATE TABLE t (at TIMESTAMP) WATERMARK = '1 day'", "HW128", "needs a TEMPORAL column"),
        (
            "CREATE TABLE t (a TIMESTAMP TEMPORAL, b TIMESTAMP TEMPORAL) WATERMARK = '1 day'",
            "HW128",
            "needs a TEMPORAL column",
        ),
        (
            f"CREATE TABLE t {COLUMNS} USING postgres OPTIONS (uri 'postgres://h/d') WATERMARK = '1 day'",
            "HW128",
            "captured from PostgreSQL",
        ),
    ],
)
def test_wrong_input(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        table(text)
    assert caught.value.code == code
