"""A batch with an id is stored once, whatever happened to the first call, and answers as it did then."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import headwater
from headwater.capture.intake import token as token_module
from headwater.capture.intake.append import Appended, Appender, append
from headwater.capture.intake.token import BatchId
from headwater.cli.app import app
from headwater.clock import ManualClock
from headwater.engine.upkeep.compaction import compact
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of

LOG = Table("log", (Column("n", "int", nullable=False),))
RECORDS = [{"n": 1}, {"n": 2}, {"n": "wrong"}]


def test_a_repetition_answers_as_the_first_call_did(warehouse: Warehouse, clock: ManualClock) -> None:
    first = append(warehouse, LOG, RECORDS, clock, BatchId("a"))
    again = append(Warehouse(warehouse.root), LOG, [{"n": 9}], clock, BatchId("a"))
    assert (first.accepted, first.rejected, first.repeated) == (2, 1, False)
    assert again == Appended(2, 1, first.time, repeated=True)
    assert append(warehouse, LOG, RECORDS, clock, BatchId("b")).accepted == 2
    assert rows_of(warehouse, "log") == Counter({(1,): 2, (2,): 2})


@pytest.mark.parametrize("moment", ["dead letters", "commit"])
def test_an_error_at_any_moment_doubles_nothing(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    real = Appender._write

    def fails(*arguments: object) -> int:
        if moment == "commit":
            real(*arguments)  # type: ignore[arg-type]
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Appender, "_write", fails)
        with pytest.raises(headwater.HeadwaterError):
            append(warehouse, LOG, RECORDS, clock, BatchId("a"))
    again = append(Warehouse(warehouse.root), LOG, RECORDS, clock, BatchId("a"))
    assert (again.accepted, again.rejected, again.repeated) == (2, 1, moment == "commit")
    assert rows_of(warehouse, "log") == Counter({(1,): 1, (2,): 1})
    assert len(dead_letters(warehouse)) == 1


def test_it_is_remembered_after_compaction_and_a_checkpoint(warehouse: Warehouse, clock: ManualClock) -> None:
    writer = Appender(warehouse, LOG, clock)
    first = writer.append(RECORDS, BatchId("first"))
    for number in range(120):
        writer.append([{"n": number}])
    source = warehouse.source("log")
    compact(source, source.time(), many=2)
    log = os.path.join(source.path, "_delta_log")
    checkpoint = max(name for name in os.listdir(log) if name.endswith(".checkpoint.parquet"))
    for name in os.listdir(log):  # as a clean-up of the log does, an hour later
        if name.endswith(".json") and name[:20].isdigit() and name[:20] < checkpoint[:20]:
            os.unlink(os.path.join(log, name))
    again = append(Warehouse(warehouse.root), LOG, RECORDS, clock, BatchId("first"))
    assert (again.repeated, again.time) == (True, first.time)


def test_the_oldest_is_forgotten_first_and_the_log_stays_bounded(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_module, "REMEMBERED", 8)
    writer = Appender(warehouse, LOG, clock)
    for number in range(20):
        writer.append([{"n": number}, {"n": None}], BatchId(f"batch {number}"))
    assert len(warehouse.source("log").log.transactions()) == 1 + 3 * 8
    fresh = Appender(Warehouse(warehouse.root), LOG, clock)
    assert all(fresh.append([], BatchId(f"batch {number}")).repeated for number in range(12, 20))
    assert not fresh.append([], BatchId("batch 11")).repeated


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(InputError, match="must not be empty"):
        BatchId(" ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: p\n")
    (tmp_path / "t.sql").write_text("CREATE TABLE log (n INT NOT NULL);")
    (tmp_path / "in.jsonl").write_text('{"n": 1}\n{"n": "wrong"}\n')
    return tmp_path


def test_on_the_command_line(folder: Path) -> None:
    command = ["ingest", str(folder), "LOG", str(folder / "in.jsonl"), "--batch", "monday"]
    first = CliRunner().invoke(app, command)
    again = CliRunner().invoke(app, command)
    answer = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert (first.exit_code, again.exit_code) == (1, 1)
    assert first.stdout.startswith("1 accepted")
    assert again.stdout.startswith("already stored: 1 accepted")
    assert "1 rejected" in again.stdout
    assert (answer["accepted"], answer["rejected"], answer["repeated"]) == (1, 1, True)
    empty = CliRunner().invoke(app, [*command[:-1], ""])
    assert isinstance(empty.exception, InputError)  # exit status 2


def test_from_python(folder: Path) -> None:
    project = headwater.open(str(folder))
    assert not project.ingest("log", [{"n": 1}], batch="x").repeated
    assert headwater.open(str(folder)).ingest("log", [{"n": 1}], batch="x").repeated
    assert project.ingest_file("log", str(folder / "in.jsonl"), batch="x").accepted == 1


def test_an_open_project_takes_up_columns_that_were_declared_since(folder: Path) -> None:
    project = headwater.open(str(folder))
    project.ingest("log", [{"n": 1}])
    (folder / "t.sql").write_text("CREATE TABLE log (n INT NOT NULL, note STRING DEFAULT 'none');")
    headwater.open(str(folder)).ingest("log", [{"n": 2}])
    project.ingest("log", [{"n": 3, "note": "x"}])
    assert rows_of(project.warehouse, "log") == Counter({(1, "none"): 1, (2, "none"): 1, (3, "x"): 1})
