"""What is checked before anything is captured: each obstacle has a code and a remedy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest

from headwater.errors import InputError
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, drained_notes, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.mark.parametrize(
    ("ddl", "code", "message", "remedy"),
    [
        (
            "CREATE TABLE t (id int PRIMARY KEY, n int GENERATED ALWAYS AS (id * 2) STORED)",
            "HW887", "generated", "compute it in a view",
        ),
        ("CREATE UNLOGGED TABLE t (id int PRIMARY KEY, n int)", "HW888", "UNLOGGED", "SET LOGGED"),
        (
            "CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE child () INHERITS (t)",
            "HW888", "inherit from", "UNION ALL",
        ),
        (
            "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, n int)",
            "HW875", "no key", "not deferrable",
        ),
        (
            "CREATE TABLE t (id int PRIMARY KEY, n int) PARTITION BY RANGE (id);"
            "CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10);"
            "ALTER TABLE low REPLICA IDENTITY FULL",
            "HW888", "another replica identity", "ALTER TABLE low REPLICA IDENTITY DEFAULT",
        ),
        ("CREATE VIEW t AS SELECT 1 AS id, 2 AS n", "HW883", "no table", "views cannot be captured"),
    ],
    ids=["generated", "unlogged", "inherited", "deferrable", "partition identity", "view"],
)  # fmt: skip
def test_tables_that_cannot_be_captured(
    uri: str, connection: Connection, warehouse: Warehouse, ddl: str, code: str, message: str, remedy: str
) -> None:
    connection.execute(ddl)  # type: ignore[call-overload]
    with pytest.raises(InputError, match=message) as failed:
        capture(warehouse, table(uri, "t", ("id", "int"), ("n", "int"))).prepare()
    assert failed.value.code == code
    assert remedy in failed.value.hint
    assert connection.execute("SELECT count(*) FROM pg_publication").fetchone() == (0,)


def test_row_level_security(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY); ALTER TABLE t ENABLE ROW LEVEL SECURITY")
    connection.execute("DROP ROLE IF EXISTS limited; CREATE ROLE limited LOGIN REPLICATION")
    connection.execute("GRANT SELECT ON t TO limited")
    hidden = table(uri.replace("//postgres:", "//limited:"), "t", ("id", "int"))
    with pytest.raises(InputError, match="row level security hides rows") as failed:
        capture(warehouse, hidden).prepare()
    assert "BYPASSRLS" in failed.value.hint
    connection.execute("DROP OWNED BY limited; DROP ROLE limited")


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        ("FOR TABLE t WHERE (id > 5)", "only some rows", "DROP TABLE public.t"),
        ("FOR TABLE t (id)", 'leaves out the column "n"', "ADD TABLE public.t"),
        ("FOR TABLE t WITH (publish = 'insert, update')", "leaves out delete, truncate", "SET (publish = "),
    ],
    ids=["row filter", "column list", "operations"],
)
def test_publications_that_leave_something_out(
    uri: str, connection: Connection, warehouse: Warehouse, options: str, message: str, remedy: str
) -> None:
    """A publication that an administrator created under the slot's name."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int)")
    source = capture(warehouse, table(uri, "t", ("id", "int"), ("n", "int")))
    name = source.record.get().slot
    connection.execute(f"CREATE PUBLICATION {name} {options}")  # type: ignore[call-overload]
    with pytest.raises(InputError, match=message) as failed:
        source.prepare()
    assert failed.value.code == "HW886"
    assert remedy in failed.value.hint
    row = connection.execute(
        "SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s", (name,)
    ).fetchone()
    assert row == (0,), "no slot retains the log while nothing can be captured"
    for statement in failed.value.hint.partition("; or ")[0].split("; "):
        connection.execute(statement)  # type: ignore[call-overload]
    connection.execute("INSERT INTO t VALUES (1, 1), (9, 9)")
    drain(source)
    connection.execute("DELETE FROM t WHERE id = 1")
    drain(source)
    assert rows_of(warehouse, "t") == Counter({(9, 9): 1})
    source.close()


def test_a_publication_by_partitions(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int) PARTITION BY RANGE (id)")
    connection.execute("CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10)")
    source = capture(warehouse, table(uri, "t", ("id", "int"), ("n", "int")))
    connection.execute(f"CREATE PUBLICATION {source.record.get().slot} FOR TABLE t")  # type: ignore[call-overload]
    error = source.poll().error
    assert error is not None
    assert error.code == "HW886"
    assert "publish_via_partition_root = true" in error.hint


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL"])
def test_a_partitioned_table(uri: str, connection: Connection, warehouse: Warehouse, identity: str) -> None:
    """Partitions with other columns and order of columns than their parent; rows move between them."""
    connection.execute("CREATE TABLE t (id int, n int, note text, PRIMARY KEY (id)) PARTITION BY RANGE (id)")
    connection.execute("CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10)")
    connection.execute("CREATE TABLE high (gone int, note text, n int, id int NOT NULL)")
    connection.execute("ALTER TABLE high DROP COLUMN gone")
    connection.execute("ALTER TABLE t ATTACH PARTITION high FOR VALUES FROM (10) TO (100)")
    for name in ("t", "low", "high"):
        connection.execute(f"ALTER TABLE {name} REPLICA IDENTITY {identity}")  # type: ignore[call-overload]
    connection.execute("INSERT INTO t VALUES (1, 1, 'a'), (11, 11, 'b')")
    source = capture(warehouse, table(uri, "t", ("n", "int"), ("id", "int"), ("note", "string")))
    assert any("HW954" in note for note in drained_notes(source))
    connection.execute("UPDATE t SET id = id + 20 WHERE id = 1; UPDATE t SET n = 5 WHERE id = 11")
    connection.execute("INSERT INTO t VALUES (2, 2, NULL), (50, 50, 'c'); DELETE FROM t WHERE id = 21")
    drain(source)
    assert rows_of(warehouse, "t") == rows_in_postgres(connection, "t", "n", "id", "note")
    connection.execute("TRUNCATE t; INSERT INTO t VALUES (3, 3, 'd')")
    drain(source)
    assert rows_of(warehouse, "t") == Counter({(3, 3, "d"): 1})
    source.close()


def test_a_table_that_cannot_be_captured_leaves_the_others_going(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE UNLOGGED TABLE b (id int PRIMARY KEY)")
    source = capture(warehouse, table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int")))
    while (polled := source.poll()).behind:
        pass
    assert polled.error is not None
    assert polled.error.code == "HW888"
    assert polled.held == {"b": 0}
    connection.execute("INSERT INTO a VALUES (1)")
    before = polled.watermark
    polled = source.poll()
    assert polled.watermark > before
    assert rows_of(warehouse, "a") == Counter({(1,): 1})
    source.close()
