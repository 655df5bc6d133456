"""Tables and publications that are altered while a run captures: what PostgreSQL does not send meanwhile is not lost without a word."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from headwater.capture.postgres import session
from headwater.capture.postgres.capture import PostgresCapture
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, table
from support.postgres_pair import assert_equal

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LOOK_EVERY", 0)
    monkeypatch.setattr(session, "CHECK_AGAIN", 0)


@pytest.fixture
def source(uri: str, connection: Connection, warehouse: Warehouse) -> Any:
    """Of two tables, so that one goes on while the other cannot."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 1), (2, 2)")
    connection.execute("CREATE TABLE other (id int PRIMARY KEY, n int); INSERT INTO other VALUES (1, 1)")
    columns = ("id", "int"), ("n", "int")
    made = capture(warehouse, table(uri, "t", *columns), table(uri, "other", *columns))
    drain(made)
    yield made
    made.close()


def polled(source: PostgresCapture, times: int = 12) -> str:
    """What is said meanwhile."""
    notes: list[str] = []
    for _ in range(times):
        notes += source.poll().notes
    return " ".join(notes)


@pytest.mark.parametrize(
    ("away", "there", "back"),
    [
        ("ALTER TABLE t RENAME TO x", "x", "ALTER TABLE x RENAME TO t"),
        ("CREATE SCHEMA IF NOT EXISTS s; ALTER TABLE t SET SCHEMA s", "s.t", "ALTER TABLE s.t SET SCHEMA public"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("at_once", [True, False])
def test_a_table_that_had_another_name(
    connection: Connection,
    warehouse: Warehouse,
    source: PostgresCapture,
    away: str,
    there: str,
    back: str,
    at_once: bool,
) -> None:
    connection.execute("INSERT INTO t VALUES (3, 3)")
    connection.execute(away)  # type: ignore[call-overload]
    connection.execute(f"INSERT INTO {there} VALUES (4, 4); DELETE FROM {there} WHERE id = 1")  # type: ignore[call-overload]
    connection.execute("INSERT INTO other VALUES (2, 2)")
    said = "" if at_once else polled(source)
    if not at_once:
        assert_equal(warehouse, connection, "other")
    connection.execute(back)  # type: ignore[call-overload]
    connection.execute("INSERT INTO t VALUES (5, 5)")
    said += polled(source)
    assert "was renamed to" in said or "made again or altered" in said
    assert_equal(warehouse, connection, "t", "other")


@pytest.mark.parametrize(
    ("altered", "mended"),
    [
        ("ALTER PUBLICATION {} SET (publish = 'insert')", "ALTER PUBLICATION {} SET (publish = 'insert, update, delete, truncate')"),
        ("ALTER PUBLICATION {} DROP TABLE t", "ALTER PUBLICATION {} ADD TABLE t"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("looked", [True, False])
def test_a_publication_that_was_altered(
    connection: Connection,
    warehouse: Warehouse,
    source: PostgresCapture,
    altered: str,
    mended: str,
    looked: bool,
) -> None:
    connection.execute(altered.format(source.slot))  # type: ignore[call-overload]
    connection.execute(
        "DELETE FROM t WHERE id = 1; UPDATE t SET n = 9 WHERE id = 2; INSERT INTO t VALUES (3, 3)"
    )
    said = polled(source) if looked else ""
    if not looked or "DROP" not in altered:  # a table that the publication lacks is added again
        connection.execute(mended.format(source.slot))  # type: ignore[call-overload]
    said += polled(source)
    assert "made again or altered" in said
    assert_equal(warehouse, connection, "t", "other")


def test_a_table_that_takes_the_place_of_another(
    connection: Connection, warehouse: Warehouse, source: PostgresCapture
) -> None:
    """As tables are rebuilt: made beside the old one, filled, and renamed in one transaction."""
    connection.execute(
        "CREATE TABLE fresh (id int PRIMARY KEY, n int); INSERT INTO fresh VALUES (1, 1), (7, 7)"
    )
    with connection.transaction():
        connection.execute("ALTER TABLE t RENAME TO old; ALTER TABLE fresh RENAME TO t")
    connection.execute("INSERT INTO t VALUES (8, 8)")
    polled(source)
    connection.execute("INSERT INTO t VALUES (9, 9); UPDATE t SET n = 0 WHERE id = 7")
    polled(source)
    assert_equal(warehouse, connection, "t", "other")


def test_a_table_that_is_dropped_and_made_again_in_one_session(
    connection: Connection, warehouse: Warehouse, source: PostgresCapture
) -> None:
    connection.execute(
        "DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (5, 5)"
    )
    polled(source)
    connection.execute("INSERT INTO t VALUES (6, 6)")
    polled(source)
    assert_equal(warehouse, connection, "t", "other")


@pytest.mark.parametrize(
    ("index", "fits"),
    [
        ("", False),
        ("CREATE UNIQUE INDEX ON k (a) WHERE a > 0", False),
        ("CREATE UNIQUE INDEX ON k (abs(a))", False),
        ("CREATE UNIQUE INDEX ON k (a, b)", False),
        ("CREATE UNIQUE INDEX ON k (a) INCLUDE (b)", True),
        ("ALTER TABLE k ADD UNIQUE (a) DEFERRABLE INITIALLY DEFERRED", True),
    ],
)
def test_a_declared_key_is_one_that_postgresql_keeps(
    uri: str, connection: Connection, warehouse: Warehouse, index: str, fits: bool
) -> None:
    """Views rely on it: SELECT DISTINCT a showed rows twice."""
    connection.execute(
        f"CREATE TABLE k (a int NOT NULL, b int NOT NULL); ALTER TABLE k REPLICA IDENTITY FULL; {index}"
    )  # type: ignore[call-overload]
    columns = Column("a", "int", nullable=False), Column("b", "int")
    declared = Table("k", columns, ("a",), provider="postgres", options={"uri": uri})
    made = capture(warehouse, declared)
    if fits:
        drain(made)
    else:
        with pytest.raises(InputError, match="no unique index on a") as refused:
            drain(made)
        assert "ADD UNIQUE (a)" in (refused.value.hint or "")
    made.close()
