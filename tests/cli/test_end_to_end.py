"""The command line as a user has it: processes, signals, files, exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

# A JVM that lives minutes is better off compiling quickly than compiling well.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
HEADWATER = str(Path(sys.executable).with_name("headwater"))

pytestmark = [pytest.mark.cli, pytest.mark.spark]


def run(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([HEADWATER, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"{words}: {done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done


def answer(*words: str, status: int = 0) -> Any:
    return json.loads(run(*words, "--json", status=status).stdout)


def ingest(shop: Path, table: str, rows: Sequence[dict[str, Any]], status: int = 0) -> Any:
    file = shop / "more.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return answer("ingest", str(shop), table, str(file), status=status)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter project, fed and applied once."""
    folder = tmp_path_factory.mktemp("cli") / "shop"
    run("init", str(folder))
    for file in sorted((folder / "changes").iterdir())[:5]:
        told = answer("ingest", str(folder), file.stem.split("-")[1], str(file))
        assert told["rejected"] == 0
        assert told["accepted"] > 0
    run("run", str(folder), "--until-idle")
    return folder


def test_the_starter_project_runs_and_reads(shop: Path) -> None:
    told = answer("read", str(shop), "revenue_by_category")
    assert {"time", "staleness_s", "rows"} <= set(told)
    assert {row["category"] for row in told["rows"]} == {"kitchen", "office", "outdoor"}
    views = answer("status", str(shop))["views"]
    fields = {"name", "time", "staleness_s", "freshness_s", "violations", "rows", "pushes", "dollars"}
    assert all(fields <= set(view) for view in views)
    assert all(view["last_push"]["mode"] == "initial" for view in views)


def wait_for(read: Any, wanted: Any, seconds: float = 120) -> None:
    """A loaded machine may be slow: wait for the state, not for a time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if read() == wanted:
            return
        time.sleep(0.5)
    raise AssertionError(f"still {read()!r}, not {wanted!r}")


def orders_of(shop: Path, name: str = "open_orders") -> set[int]:
    return {row["order_id"] for row in answer("read", str(shop), name)["rows"]}


def test_a_run_beside_ingest_stopped_killed_and_started_again(shop: Path) -> None:
    def order(number: int) -> dict[str, Any]:
        return {
            "order_id": number,
            "customer_id": 1,
            "status": "placed",
            "ordered_at": "2026-02-01T10:00:00Z",
        }

    before = orders_of(shop)
    environment = {**os.environ, "COLUMNS": "200"}
    log = (shop / "run.log").open("w")
    running = subprocess.Popen([HEADWATER, "run", str(shop)], stderr=log, stdout=log, env=environment)
    try:
        wait_for(lambda: answer("status", str(shop))["running"] is not None, True)
        refused = run("run", str(shop), "--until-idle", status=2)
        assert "already being kept" in refused.stderr
        ingest(shop, "orders", [order(9001)])
        wait_for(lambda: orders_of(shop), before | {9001})
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=120) == 0
        # While nothing runs, changes wait.
        ingest(shop, "orders", [order(9002)])
        assert orders_of(shop) == before | {9001}
        running = subprocess.Popen([HEADWATER, "run", str(shop)], stderr=log, stdout=log, env=environment)
        wait_for(lambda: orders_of(shop), before | {9001, 9002})
        ingest(shop, "orders", [{"op": "delete", "row": {"order_id": 9001}}, order(9003)])
        running.kill()
        running.wait()
    finally:
        running.kill()
        running.wait()
        log.close()
    run("run", str(shop), "--until-idle")
    assert orders_of(shop) == before | {9002, 9003}
    verified = answer("verify", str(shop))["views"]
    assert {view["name"] for view in verified} == {
        view["name"] for view in answer("status", str(shop))["views"]
    }
    assert all(view["equal"] and view["missing"] == [] and view["extra"] == [] for view in verified)


def test_a_reader_says_how_stale_it_accepts(shop: Path) -> None:
    refused = run("read", str(shop), "open_orders", "--max-staleness", "1ms", status=1)
    assert "HW822" in refused.stderr
    assert answer("read", str(shop), "open_orders", "--max-staleness", "30d")["rows"]
