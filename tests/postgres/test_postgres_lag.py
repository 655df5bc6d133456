"""How far a slot is behind: shown by `status`, and limited by max_slot_lag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.errors import InputError
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, drained_notes, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def slot_count(connection: Connection, slot: str) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s", (slot,)
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_slot_beyond_the_limit_is_dropped_and_the_rows_are_compared(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, note text)")
    generous = table(uri, "a", ("id", "int"), ("note", "string"), max_slot_lag="1 GB")
    strict = table(uri, "a", ("id", "int"), ("note", "string"), max_slot_lag="20 kB")
    source = capture(warehouse, generous)
    drain(source)
    slot = source.slot
    source.close()
    connection.execute("INSERT INTO a SELECT g, repeat('x', 100) FROM generate_series(1, 1000) g")
    connection.execute("DELETE FROM a WHERE id < 500")
    source = capture(warehouse, strict)
    notes = drained_notes(source)
    assert [note for note in notes if note.startswith("HW956") and "max_slot_lag allows 20.0 kB" in note], (
        notes
    )
    assert source.slot != slot
    assert slot_count(connection, slot) == 0
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a")
    connection.execute("UPDATE a SET note = 'y'")
    assert drained_notes(source) == [], "a capture that runs is not cut off"
    assert rows_of(warehouse, "a") == rows_in_postgres(connection, "a")
    source.close()


def test_a_limit_that_is_no_size(uri: str, warehouse: Warehouse) -> None:
    with pytest.raises(InputError, match="max_slot_lag 'much' is not a size"):
        capture(warehouse, table(uri, "a", ("id", "int"), max_slot_lag="much"))


def test_status_shows_the_lag(uri: str, connection: Connection, tmp_path: Path) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, note text)")
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(
        f"CREATE TABLE a (id INT PRIMARY KEY, note STRING) USING postgres OPTIONS (uri '{uri}', max_slot_lag '50 kB');\n"
        "CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM a;\n"
    )
    import headwater
    from headwater.capture.captures import captures

    project = headwater.open(str(tmp_path))
    [source] = captures(project.project, project.warehouse, project.clock)
    while source.poll().behind:
        pass
    source.close()
    [before] = json.loads(CliRunner().invoke(app, ["status", str(tmp_path), "--json"]).output)["slots"]
    connection.execute("INSERT INTO a SELECT g, repeat('x', 100) FROM generate_series(1, 1000) g")
    shown = CliRunner().invoke(app, ["status", str(tmp_path), "--json"])
    [slot] = json.loads(shown.output)["slots"]
    assert slot["lag_bytes"] > before["lag_bytes"] + 100_000
    assert slot["retained_bytes"] >= slot["lag_bytes"]
    assert slot["lag_seconds"] >= 0
    assert (slot["tables"], slot["max_lag_bytes"], slot["active"], slot["error"]) == (
        ["a"],
        50_000,
        False,
        "",
    )
    assert "the next run drops it" in " ".join(
        CliRunner().invoke(app, ["status", str(tmp_path)]).output.split()
    )
    assert CliRunner().invoke(app, ["capture", str(tmp_path), "--drop"]).exit_code == 0
    [dropped] = json.loads(CliRunner().invoke(app, ["status", str(tmp_path), "--json"]).output)["slots"]
    assert (dropped["slot"], dropped["lag_bytes"]) == (None, None)


def test_status_of_a_server_that_is_down(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(
        "CREATE TABLE a (id INT PRIMARY KEY) USING postgres "
        "OPTIONS (uri 'postgresql://user:secret@localhost:1/shop');\n"
    )
    from headwater.capture.postgres.slot_record import SlotRecord

    SlotRecord(str(tmp_path / "warehouse"), "shop", "localhost:1/shop").renew()
    shown = CliRunner().invoke(app, ["status", str(tmp_path), "--json"])
    [slot] = json.loads(shown.output)["slots"]
    assert "is not reachable" in slot["error"]
    assert "secret" not in shown.output
