"""A run takes over columns that a table gains; any other change of a table needs a restart."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.capture.captures import capture_of
from headwater.capture.polling import RefusedCapture
from headwater.clock import ManualClock
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.reloading import gained_columns, needs_restart
from headwater.errors import InputError
from headwater.model import Column, Project, Table
from headwater.storage.warehouse import Warehouse
from support.capture import rows_of

OLD = Table(
    "t", (Column("a", "int"), Column("b", "int")), provider="files", options={"path": "in", "settle": "0"}
)
NEW = replace(OLD, columns=(Column("c", "int", default="7"), *OLD.columns))


def project_of(folder: Path, *tables: Table) -> Project:
    return Project("p", str(folder), str(folder / "w"), {table.name: table for table in tables}, {}, {}, {})


@pytest.mark.parametrize(
    ("table", "gained"),
    [
        (NEW, ("c",)),
        (OLD, ()),
        (replace(OLD, columns=OLD.columns[:1]), ()),
        (replace(NEW, columns=(Column("c", "int"), Column("a", "int"), Column("b", "string"))), ()),
        (replace(NEW, key=("a",)), ()),
        (replace(NEW, provider="postgres"), ("c",)),
        (replace(NEW, provider="stream"), ("c",)),
    ],
)
def test_only_gained_columns_need_no_restart(tmp_path: Path, table: Table, gained: tuple[str, ...]) -> None:
    old = replace(OLD, provider=table.provider)
    assert gained_columns(old, table) == gained
    restarts = list(needs_restart(project_of(tmp_path, old), project_of(tmp_path, table)))
    assert restarts == ([] if gained or table == old else ['table "t" changed'])


def test_a_capture_goes_on_with_the_new_columns(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    warehouse, clock = Warehouse(str(tmp_path / "w")), ManualClock()
    capturing = Capturing(capture_of(project_of(tmp_path, OLD), warehouse, OLD, clock), clock)
    (tmp_path / "in" / "1.jsonl").write_text('{"a": 1, "b": 2}')
    capturing.poll()
    capturing.replacement = capture_of(project_of(tmp_path, NEW), warehouse, NEW, clock)
    (tmp_path / "in" / "2.jsonl").write_text('{"a": 3, "b": 4, "c": 5}')
    clock.advance(timedelta(seconds=1))
    assert capturing.poll() == 1
    assert sorted(rows_of(warehouse, "t")) == [(1, 2, 7), (3, 4, 5)]


def test_a_table_declared_otherwise_than_stored_is_not_captured_and_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    warehouse, clock = Warehouse(str(tmp_path / "w")), ManualClock()
    (tmp_path / "in" / "1.jsonl").write_text('{"a": 1, "b": 2}')
    capture_of(project_of(tmp_path, OLD), warehouse, OLD, clock).poll()
    dropped = replace(OLD, columns=OLD.columns[:1])
    refused = capture_of(project_of(tmp_path, dropped), warehouse, dropped, clock)
    assert isinstance(refused, RefusedCapture)
    polled = refused.poll()
    assert isinstance(polled.error, InputError)
    assert polled.error.code == "HW845"
    assert polled.watermark == warehouse.source("t").time()
