"""PostgreSQL's values arrive exactly, by snapshot and by replication alike; what does not fit is rejected."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from deltalake import DeltaTable

from headwater.capture.rejected import rejected_rows
from headwater.capture.retrying import Retried, retry_letters
from headwater.clock import SystemClock
from headwater.model import Column, Project, Table
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]

CREATE = """
CREATE DOMAIN short AS varchar(10);
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE t (id int PRIMARY KEY, i2 smallint, i8 bigint, num numeric(38, 10), f4 real, f8 double precision,
  ok boolean, d date, tz timestamptz, ts timestamp, tz2 timestamp, raw bytea, txt text, dom short, m mood,
  u uuid, j jsonb, span interval)
"""
COLUMNS = (
    ("id", "int"), ("i2", "smallint"), ("i8", "bigint"), ("num", "decimal(38,10)"), ("f4", "float"),
    ("f8", "double"), ("ok", "boolean"), ("d", "date"), ("tz", "timestamp"), ("ts", "timestamp_ntz"),
    ("tz2", "timestamp"), ("raw", "binary"), ("txt", "string"), ("dom", "string"), ("m", "string"),
    ("u", "string"), ("j", "string"), ("span", "string"),
)  # fmt: skip
INSERT = """
INSERT INTO t VALUES
 (%s, -32768, 9223372036854775807, 1234567890123456789012345678.0123456789, 1.5, 0.1, true, '0001-01-01',
  '2026-01-31 12:00:00.000001+05:30', '9999-12-31 23:59:59.999999', '2026-01-31 12:00:00',
  '\\x00ff0a09', E'a\\tb\\nc\\\\d\\re"''', 'dom', 'glad',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '1 day'),
 (%s, NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL),
 (%s, 0, 0, -0.0000000001, '-Infinity', '-0.0', false, '2026-12-31', '1969-12-31 23:59:59.999999+00',
  '1970-01-01', '1970-01-01', '', 'ünïcödé 🙂 \\N', NULL, NULL, NULL, NULL, NULL)
"""


def expected(first: int) -> list[tuple[Any, ...]]:
    return [
        (
            first, -32768, 2**63 - 1, Decimal("1234567890123456789012345678.0123456789"), 1.5, 0.1, True,
            date(1, 1, 1), datetime(2026, 1, 31, 6, 30, 0, 1, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(2026, 1, 31, 12, tzinfo=UTC),
            b"\x00\xff\n\t", "a\tb\nc\\d\re\"'", "dom", "glad", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            '{"a": 1}', "1 day",
        ),
        (first + 1, None, None, None, None, "NaN", *[None] * 6, "", *[None] * 5),
        (
            first + 2, 0, 0, Decimal("-1E-10"), -math.inf, 0.0, False, date(2026, 12, 31),
            datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), datetime(1970, 1, 1),
            datetime(1970, 1, 1, tzinfo=UTC), b"", "ünïcödé 🙂 \\N", *[None] * 5,
        ),
    ]  # fmt: skip


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("NaN" if isinstance(value, float) and math.isnan(value) else value for value in row)


def test_every_type(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    connection.execute(CREATE)
    connection.execute(INSERT, (1, 2, 3))
    source = capture(warehouse, table(uri, "t", *COLUMNS))
    drain(source)
    assert sorted(map(plain, rows_of(warehouse, "t").elements())) == expected(1)
    connection.execute(INSERT, (4, 5, 6))
    connection.execute("UPDATE t SET id = id + 100 WHERE id <= 3")
    drain(source)
    assert sorted(map(plain, rows_of(warehouse, "t").elements())) == expected(4) + expected(101)
    assert math.copysign(1, sorted(rows_of(warehouse, "t"))[2][5]) == 1
    connection.execute("DELETE FROM t")
    drain(source)
    assert not rows_of(warehouse, "t")


def test_rows_that_do_not_fit_are_dead_letters(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n numeric, at timestamptz, name text)")
    connection.execute(
        "INSERT INTO t VALUES (1, 1.5, 'infinity', 'a'), (2, 'NaN', now(), 'b'), (3, 1, NULL, 'c')"
    )
    columns = (("id", "int"), ("n", "decimal(5,1)"), ("at", "timestamp"), ("name", "string"))
    source = capture(warehouse, table(uri, "t", *columns))
    drain(source)
    assert [row[0] for row in rows_of(warehouse, "t")] == [3]
    connection.execute(
        "INSERT INTO t VALUES (4, 99999, NULL, 'd'), (5, 0.25, NULL, 'e'), (6, 1, '-infinity', 'f')"
    )
    connection.execute("UPDATE t SET at = NULL WHERE id = 1")
    connection.execute("UPDATE t SET n = 12345.6 WHERE id = 3")
    connection.execute("DELETE FROM t WHERE id IN (2, 4)")
    drain(source)
    assert sorted(rows_of(warehouse, "t")) == [(1, Decimal("1.5"), None, "a")]
    letters = DeltaTable(warehouse.system("dead_letters").path).to_pyarrow_table()
    assert len(letters) == 6
    assert set(letters.column("file").to_pylist()) == {"postgres:public.t"}


def test_not_null_in_the_declaration_only(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int)")
    connection.execute("INSERT INTO t VALUES (1, 1), (2, NULL)")
    declared = Table(
        "t", (Column("id", "int"), Column("n", "int", nullable=False)), provider="postgres",
        options={"uri": uri},
    )  # fmt: skip
    source = capture(warehouse, declared)
    drain(source)
    connection.execute("UPDATE t SET n = CASE WHEN id = 1 THEN NULL ELSE 7 END")
    connection.execute("INSERT INTO t VALUES (3, NULL)")
    connection.execute("DELETE FROM t WHERE id = 3")
    drain(source)
    assert dict(rows_of(warehouse, "t")) == {(2, 7): 1}


def test_a_retry_compares_the_table_with_the_server(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    """What PostgreSQL holds when it is read again counts, not what it held when rows were rejected."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n numeric)")
    connection.execute("INSERT INTO t SELECT g, 1000.5 FROM generate_series(1, 5) g")
    connection.execute("INSERT INTO t VALUES (6, 1)")
    declared = table(uri, "t", ("id", "int"), ("n", "decimal(4,1)"))
    source = capture(warehouse, declared)
    drain(source)
    source.close()
    assert rejected_rows(warehouse, ["t"])["t"].rows == 5
    connection.execute("UPDATE t SET n = 2 WHERE id = 1; DELETE FROM t WHERE id = 2")
    project = Project("shop", ".", warehouse.root, {"t": declared}, {}, {}, {})
    assert retry_letters(project, warehouse, SystemClock(), declared) == Retried("t", next_run=True)
    assert rejected_rows(warehouse, ["t"]) == {}
    again = capture(warehouse, declared)
    drain(again)
    again.close()
    assert dict(rows_of(warehouse, "t")) == {(1, Decimal(2)): 1, (6, Decimal(1)): 1}
    assert rejected_rows(warehouse, ["t"])["t"].rows == 3
