"""What rarely happens in PostgreSQL while it is captured."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, table
from support.postgres_pair import assert_equal, create_pair, pair

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL"])
def test_a_row_with_a_big_value_that_can_be_held_again(
    uri: str, connection: Connection, warehouse: Warehouse, identity: str
) -> None:
    """Its big value is not sent when what could not be held is put right."""
    connection.execute("CREATE TABLE docs (id int PRIMARY KEY, body text, d date)")
    connection.execute("ALTER TABLE docs ALTER body SET STORAGE EXTERNAL")
    connection.execute(f"ALTER TABLE docs REPLICA IDENTITY {identity}")  # type: ignore[call-overload]
    big = "x" * 50_000
    connection.execute("INSERT INTO docs VALUES (1, %s, 'infinity'), (2, %s, '2026-01-01')", (big, big))
    source = capture(warehouse, table(uri, "docs", ("id", "int"), ("body", "string"), ("d", "date")))
    drain(source)
    connection.execute("INSERT INTO docs VALUES (3, %s, 'infinity')", (big,))
    drain(source)
    connection.execute("UPDATE docs SET d = '2026-01-02'")
    while source.poll().behind or source.group.waiting:
        pass
    connection.execute("UPDATE docs SET d = '2026-01-03' WHERE id = 2")
    drain(source)
    assert_equal(warehouse, connection, "docs")
    source.close()


def test_the_replica_identity_changes_on_the_way(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, other int NOT NULL UNIQUE, n int)")
    connection.execute("INSERT INTO t SELECT g, -g, g FROM generate_series(1, 6) g")
    source = capture(warehouse, table(uri, "t", ("id", "int"), ("other", "int"), ("n", "int")))
    drain(source)
    with connection.transaction():
        connection.execute("UPDATE t SET n = n + 1 WHERE id < 4")
        connection.execute("ALTER TABLE t REPLICA IDENTITY FULL")
        connection.execute("UPDATE t SET id = id + 10 WHERE id < 3")
    connection.execute("DELETE FROM t WHERE id = 3")
    connection.execute("ALTER TABLE t REPLICA IDENTITY USING INDEX t_other_key")
    connection.execute("UPDATE t SET id = 100 + id, n = n + 1; DELETE FROM t WHERE other = -5")
    connection.execute("ALTER TABLE t REPLICA IDENTITY DEFAULT")
    connection.execute("UPDATE t SET other = other - 1000, n = 0")
    for _ in range(2):
        drain(source)
    assert_equal(warehouse, connection, "t")
    source.close()


def test_truncates(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    create_pair(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    with connection.transaction():
        connection.execute("INSERT INTO a VALUES (3, 3); TRUNCATE a, b; INSERT INTO a VALUES (1, 9)")
        with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction():
            connection.execute("TRUNCATE a; SELECT 1 / 0")
        connection.execute(
            "UPDATE a SET n = 10; INSERT INTO b VALUES (1, 1); TRUNCATE b; INSERT INTO b VALUES (2, 2)"
        )
    drain(source)
    connection.execute("BEGIN; TRUNCATE a; ROLLBACK")
    connection.execute("TRUNCATE a CASCADE; INSERT INTO a VALUES (5, 5)")
    drain(source)
    assert_equal(warehouse, connection)
    source.close()


def test_a_table_that_is_dropped_and_made_again(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    """The other one goes on; the new one is compared with what is stored."""
    create_pair(connection)
    tables = pair(uri)
    source = capture(warehouse, *tables)
    drain(source)
    connection.execute("INSERT INTO a VALUES (3, 3); DROP TABLE a; INSERT INTO b VALUES (3, 3)")
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, n int); INSERT INTO a VALUES (1, 1), (7, 7)")
    connection.execute("INSERT INTO b VALUES (4, 4)")
    for _ in range(3):
        source.poll()
    source.close()
    source = capture(warehouse, *tables)
    drain(source)
    connection.execute("INSERT INTO a VALUES (8, 8)")
    drain(source)
    assert_equal(warehouse, connection)
    source.close()


def test_a_column_dropped_and_added_again_with_another_type(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int)")
    connection.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
    declared = table(uri, "t", ("id", "int"), ("n", "bigint"))
    source = capture(warehouse, declared)
    drain(source)
    with connection.transaction():
        connection.execute("UPDATE t SET n = 5 WHERE id = 1")
        connection.execute("ALTER TABLE t DROP COLUMN n")
        connection.execute("ALTER TABLE t ADD COLUMN n bigint DEFAULT 70")
        connection.execute("INSERT INTO t VALUES (3, 3)")
    for _ in range(4):
        source.poll()
    source.close()
    source = capture(warehouse, declared)
    drain(source)
    assert_equal(warehouse, connection, "t")
    source.close()
