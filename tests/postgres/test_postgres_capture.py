"""Changes of a real PostgreSQL arrive completely, once and in order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest

from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def test_snapshot_inserts_updates_deletes(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE orders (id bigint PRIMARY KEY, name text, unused int)")
    connection.execute("INSERT INTO orders VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    source = capture(warehouse, table(uri, "orders", ("id", "bigint"), ("name", "string")))
    assert drain(source) == 0
    assert rows_of(warehouse, "orders") == Counter({(1, "a"): 1, (2, "b"): 1, (3, None): 1})
    connection.execute("INSERT INTO orders VALUES (4, E'd\\t\\n\\\\')")
    connection.execute("UPDATE orders SET name = 'bb' WHERE id = 2")
    connection.execute("DELETE FROM orders WHERE id = 1")
    connection.execute("UPDATE orders SET id = 30 WHERE id = 3")
    assert drain(source) == 4
    expected = Counter({(2, "bb"): 1, (30, None): 1, (4, "d\t\n\\"): 1})
    assert rows_of(warehouse, "orders") == expected == rows_in_postgres(connection, "orders", "id", "name")
    source.close()


def test_a_table_without_key_needs_full_identity(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE log (level text, n int)")
    source = capture(warehouse, table(uri, "log", ("level", "string"), ("n", "int")))
    polled = source.poll()
    assert polled.error is not None
    assert polled.error.code == "HW875"
    assert "REPLICA IDENTITY FULL" in polled.error.hint
    connection.execute("ALTER TABLE log REPLICA IDENTITY FULL")
    source = capture(warehouse, table(uri, "log", ("level", "string"), ("n", "int")))
    drain(source)
    connection.execute("INSERT INTO log VALUES ('a', 1), ('a', 1), ('a', 1), (NULL, 2)")
    connection.execute("DELETE FROM log WHERE ctid = (SELECT min(ctid) FROM log)")
    connection.execute("UPDATE log SET n = 5 WHERE level IS NULL")
    drain(source)
    assert rows_of(warehouse, "log") == Counter({("a", 1): 2, (None, 5): 1})
    connection.execute("ALTER TABLE log REPLICA IDENTITY NOTHING")
    changed = table(uri, "log", ("level", "string"), ("n", "int"))
    assert capture(warehouse, changed).poll().error is not None


def test_truncate(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)")
    connection.execute("INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (1)")
    source = capture(warehouse, table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int")))
    drain(source)
    connection.execute("INSERT INTO a VALUES (3); TRUNCATE a, b; INSERT INTO a VALUES (2), (9)")
    connection.execute("UPDATE a SET id = 10 WHERE id = 9")
    drain(source)
    assert rows_of(warehouse, "a") == Counter({(2,): 1, (10,): 1})
    assert rows_of(warehouse, "b") == Counter()
    connection.execute("TRUNCATE a")
    drain(source)
    assert rows_of(warehouse, "a") == Counter()


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL"])
def test_big_values_that_did_not_change(
    uri: str, connection: Connection, warehouse: Warehouse, identity: str
) -> None:
    """PostgreSQL does not send a TOASTed value again when an update leaves it alone."""
    connection.execute("CREATE TABLE docs (id int PRIMARY KEY, body text, more text, n int)")
    connection.execute("ALTER TABLE docs ALTER body SET STORAGE EXTERNAL, ALTER more SET STORAGE EXTERNAL")
    connection.execute(f"ALTER TABLE docs REPLICA IDENTITY {identity}")  # type: ignore[call-overload]
    big = "x" * 50_000
    connection.execute("INSERT INTO docs VALUES (1, %s, %s, 0), (2, 'small', NULL, 0)", (big, big + "2"))
    columns = (("id", "int"), ("body", "string"), ("more", "string"), ("n", "int"))
    source = capture(warehouse, table(uri, "docs", *columns))
    drain(source)
    connection.execute("UPDATE docs SET n = 1")
    connection.execute("UPDATE docs SET n = 2")
    connection.execute("UPDATE docs SET body = %s, n = 3 WHERE id = 1", (big + "3",))
    connection.execute("UPDATE docs SET id = 7 WHERE id = 1")
    connection.execute("INSERT INTO docs VALUES (3, %s, NULL, 0)", (big + "4",))
    connection.execute("UPDATE docs SET n = 8 WHERE id = 3")
    drain(source)
    assert rows_of(warehouse, "docs") == rows_in_postgres(connection, "docs")
    connection.execute("UPDATE docs SET n = n + 1")
    drain(source)
    connection.execute("DELETE FROM docs WHERE id = 3")
    drain(source)
    assert rows_of(warehouse, "docs") == rows_in_postgres(connection, "docs")


def test_keys_that_change_places(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE t (a int, b text, v int, PRIMARY KEY (b, a))")
    source = capture(warehouse, table(uri, "t", ("v", "int"), ("b", "string"), ("a", "int")))
    drain(source)
    connection.execute("INSERT INTO t VALUES (1, 'x', 10), (1, 'y', 20), (2, 'x', 30)")
    connection.execute("UPDATE t SET a = a + 10")
    connection.execute("DELETE FROM t WHERE a = 11 AND b = 'y'; INSERT INTO t VALUES (11, 'y', 99)")
    connection.execute(
        "BEGIN; UPDATE t SET b = 'z' WHERE v = 10; UPDATE t SET b = 'x', a = 11 WHERE v = 30; COMMIT"
    )
    drain(source)
    assert rows_of(warehouse, "t") == rows_in_postgres(connection, "t", "v", "b", "a")


def test_names_are_matched_and_renamed(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute('CREATE SCHEMA "Sales"')
    connection.execute(
        'CREATE TABLE "Sales"."Order Lines" ("Id" int PRIMARY KEY, "Customer Name" text, x int)'
    )
    connection.execute('INSERT INTO "Sales"."Order Lines" VALUES (1, \'ann\', 5)')
    lines = table(
        uri, "lines", ("customer", "string"), ("id", "int"),
        table="Sales.Order Lines", rename="id=Id, customer=Customer Name",
    )  # fmt: skip
    source = capture(warehouse, lines)
    drain(source)
    connection.execute('UPDATE "Sales"."Order Lines" SET "Customer Name" = \'bob\', "Id" = 2')
    drain(source)
    assert rows_of(warehouse, "lines") == Counter({("bob", 2): 1})


def test_a_transaction_has_one_time_in_all_tables(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)")
    source = capture(warehouse, table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int")))
    drain(source)
    times = []
    for number in range(5):
        with connection.transaction():
            connection.execute("INSERT INTO a VALUES (%s)", (number,))
            connection.execute("INSERT INTO b VALUES (%s)", (number,))
        drain(source)
        times.append(source.watermark())
    assert times == sorted(times)
    for time in [moment + step for moment in times for step in (-1, 0, 1)]:
        assert rows_of(warehouse, "a", time) == rows_of(warehouse, "b", time)
    assert warehouse.source("a").time() == warehouse.source("b").time()


def test_the_time_is_postgresqls_commit_time(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    source = capture(warehouse, table(uri, "a", ("id", "int")))
    drain(source)
    row = connection.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").fetchone()
    assert row is not None
    connection.execute("INSERT INTO a VALUES (1)")
    after = connection.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").fetchone()
    assert after is not None
    drain(source)
    assert row[0] <= warehouse.source("a").time() <= after[0]


def test_an_idle_watermark_moves(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    source = capture(warehouse, table(uri, "a", ("id", "int")))
    drain(source)
    first = source.watermark()
    assert source.poll().watermark > first
    assert warehouse.source("a").snapshot().rows == 0


def test_restart_goes_on_from_the_position(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id serial PRIMARY KEY, n int); ALTER TABLE a REPLICA IDENTITY FULL")
    orders = table(uri, "a", ("n", "int"))  # no key: a change taken twice would show
    for number in range(4):
        connection.execute("INSERT INTO a (n) VALUES (%s), (%s)", (number, number))
        source = capture(warehouse, orders)
        drain(source)
        connection.execute("INSERT INTO a (n) VALUES (%s)", (-number,))
        if number % 2:
            drain(source)
        source.close()
    drain(capture(warehouse, orders))
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a", "n")


def test_a_new_table_joins_a_running_capture(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)")
    a, b = table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int"))
    source = capture(warehouse, a)
    drain(source)
    source.close()
    connection.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
    source = capture(warehouse, a, b)
    drain(source)
    connection.execute("INSERT INTO a VALUES (2); INSERT INTO b VALUES (2)")
    drain(source)
    assert rows_of(warehouse, "a") == rows_of(warehouse, "b") == Counter({(1,): 1, (2,): 1})
    watermark = source.watermark()
    first = Warehouse(warehouse.root).source("b")
    assert min(first.as_of(watermark).times) > 0


def test_columns_added_in_postgresql(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, old int, n int)")
    source = capture(warehouse, table(uri, "a", ("id", "int"), ("n", "int")))
    drain(source)
    connection.execute("INSERT INTO a VALUES (1, 0, 1)")
    connection.execute("ALTER TABLE a ADD COLUMN more text DEFAULT 'x', DROP COLUMN old")
    connection.execute("INSERT INTO a VALUES (2, 2, 'y')")
    connection.execute("UPDATE a SET n = n + 1")
    drain(source)
    assert rows_of(warehouse, "a") == Counter({(1, 2): 1, (2, 3): 1})
    connection.execute("ALTER TABLE a DROP COLUMN n")
    connection.execute("INSERT INTO a VALUES (3, 'z')")
    polled = source.poll()
    assert polled.error is not None
    assert polled.error.code == "HW873"
