"""`headwater status` and `headwater capture` say which table is not captured, which file waits, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.storage.records.capture_health import CaptureHealth, WaitingFile, write_captures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: t\n")
    (tmp_path / "t.sql").write_text("CREATE TABLE a (k BIGINT); CREATE TABLE b (k BIGINT);")
    waiting = tuple(WaitingFile(f"in/{name}.csv", "Permission denied", 3_000_000, 4) for name in "abcdefg")
    troubled = {"a": CaptureHealth(waiting=waiting), "b": CaptureHealth("the server is down")}
    write_captures(str(tmp_path / "warehouse"), troubled)
    return tmp_path


@pytest.mark.parametrize("command", ["status", "capture"])
def test_waiting_files_and_errors_are_shown(folder: Path, command: str) -> None:
    done = CliRunner().invoke(app, [command, str(folder)])
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    assert "a: in/a.csv waits since 1970-01-01" in shown
    assert "Permission denied (tried 4 times)" in shown
    assert "a: ... and 2 more files wait" in shown
    assert "b: the server is down" in shown


@pytest.mark.parametrize(("command", "key"), [("status", "sources"), ("capture", "tables")])
def test_they_are_in_the_json(folder: Path, command: str, key: str) -> None:
    answer = json.loads(CliRunner().invoke(app, [command, str(folder), "--json"]).stdout)
    first, second = answer[key]
    assert [waiting["file"] for waiting in first["waiting"]] == [f"in/{name}.csv" for name in "abcdefg"]
    assert (first["waiting"][0]["failures"], first["waiting"][0]["reason"]) == (4, "Permission denied")
    assert second["error"] == "the server is down"
