"""`headwater serve` and `run --serve` as processes: they say where they listen, answer, and end on Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from support.commands import HEADWATER, command

pytestmark = pytest.mark.cli

SQL = "CREATE TABLE t (a BIGINT PRIMARY KEY); CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '5' SECOND AS SELECT a FROM t;"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    return tmp_path


def test_serve_answers_until_ctrl_c(folder: Path) -> None:
    serving = subprocess.Popen(
        [HEADWATER, "serve", str(folder), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert serving.stdout is not None
    address = json.loads(serving.stdout.readline())["address"]
    assert httpx.get(f"{address}/healthz", timeout=120).json() == {"status": "ok"}
    with httpx.stream(
        "GET", f"{address}/views/v/changes", timeout=120
    ) as response:  # who listens does not keep it from ending
        assert next(response.iter_lines()).startswith(":")
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=300) == 0
    assert (folder / "warehouse" / "logs" / "serve.log").exists()


def test_where_it_cannot_listen(folder: Path) -> None:
    assert "HW961" in command("serve", folder, "--host", "0.0.0.0", status=2).stderr
    command("key", "add", folder, "web")
    assert "HW960" in command("serve", folder, "--host", "192.0.2.1", "--port", "1", status=2).stderr
    assert "HW960" in command("serve", folder, "--host", "nonsense.invalid", status=2).stderr
