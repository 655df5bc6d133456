"""Snapshots beside the stream: other tables go on, nothing is lost, doubled or visible in part."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.capture.polling import Polled
from headwater.capture.postgres import copied_rows, snapshot
from headwater.capture.postgres import server as statements
from headwater.capture.postgres.capture import PostgresCapture
from headwater.capture.postgres.stream import pending
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied_rows, "PIECE", 50)
    monkeypatch.setattr(snapshot, "ROWS_AT_ONCE", 50)


def start(uri: str, connection: Connection, warehouse: Warehouse) -> tuple[PostgresCapture, list[Any]]:
    """ "small" follows the stream; "big" is declared later, with 1000 rows."""
    connection.execute(
        "CREATE TABLE small (id int PRIMARY KEY, n int); CREATE TABLE big (id int PRIMARY KEY, n int)"
    )
    connection.execute("INSERT INTO big SELECT g, 0 FROM generate_series(1, 1000) g")
    tables = [table(uri, name, ("id", "int"), ("n", "int")) for name in ("small", "big")]
    source = capture(warehouse, tables[0])
    drain(source)
    source.close()
    return capture(warehouse, *tables), tables


def polled(source: PostgresCapture) -> Polled:
    result = source.poll()
    if result.error is not None:
        raise result.error
    return result


def test_other_tables_go_on_while_a_snapshot_is_read(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    source, _ = start(uri, connection, warehouse)
    number, watermark = 0, 0
    while True:
        number += 1
        connection.execute("INSERT INTO small VALUES (%s, 0)", (number,))
        connection.execute("UPDATE big SET n = n + 1 WHERE id %% 10 = %s", (number % 10,))
        connection.execute("INSERT INTO big VALUES (%s, 0)", (5000 + number,))
        result = polled(source)
        if "big" not in result.held:
            break
        assert result.held == {"big": 0}
        assert result.behind
        assert result.watermark > watermark
        watermark = result.watermark
        assert rows_of(warehouse, "small") == rows_in_postgres(connection, "small")
        assert rows_of(warehouse, "big") == Counter(), "a snapshot is visible as a whole or not at all"
    assert number > 10
    assert rows_of(warehouse, "big").total() >= 1000
    drain(source)
    for name in ("small", "big"):
        assert rows_of(warehouse, name) == rows_in_postgres(connection, name)
    source.close()


def test_the_slot_stays_before_the_snapshot(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    source, _ = start(uri, connection, warehouse)
    positions = []
    while "big" in polled(source).held:
        connection.execute("INSERT INTO small SELECT coalesce(max(id), 0) + 1, 0 FROM small")
        positions.append(statements.slot_position(connection, source.slot))
    assert len(set(positions[2:])) == 1, "it would discard what the new table still needs"
    drain(source)
    assert (statements.slot_position(connection, source.slot) or 0) > (positions[-1] or 0)
    source.close()


def test_an_open_transaction_delays_the_snapshot_and_nothing_else(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    """PostgreSQL exports a snapshot only when the transactions that are open have ended."""
    source, _ = start(uri, connection, warehouse)
    with psycopg.connect(uri) as open_transaction:
        open_transaction.execute("INSERT INTO big VALUES (9999, 9)")
        for number in range(5):
            connection.execute("INSERT INTO small VALUES (%s, 0)", (number,))
            assert polled(source).held == {"big": 0}
            assert rows_of(warehouse, "small") == rows_in_postgres(connection, "small")
        open_transaction.commit()
    drain(source)
    assert rows_of(warehouse, "big") == rows_in_postgres(connection, "big")
    source.close()


@pytest.mark.parametrize("polls", [1, 3, 12])
def test_a_snapshot_that_is_cut_off_begins_anew(
    uri: str, connection: Connection, warehouse: Warehouse, polls: int
) -> None:
    source, tables = start(uri, connection, warehouse)
    for number in range(polls):
        connection.execute("INSERT INTO small VALUES (%s, 0)", (number,))
        connection.execute("DELETE FROM big WHERE id = 1 + %s", (number,))
        polled(source)
    source.close()
    connection.execute("UPDATE big SET n = 7 WHERE id > 900; INSERT INTO small VALUES (-1, -1)")
    again = capture(warehouse, *tables)
    drain(again)
    for name in ("small", "big"):
        assert rows_of(warehouse, name) == rows_in_postgres(connection, name)
    again.close()


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_during_a_snapshot(
    uri: str, connection: Connection, warehouse: Warehouse, seed: int
) -> None:
    """Both tables get the same changes in the same transactions, so they are equal at every time both show."""
    rng = random.Random(seed)
    source, _ = start(uri, connection, warehouse)
    connection.execute("INSERT INTO small SELECT * FROM big")
    statements_of = (
        "UPDATE {} SET n = n + 1 WHERE id % 7 = 3", "DELETE FROM {} WHERE id % 50 = 11",
        "INSERT INTO {} VALUES (%d, 1) ON CONFLICT DO NOTHING", "UPDATE {} SET id = id + 3000 WHERE id % 97 = 5 AND id < 3000",
    )  # fmt: skip
    result = polled(source)
    while result.behind:
        text = rng.choice(statements_of)
        text = text % rng.randrange(5000, 9000) if "%d" in text else text
        with connection.transaction():
            for name in ("small", "big"):
                connection.execute(text.format(name))  # type: ignore[call-overload]
        result = polled(source)
        if not result.held:
            assert rows_of(warehouse, "small", result.watermark) == rows_of(
                warehouse, "big", result.watermark
            )
    drain(source)
    assert rows_of(warehouse, "small") == rows_of(warehouse, "big") == rows_in_postgres(connection, "big")
    source.close()


def test_a_vacuum_leaves_a_snapshot_alone_that_takes_long(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read of it is hours old, and in no commit."""
    monkeypatch.setattr(pending, "YOUNG_S", 0.0)
    source, _ = start(uri, connection, warehouse)
    folder = Path(warehouse.root) / "sources" / "big"
    while not (written := list(folder.glob("*.parquet"))):
        polled(source)
    for file in written:
        os.utime(file, (1, 1))
    polled(source)
    assert all(file.stat().st_mtime > 1 for file in written)
    drain(source)
    assert rows_of(warehouse, "big") == rows_in_postgres(connection, "big")
    source.close()
