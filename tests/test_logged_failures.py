"""What a user sees as one line is in the log with its traceback: once, not at every try, and without secrets."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.capture.files.folder import FileCapture
from headwater.capture.postgres.capture import PostgresCapture
from headwater.capture.postgres.failures import database_of
from headwater.cli.app import app
from headwater.clock import ManualClock
from headwater.engine.spark.agents import Agent
from headwater.errors import InputError
from headwater.logs import LogLevel, log_to
from headwater.model import Column, Table
from headwater.storage.records.dropped import mark_dropped
from headwater.storage.records.run_lock import run_lock
from headwater.storage.warehouse import Warehouse

COLUMNS = (Column("id", "int", nullable=False),)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path / "warehouse"))


def test_a_folder_that_cannot_be_read(
    warehouse: Warehouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = {"path": "in", "format": "jsonl"}
    table = Table("t", COLUMNS, key=("id",), provider="files", options=options)
    capture = FileCapture(warehouse, table, ManualClock(), str(tmp_path / "nowhere"))
    for _ in range(3):
        assert capture.poll().error is not None
    (record,) = caplog.records
    assert record.getMessage().startswith("capturing t failed")
    assert record.exc_info is not None
    assert record.exc_info[0] is FileNotFoundError


def test_a_database_that_is_away(warehouse: Warehouse, tmp_path: Path) -> None:
    uri = "postgresql://shop:hunter2@localhost:1/shop?connect_timeout=1"
    table = Table("t", COLUMNS, key=("id",), provider="postgres", options={"uri": uri})
    capture = PostgresCapture(warehouse, "shop", [table], ManualClock())
    path = tmp_path / "headwater.log"
    with log_to(str(path), LogLevel.WARNING):
        assert capture.poll().error is not None
        capture.poll()  # too early for another try
    text = path.read_text()
    assert text.count("capturing t failed: PostgreSQL at localhost:1/shop is not reachable") == 1
    assert "Traceback" in text
    assert "hunter2" not in text


def test_an_address_that_cannot_be_parsed_is_not_repeated() -> None:
    with pytest.raises(InputError, match="HW872") as caught:
        database_of("shop:hunter2@localhost")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_silent_site_is_logged_when_it_falls_silent_and_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    up = False

    def ask() -> None:
        if not up:
            raise ConnectionError("refused")

    caplog.set_level(logging.INFO)
    agent = Agent("plango", ManualClock(), ask)
    assert [agent.beat() for _ in range(3)] == [False] * 3
    up = True
    assert agent.beat()
    assert agent.beat()
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["site plango does not answer: ConnectionError: refused", "site plango answers again"]


def test_a_broken_mark_is_logged(warehouse: Warehouse, caplog: pytest.LogCaptureFixture) -> None:
    mark_dropped(warehouse, "v", {"v@1"})
    assert caplog.records == []  # that there was none before is no failure
    mark = Path(warehouse.root) / "dropped" / "v.json"
    mark.write_text("{")
    mark_dropped(warehouse, "v", {"v@2"})
    (record,) = caplog.records
    assert "v.json cannot be read" in record.getMessage()
    assert json.loads(mark.read_text())["stages"] == ["v@2"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_run_that_fails_leaves_its_traceback_in_the_warehouse(form: str, tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text("CREATE TABLE t (id INT PRIMARY KEY);\n")
    root = tmp_path / "warehouse"
    with run_lock(str(root), 0):
        result = CliRunner().invoke(app, ["run", str(tmp_path), "--log-format", form, "--log-level", "error"])
    assert isinstance(result.exception, InputError)
    assert result.exception.code == "HW830"
    text = (root / "logs" / "headwater.log").read_text()
    assert "the run of shop ended with an error" in text
    assert "run_lock.py" in text
    assert "InputError: HW830: this project is already being kept by another run" in text.replace("\\n", "\n")
    assert "keeps shop, process" not in text  # that is information, and errors were asked for
    if form == "json":
        assert [json.loads(line)["level"] for line in text.splitlines()] == ["error"]
