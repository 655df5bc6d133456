"""Transactions, backlogs, TRUNCATEs and tables larger than a piece: applied in pieces, visible at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.bench.large_transactions import run_large
from headwater.capture.postgres import copied_rows, snapshot
from headwater.capture.postgres import server as statements
from headwater.capture.postgres.stream import difference, rounds
from headwater.model import Table
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "PIECE", 100)
    monkeypatch.setattr(copied_rows, "PIECE", 100)
    monkeypatch.setattr(snapshot, "ROWS_AT_ONCE", 150)
    monkeypatch.setattr(difference, "ROWS_IN_MEMORY", 120)


def orders(uri: str, connection: Connection, rows: int = 0) -> Table:
    connection.execute("CREATE TABLE orders (id int PRIMARY KEY, n int, note text)")
    connection.execute(
        "INSERT INTO orders SELECT g, g %% 7, 'note ' || g FROM generate_series(1, %s) g", (rows,)
    )
    return table(uri, "orders", ("id", "int"), ("n", "int"), ("note", "string"))


def times_of(warehouse: Warehouse, name: str) -> int:
    return len(Warehouse(warehouse.root).source(name).as_of(1 << 62).times)


def orphans(warehouse: Warehouse, name: str) -> set[str]:
    """Data files that no commit names."""
    timeline = Warehouse(warehouse.root).source(name)
    present = {file for file in os.listdir(timeline.path) if file.endswith(".parquet")}
    return present - {file.relative for file in timeline.snapshot().files}


def test_a_large_transaction_is_one_commit_of_several_files(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    source = capture(warehouse, orders(uri, connection))
    drain(source)
    with connection.transaction():
        connection.execute("INSERT INTO orders SELECT g, 0, 'x' FROM generate_series(1, 950) g")
        connection.execute("UPDATE orders SET n = n + 1 WHERE id % 2 = 0")
        connection.execute("UPDATE orders SET id = id + 10000 WHERE id % 5 = 0")
        connection.execute("DELETE FROM orders WHERE id % 3 = 0")
        connection.execute("UPDATE orders SET n = n + 1, note = 'y'")
    polls = 0
    while (polled := source.poll()).behind:
        assert polled.error is None
        polls += 1
        assert rows_of(warehouse, "orders").total() in (0, connection_count(connection)), "half a transaction"
    assert polls > 5
    drain(source)
    assert rows_of(warehouse, "orders") == rows_in_postgres(connection, "orders")
    assert times_of(warehouse, "orders") == 1
    assert len(Warehouse(warehouse.root).source("orders").snapshot().files) > 5
    source.close()


def connection_count(connection: Connection) -> int:
    row = connection.execute("SELECT count(*) FROM orders").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.long
def test_a_truncate_in_the_middle_of_a_large_transaction(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    source = capture(warehouse, orders(uri, connection, rows=700))
    drain(source)
    connection.execute("UPDATE orders SET n = 99 WHERE id < 300")
    drain(source)
    with connection.transaction():
        connection.execute("DELETE FROM orders WHERE id < 350")
        connection.execute("INSERT INTO orders SELECT g, 5, 'new' FROM generate_series(1, 300) g")
        connection.execute("TRUNCATE orders")
        connection.execute("INSERT INTO orders SELECT g, 6, 'newer' FROM generate_series(200, 500) g")
        connection.execute("TRUNCATE orders")
        connection.execute("INSERT INTO orders SELECT g, 7, 'newest' FROM generate_series(100, 450) g")
        connection.execute("UPDATE orders SET n = 8 WHERE id % 3 = 0")
    drain(source)
    assert rows_of(warehouse, "orders") == rows_in_postgres(connection, "orders")
    connection.execute("TRUNCATE orders")
    drain(source)
    assert rows_of(warehouse, "orders").total() == 0
    assert orphans(warehouse, "orders") == set()
    source.close()


def test_a_kill_in_the_middle_of_a_large_transaction(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    declared = orders(uri, connection, rows=50)
    source = capture(warehouse, declared)
    drain(source)
    connection.execute("INSERT INTO orders SELECT g, 0, 'x' FROM generate_series(100, 900) g")
    for _ in range(3):
        assert source.poll().behind
    assert rows_of(warehouse, "orders").total() == 50
    source.close()
    assert orphans(warehouse, "orders") == set(), "a clean stop removes what it will not commit"
    source = capture(warehouse, declared)
    drain(source)
    assert rows_of(warehouse, "orders") == rows_in_postgres(connection, "orders")
    source.close()


@pytest.mark.long
def test_recovery_of_a_large_backlog(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the commits of two tables: the second one catches up in pieces, at the time of the first."""
    for name in "ab":
        connection.execute(f"CREATE TABLE {name} (n int); ALTER TABLE {name} REPLICA IDENTITY FULL")  # type: ignore[call-overload]
    tables = [table(uri, name, ("n", "int")) for name in "ab"]
    source = capture(warehouse, *tables)
    drain(source)
    with connection.transaction():
        for name in "ab":
            connection.execute(f"INSERT INTO {name} SELECT g FROM generate_series(1, 800) g")  # type: ignore[call-overload]
    real = Timeline.commit

    class KilledError(BaseException):
        pass

    def dying(self: Timeline, *arguments: Any, **named: Any) -> bool:
        if self.path.endswith("b"):
            raise KilledError
        return real(self, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Timeline, "commit", dying)
        patch.setattr(statements, "advance_slot", lambda *_: (_ for _ in ()).throw(KilledError))
        with pytest.raises(KilledError):
            drain(source)
    source.close()
    again = capture(warehouse, *tables)
    assert again.poll().behind
    assert rows_of(warehouse, "b").total() == 0
    drain(again)
    assert rows_of(warehouse, "a") == rows_of(warehouse, "b") == rows_in_postgres(connection, "b")
    assert Warehouse(warehouse.root).source("a").time() == Warehouse(warehouse.root).source("b").time()
    again.close()


@pytest.mark.long
def test_a_large_table_is_compared_with_a_new_snapshot(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    declared = orders(uri, connection, rows=900)
    source = capture(warehouse, declared)
    drain(source)
    before = Warehouse(warehouse.root).source("orders").snapshot().rows
    source.drop()
    connection.execute("DELETE FROM orders WHERE id < 10; UPDATE orders SET n = 70 WHERE id > 895")
    connection.execute("INSERT INTO orders VALUES (5000, 1, NULL)")
    again = capture(warehouse, declared)
    drain(again)
    assert rows_of(warehouse, "orders") == rows_in_postgres(connection, "orders")
    changes = Warehouse(warehouse.root).source("orders").snapshot().rows - before
    assert changes == 9 + 2 * 5 + 1, "only what differs is a change"
    again.close()


@pytest.mark.long
def test_many_rejected_rows_are_counted(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headwater.capture.dead_letters import DEAD_LETTERS
    from headwater.capture.postgres.stream import pending

    monkeypatch.setattr(pending, "MOST_REJECTED", 30)
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, d date)")
    source = capture(warehouse, table(uri, "t", ("id", "int"), ("d", "date")))
    drain(source)
    connection.execute("INSERT INTO t SELECT g, 'infinity' FROM generate_series(1, 250) g")
    connection.execute("INSERT INTO t VALUES (1000, '2024-01-01')")
    drain(source)
    letters = Warehouse(warehouse.root).system(DEAD_LETTERS)
    import pyarrow.parquet as pq

    reasons = [
        reason
        for file in letters.snapshot().files
        for reason in pq.ParquetFile(file.path).read().column("reason").to_pylist()
    ]
    assert len(reasons) == 31
    assert reasons[-1] == "220 further rows of the same commit were rejected"
    assert rows_of(warehouse, "t").total() == 1
    source.close()


def test_the_bench_of_large_transactions(tmp_path: Path) -> None:
    results = run_large(str(tmp_path / "warehouse"), 3_000, lambda text: None)
    assert [result.statement for result in results] == [
        "INSERT", "UPDATE of all", "DELETE of all", "INSERT again", "TRUNCATE",
    ]  # fmt: skip
    assert all(result.equal and result.own_peak_bytes > 0 for result in results)
