"""A warehouse that is older than its slot: restored from a backup, whole or in part, or after a power cut."""

from __future__ import annotations

import os
import shutil
from typing import Any

import psycopg
import pytest

from headwater.capture.postgres import server as statements
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, drained_notes
from support.postgres_pair import assert_equal, create_pair, pair

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def change(connection: Connection) -> None:
    """Every kind of change, so that none can be skipped unseen."""
    connection.execute(
        "DELETE FROM a WHERE id = 1; UPDATE a SET n = 20 WHERE id = 2; INSERT INTO a VALUES (4, 4)"
    )
    connection.execute("INSERT INTO b VALUES (2, 2)")


def test_a_warehouse_restored_from_a_backup(
    uri: str, connection: Connection, warehouse: Warehouse, tmp_path: Any
) -> None:
    create_pair(connection, 3)
    source = capture(warehouse, *pair(uri))
    drain(source)
    slot = source.slot
    source.close()
    shutil.copytree(warehouse.root, tmp_path / "backup")
    change(connection)
    source = capture(warehouse, *pair(uri))
    drain(source)
    source.close()
    shutil.rmtree(warehouse.root)
    shutil.copytree(tmp_path / "backup", warehouse.root)
    restored = capture(warehouse, *pair(uri))
    notes = drained_notes(restored)
    assert_equal(warehouse, connection)
    assert any("ahead of the warehouse" in note for note in notes), notes
    assert restored.slot != slot
    connection.execute("INSERT INTO a VALUES (9, 9)")
    drain(restored)
    assert_equal(warehouse, connection)
    restored.close()


def test_one_table_restored_alone(
    uri: str, connection: Connection, warehouse: Warehouse, tmp_path: Any
) -> None:
    create_pair(connection, 3)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute("INSERT INTO a VALUES (10, 10)")
    drain(source)
    folder = os.path.join(warehouse.root, "sources", "a")
    shutil.copytree(folder, tmp_path / "a")
    change(connection)
    drain(source)
    slot = source.slot
    source.close()
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "a", folder)
    restored = capture(warehouse, *pair(uri))
    notes = drained_notes(restored)
    assert_equal(warehouse, connection)
    assert restored.slot == slot
    assert [note for note in notes if 'table "a" is behind the slot' in note]
    assert not [note for note in notes if 'table "b"' in note]
    restored.close()


def test_a_table_that_left_the_project_for_a_while(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    create_pair(connection, 3)
    a, b = pair(uri)
    source = capture(warehouse, a, b)
    drain(source)
    source.close()
    source = capture(warehouse, b)
    change(connection)
    drain(source)
    source.close()
    source = capture(warehouse, a, b)
    drain(source)
    assert_equal(warehouse, connection)
    source.close()


def test_the_position_is_recorded_after_the_commit_and_before_the_slot_moves(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_pair(connection, 3)
    source = capture(warehouse, *pair(uri))
    drain(source)
    order: list[str] = []
    commit, record, advance = Timeline.commit, source.record.advance, statements.advance_slot

    def committed(self: Timeline, *arguments: Any, **named: Any) -> bool:
        done = commit(self, *arguments, **named)
        order.append("commit")
        return done

    monkeypatch.setattr(Timeline, "commit", committed)
    monkeypatch.setattr(source.record, "advance", lambda *given: (record(*given), order.append("record")))
    monkeypatch.setattr(statements, "advance_slot", lambda *given: (advance(*given), order.append("advance")))
    connection.execute("INSERT INTO a VALUES (7, 7); INSERT INTO b VALUES (7, 7)")
    drain(source)
    assert order == ["commit", "commit", "record", "advance"]
    position = statements.slot_position(connection, source.slot)
    stored = source.record.read()
    assert stored is not None
    assert stored.advanced == position
    source.close()


def test_notes_are_stored_and_survive_a_dropped_slot(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    create_pair(connection, 3)
    source = capture(warehouse, *pair(uri))
    drain(source)
    connection.execute("SELECT pg_drop_replication_slot(%s)", (source.slot,))
    source.close()
    again = capture(warehouse, *pair(uri))
    drain(again)
    assert [note.code for note in again.record.notes() if "is gone" in note.text] == ["HW955"]
    again.drop()
    assert again.record.read() is None
    assert again.record.notes()
