"""Columns added, altered, dropped and renamed in PostgreSQL while a table is captured."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest

from headwater.capture.postgres import session
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, drained_notes, rows_in_postgres, rows_of
from support.postgres_pair import create_pair, pair

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def test_an_added_column_is_a_note_and_nothing_else(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    create_pair(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute("ALTER TABLE a ADD COLUMN more text DEFAULT 'x'; INSERT INTO a VALUES (3, 3, 'y')")
    notes = drained_notes(source)
    assert [note for note in notes if note.startswith("HW951") and "more" in note]
    connection.execute("UPDATE a SET n = n + 1")
    assert drained_notes(source) == []
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a", "id", "n")
    source.close()


def test_an_added_column_that_is_declared_later(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    create_pair(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute("ALTER TABLE a ADD COLUMN more text DEFAULT 'x'; UPDATE a SET more = 'y' WHERE id = 2")
    connection.execute("INSERT INTO a VALUES (3, 3, NULL)")
    drain(source)
    slot = source.slot
    source.close()
    again = capture(warehouse, *pair(uri, ("more", "string")))
    notes = drained_notes(again)
    assert [note for note in notes if note.startswith("HW950") and "more" in note], notes
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a")
    assert again.slot == slot, "the other tables go on from where they were"
    connection.execute("UPDATE a SET more = 'z', n = 5 WHERE id = 1")
    assert drained_notes(again) == []
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a")
    again.close()


@pytest.mark.parametrize("change", ["DROP COLUMN n", "RENAME COLUMN n TO m"])
def test_a_declared_column_is_dropped_or_renamed(
    uri: str, connection: Connection, warehouse: Warehouse, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CHECK_AGAIN", 0)
    create_pair(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute(f"ALTER TABLE a {change}; INSERT INTO a (id) VALUES (3); INSERT INTO b VALUES (2, 2)")  # type: ignore[call-overload]
    for number in range(3, 6):
        polled = source.poll()
        assert polled.error is not None
        assert polled.error.code == "HW873"
        assert 'public.a has no column "n"' in polled.error.message
        assert set(polled.held) == {"a"}
        assert rows_of(warehouse, "b") == rows_in_postgres(connection, "b")
        connection.execute("INSERT INTO b VALUES (%s, 0)", (number,))
        connection.execute("INSERT INTO a (id) VALUES (%s)", (number + 10,))
    assert rows_of(warehouse, "a") == Counter({(1, 1): 1, (2, 2): 1}), "as it was before the change"
    held = polled.held["a"]
    if "RENAME" in change:
        source.close()
        source = capture(warehouse, *pair(uri, rename="n=m"))
    else:
        connection.execute("ALTER TABLE a ADD COLUMN n int")
    drain(source)
    remote = "m" if "RENAME" in change else "n"
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a", "id", remote)
    assert rows_of(warehouse, "b") == rows_in_postgres(connection, "b")
    assert rows_of(warehouse, "a", held) == Counter({(1, 1): 1, (2, 2): 1}), "nothing behind its watermark"
    source.close()


def test_a_type_that_is_altered(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    """PostgreSQL converts all rows and sends none of them."""
    create_pair(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute("ALTER TABLE a ALTER n TYPE bigint USING n * 100")
    connection.execute("INSERT INTO a VALUES (3, 3); INSERT INTO b VALUES (2, 2)")
    first = source.poll()
    assert [note for note in first.notes if note.startswith("HW950")]
    while source.poll().behind:
        pass
    assert source.poll().error is None
    assert rows_of(warehouse, "a") == Counter({(1, 100): 1, (2, 200): 1, (3, 3): 1})
    source.close()
    connection.execute("ALTER TABLE a ALTER n TYPE smallint USING n / 100")
    source = capture(warehouse, *pair(uri))
    drain(source)
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a"), (
        "also if nothing was captured meanwhile"
    )
    source.close()
