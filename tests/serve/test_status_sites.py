"""`headwater status` shows which sites are silent, while there is a run that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.storage.records.run_lock import run_lock
from headwater.storage.records.site_health import SiteHealth, write_health


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: t\nsites: {far: {storage: ./far}}\n")
    (tmp_path / "t.sql").write_text(
        "CREATE TABLE a (k BIGINT);\nCREATE MATERIALIZED VIEW v AT SITE far AS SELECT k FROM a;"
    )
    health = {
        "default": SiteHealth("default", True, 1_000_000, 7_000_000),
        "far": SiteHealth("far", False, 3_000_000, None, "ConnectionError: refused"),
    }
    write_health(str(tmp_path / "warehouse"), health, 8_000_000)
    return tmp_path


def status(folder: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["status", str(folder), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_silent_sites_are_shown_while_a_run_says_so(folder: Path) -> None:
    with run_lock(str(folder / "warehouse"), 8_000_000):
        shown = " ".join(status(folder).split())
        told = json.loads(status(folder, "--json"))["sites"]
    assert "site far has not answered since 1970-01-01" in shown
    assert "ConnectionError: refused" in shown
    assert "site default" not in shown
    assert [(site["site"], site["alive"], site["last_seen"] is None) for site in told] == [
        ("default", True, False),
        ("far", False, True),
    ]


@pytest.mark.slow
def test_what_an_ended_run_said_is_not(folder: Path) -> None:
    assert "does not answer" not in status(folder)
    assert json.loads(status(folder, "--json"))["sites"] == []
