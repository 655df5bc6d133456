"""Logging: a library configures nothing, a run's log is bounded, and secrets are in neither line nor traceback."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import headwater.logs
from headwater.logs import LogFormat, LogLevel, log_to

SECRET = "hunter2"
URI = f"postgres://shop:{SECRET}@db.example/orders"


def fail_with_secret(uri: str) -> None:
    raise ConnectionError(f"cannot connect to {uri}")


def logged(path: Path, form: LogFormat) -> str:
    log = logging.getLogger("headwater.some.module")
    with log_to(str(path), LogLevel.INFO, form):
        log.debug("too fine")
        log.info("capturing %s", URI)
        log.info("password=%s and more", SECRET)
        try:
            fail_with_secret(URI)
        except ConnectionError:
            log.exception("the capture of %s failed", "orders")
    return path.read_text()


@pytest.mark.parametrize("form", LogFormat)
def test_secrets_are_in_neither_lines_nor_tracebacks(form: LogFormat, tmp_path: Path) -> None:
    text = logged(tmp_path / "logs" / "headwater.log", form)
    assert SECRET not in text
    assert text.count("postgres://shop:***@db.example/orders") == 2  # the line and the traceback
    assert "password=***" in text
    assert "fail_with_secret" in text
    assert "ConnectionError" in text
    assert "too fine" not in text


def test_json_lines_have_fields(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in logged(tmp_path / "x.log", LogFormat.JSON).splitlines()]
    assert [line["level"] for line in lines] == ["info", "info", "error"]
    assert {line["logger"] for line in lines} == {"headwater.some.module"}
    assert lines[2]["message"] == "the capture of orders failed"
    assert lines[2]["error"].startswith("Traceback")
    assert "error" not in lines[0]


def test_the_log_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headwater.logs, "FILE_BYTES", 1000)
    log = logging.getLogger("headwater.chatty")
    with log_to(str(tmp_path / "headwater.log")):
        for number in range(300):
            log.info("message %d of a run that goes on for weeks", number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["headwater.log", *(f"headwater.log.{number}" for number in range(1, 5))]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert "message 299 " in (tmp_path / "headwater.log").read_text()


def test_a_full_disk_is_said_once_and_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("headwater.full")
    with log_to("/dev/full"):
        for number in range(3):
            log.warning("message %d", number)
    assert capsys.readouterr().err == "/dev/full cannot be written: No space left on device\n"


def test_logging_ends_with_its_context(tmp_path: Path) -> None:
    root = logging.getLogger("headwater")
    before = list(root.handlers), root.level
    logged(tmp_path / "x.log", LogFormat.TEXT)
    assert (list(root.handlers), root.level) == before


def test_a_library_configures_nothing() -> None:
    check = (
        "import logging, headwater\n"
        "assert [type(h).__name__ for h in logging.getLogger('headwater').handlers] == ['NullHandler']\n"
        "assert not logging.getLogger().handlers\n"
        "assert logging.getLogger('headwater').level == logging.NOTSET\n"
        "logging.getLogger('headwater.x').error('nobody listens')\n"
    )
    done = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert done.stdout + done.stderr == ""
