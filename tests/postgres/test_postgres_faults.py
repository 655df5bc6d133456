"""Kills, lost servers, lost slots and wrong set-ups: nothing is lost or doubled, and errors say why."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from headwater.capture.postgres import server as statements
from headwater.capture.postgres.capture import PostgresCapture
from headwater.capture.postgres.group import Group
from headwater.clock import ManualClock, SystemClock
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse
from support.postgres import Server, capture, drain, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


class KilledError(BaseException):
    """Stands for `kill -9`: nothing of ours catches it."""


def two_tables(uri: str, connection: Connection) -> tuple[Table, Table]:
    """Without keys, so that a change taken twice or not at all would show."""
    for name in "ab":
        connection.execute(f"CREATE TABLE {name} (n int); ALTER TABLE {name} REPLICA IDENTITY FULL")  # type: ignore[call-overload]
    return table(uri, "a", ("n", "int")), table(uri, "b", ("n", "int"))


def insert_into_both(connection: Connection, number: int) -> None:
    with connection.transaction():
        connection.execute("INSERT INTO a VALUES (%s)", (number,))
        connection.execute("INSERT INTO b VALUES (%s)", (number,))


def whole_at_every_time(warehouse: Warehouse) -> bool:
    times = {0}
    for name in "ab":
        timeline = Warehouse(warehouse.root).source(name)
        times |= timeline.as_of(1 << 62).times
    return all(rows_of(warehouse, "a", time) == rows_of(warehouse, "b", time) for time in times)


@pytest.mark.parametrize("commits", [0, 1, 2], ids=["before any", "between two", "before the slot advances"])
def test_killed_between_commits(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    tables = two_tables(uri, connection)
    source = capture(warehouse, *tables)
    drain(source)
    before = source.watermark()
    insert_into_both(connection, 1)
    done: list[int] = []
    real = Timeline.commit

    def dying(self: Timeline, *arguments: Any, **named: Any) -> bool:
        if len(done) == commits:
            raise KilledError
        done.append(1)
        return real(self, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Timeline, "commit", dying)
        patch.setattr(statements, "advance_slot", lambda *_: (_ for _ in ()).throw(KilledError))
        with pytest.raises(KilledError):
            drain(source)
    source.close()
    again = capture(warehouse, *tables)
    if commits < 2:
        assert again.watermark() == before, "the watermark must not pass a half transaction"
    insert_into_both(connection, 2)
    drain(again)
    assert rows_of(warehouse, "a") == rows_of(warehouse, "b") == Counter({(1,): 1, (2,): 1})
    assert whole_at_every_time(warehouse)


@pytest.mark.parametrize("commits", [0, 1])
def test_killed_during_the_first_snapshot(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    tables = two_tables(uri, connection)
    insert_into_both(connection, 1)
    done: list[int] = []
    real = Group.publish

    def dying(self: Group, *arguments: Any) -> None:
        if len(done) == commits:
            raise KilledError
        done.append(1)
        real(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Group, "publish", dying)
        source = capture(warehouse, *tables)
        with pytest.raises(KilledError):
            source.poll()
        assert source.watermark() == 0
    insert_into_both(connection, 2)
    again = capture(warehouse, *tables)
    drain(again)
    insert_into_both(connection, 3)
    drain(again)
    assert rows_of(warehouse, "a") == rows_of(warehouse, "b") == Counter({(1,): 1, (2,): 1, (3,): 1})
    # The half snapshot is visible in a's timeline alone until the time at which b has its own; no watermark
    # ever stood in between.
    final = max(Warehouse(warehouse.root).source(name).time() for name in "ab")
    assert rows_of(warehouse, "a", final) == rows_of(warehouse, "b", final)


def test_the_server_goes_down_while_running(
    server: Server, uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    clock = ManualClock(SystemClock().now())
    source = PostgresCapture(warehouse, "shop", [table(uri, "a", ("id", "int"))], clock)
    assert source.poll().error is None
    connection.execute("INSERT INTO a VALUES (1)")
    connection.close()
    server.stop()
    first = source.poll()
    assert first.error is not None
    assert first.error.code == "HW870"
    assert first.state == "next try in 0.5 s"
    assert source.poll() == first  # waits, without trying
    clock.step(timedelta(hours=-1))  # it waits no longer because the clock is set back
    for expected in ("1.0", "2.0"):
        clock.advance(source_wait(source))
        assert source.poll().state == f"next try in {expected} s"
    server.start()
    clock.advance(source_wait(source))
    polled = source.poll()
    assert (polled.error, polled.state) == (None, "")
    assert rows_of(warehouse, "a") == Counter({(1,): 1})
    assert polled.watermark == source.watermark() >= warehouse.source("a").time()
    source.close()


def source_wait(source: PostgresCapture) -> timedelta:
    return timedelta(microseconds=source._try_at - source._clock.monotonic())


def test_the_server_is_down_at_start(warehouse: Warehouse) -> None:
    gone = table("postgresql://user:secret@localhost:1/shop", "a", ("id", "int"))
    source = capture(warehouse, gone)
    with pytest.raises(Exception, match="HW870: PostgreSQL at localhost:1/shop is not reachable") as failed:
        source.prepare()
    assert "secret" not in str(failed.value)
    assert source.poll().error is not None
    assert source.poll().watermark == 0


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ((("id", "int"), ("nam", "string")), "HW873"),
        ((("id", "string"), ("name", "int")), "HW874"),
        ((("id", "int"), ("tags", "string")), "HW874"),
        ((("id", "int"), ("balance", "int")), "HW874"),
        ((("id", "int"), ("balance", "decimal(12,1)")), "HW874"),
        ((("name", "string"),), "HW875"),
    ],
    ids=["missing column", "wrong type", "array", "too narrow", "too few digits", "key not declared"],
)
def test_wrong_declarations(
    uri: str, connection: Connection, warehouse: Warehouse, columns: Any, code: str
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, name text, tags text[], balance numeric(12,2))")
    with pytest.raises(InputError) as failed:
        capture(warehouse, table(uri, "a", *columns)).prepare()
    assert failed.value.code == code
    row = connection.execute("SELECT count(*) FROM pg_replication_slots").fetchone()
    assert row == (0,), "nothing is created before everything is right"


def test_missing_tables_and_addresses(uri: str, warehouse: Warehouse) -> None:
    with pytest.raises(InputError, match=r"no table public\.absent"):
        capture(warehouse, table(uri, "absent", ("id", "int"))).prepare()
    with pytest.raises(InputError, match="needs a uri"):
        capture(warehouse, Table("t", (Column("id", "int"),), provider="postgres"))
    with pytest.raises(InputError, match="not a PostgreSQL address"):
        capture(warehouse, table("nonsense", "t", ("id", "int")))
    with pytest.raises(InputError, match="both capture"):
        capture(warehouse, table(uri, "x", ("id", "int")), table(uri, "y", ("id", "int"), table="public.x"))


def test_a_missing_permission(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    connection.execute("DROP ROLE IF EXISTS reader")
    connection.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON a TO reader")
    readable = table(uri.replace("//postgres:", "//reader:"), "a", ("id", "int"))
    with pytest.raises(InputError, match='the user "reader" of .* may not replicate'):
        capture(warehouse, readable).prepare()
    connection.execute("ALTER ROLE reader REPLICATION")
    source = capture(warehouse, readable)
    error = source.poll().error
    assert error is not None
    assert error.code == "HW876"
    name = source.record.get().slot
    connection.execute(f"CREATE PUBLICATION {name} FOR TABLE a")  # type: ignore[call-overload]
    connection.execute("INSERT INTO a VALUES (1)")
    source = capture(warehouse, readable)
    drain(source)
    assert rows_of(warehouse, "a") == Counter({(1,): 1})


def test_wal_level_must_be_logical(warehouse: Warehouse, server: Server) -> None:
    """A second server, as it comes out of the box."""
    folder = tempfile.mkdtemp(prefix="headwater-pg-")
    plain = Server(os.path.join(folder, "data"))
    plain.start()
    try:
        with pytest.raises(InputError, match="wal_level is replica"):
            capture(warehouse, table(plain.uri(), "a", ("id", "int"))).prepare()
    finally:
        plain.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_slot_is_in_use(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    source = capture(warehouse, table(uri, "a", ("id", "int")))
    drain(source)
    holder = psycopg.connect(
        uri, autocommit=True, replication="database", cursor_factory=psycopg.ClientCursor
    )
    holder.pgconn.send_query(
        f"START_REPLICATION SLOT {source.slot} LOGICAL 0/0 "
        f"(proto_version '1', publication_names '{source.slot}')".encode()
    )
    holder.pgconn.get_result()
    polled = source.poll()
    assert polled.error is not None
    assert polled.error.code == "HW877"
    holder.close()


@pytest.mark.parametrize("what", ["slot", "publication"])
def test_a_lost_slot_is_made_good_by_a_new_snapshot(
    uri: str, connection: Connection, warehouse: Warehouse, what: str
) -> None:
    tables = two_tables(uri, connection)
    source = capture(warehouse, *tables)
    insert_into_both(connection, 1)
    drain(source)
    source.close()
    slot = source.slot
    if what == "slot":
        connection.execute("SELECT pg_drop_replication_slot(%s)", (slot,))
    else:
        connection.execute(f"DROP PUBLICATION {slot}")  # type: ignore[call-overload]
    insert_into_both(connection, 2)
    connection.execute("DELETE FROM a WHERE n = 1; DELETE FROM b WHERE n = 1")
    again = capture(warehouse, *tables)
    drain(again)
    assert again.slot != slot
    insert_into_both(connection, 3)
    drain(again)
    assert rows_of(warehouse, "a") == rows_of(warehouse, "b") == Counter({(2,): 1, (3,): 1})
    assert rows_in_postgres(connection, "a") == rows_of(warehouse, "a")
    left = connection.execute(
        "SELECT slot_name FROM pg_replication_slots WHERE NOT temporary AND database = current_database()"
    )
    assert left.fetchall() == [(again.slot,)]


def test_drop_cleans_up_and_a_new_capture_goes_on(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    tables = two_tables(uri, connection)
    source = capture(warehouse, *tables)
    insert_into_both(connection, 1)
    drain(source)
    assert source.drop() == [f"replication slot {source.slot}", f"publication {source.slot}"]
    assert source.drop() == []
    for catalog in ("pg_replication_slots WHERE database = current_database()", "pg_publication"):
        assert connection.execute(f"SELECT count(*) FROM {catalog}").fetchone() == (0,)  # type: ignore[call-overload]
    insert_into_both(connection, 2)
    drain(capture(warehouse, *tables))
    assert rows_of(warehouse, "a") == Counter({(1,): 1, (2,): 1})


def test_a_snapshot_under_writes_loses_and_doubles_nothing(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    tables = two_tables(uri, connection)
    connection.execute("INSERT INTO a SELECT g FROM generate_series(1, 5000) g")
    connection.execute("INSERT INTO b SELECT g FROM generate_series(1, 5000) g")
    stop = threading.Event()

    def write(start: int) -> None:
        with psycopg.connect(uri, autocommit=True) as writer:
            number = start
            while not stop.is_set():
                insert_into_both(writer, number)
                with writer.transaction():
                    writer.execute("DELETE FROM a WHERE n = %s", (number - start,))
                    writer.execute("DELETE FROM b WHERE n = %s", (number - start,))
                number += 1

    writers = [threading.Thread(target=write, args=(start,)) for start in (10_000, 1_000_000)]
    for writer in writers:
        writer.start()
    try:
        source = capture(warehouse, *tables)
        for _ in range(5):
            drain(source)
            watermark = source.watermark()
            assert rows_of(warehouse, "a", watermark) == rows_of(warehouse, "b", watermark)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    drain(source)
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a")
    assert whole_at_every_time(warehouse)
