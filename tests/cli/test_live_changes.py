"""Views added and dropped while a run keeps the others, by other processes, and through a kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import headwater

# A JVM that lives minutes is better off compiling quickly than compiling well.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
HEADWATER = str(Path(sys.executable).with_name("headwater"))

pytestmark = [pytest.mark.cli, pytest.mark.spark]

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT NOT NULL, amount BIGINT NOT NULL);
CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '40' SECOND OWNER = 'team-a' AS
  SELECT id, amount FROM orders WHERE amount >= 500;
-- Totals are for team-b.
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '40' SECOND OWNER = 'team-b' AS
  SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer;
"""
THIRD = """CREATE MATERIALIZED VIEW largest FRESHNESS = INTERVAL '40' SECOND OWNER = 'team-a' AS
  SELECT customer, max(amount) AS largest FROM orders GROUP BY customer;
"""


def run(*words: object, status: int = 0) -> Any:
    done = subprocess.run(
        [HEADWATER, *map(str, words), "--json"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == status, f"{words}: {done.stdout}\n{done.stderr}"
    return json.loads(done.stdout)


def wait_for(reached: Callable[[], bool], seconds: float = 150) -> None:
    """A loaded machine may be slow: wait for the state, not for a time."""
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, "never reached"
        time.sleep(0.3)


@contextmanager
def keeping(folder: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as out:
        process = subprocess.Popen(
            [HEADWATER, "run", str(folder)], stdout=out, stderr=out, start_new_session=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=120)


@contextmanager
def feeding(folder: Path) -> Iterator[Callable[[], int]]:
    """A writer that adds an order every tenth of a second; tells how many were accepted."""
    project, stop, accepted = headwater.open(str(folder)), threading.Event(), [0]

    def feed() -> None:
        while not stop.is_set():
            number = accepted[0]
            row = {"id": number, "customer": number % 7, "amount": number * 37 % 1000}
            accepted[0] += project.ingest("orders", [row]).accepted
            stop.wait(0.1)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield lambda: accepted[0]
    finally:
        stop.set()
        thread.join(timeout=30)


def computed(folder: Path) -> dict[str, bool]:
    return {one.name: one.time is not None for one in headwater.open(str(folder)).status().views}


def orders_in(folder: Path, view: str) -> int:
    rows = headwater.open(str(folder)).read(view).to_pylist()
    return sum(row["n"] for row in rows)


def test_views_come_and_go_while_others_are_kept(tmp_path: Path) -> None:
    folder, log, new = tmp_path / "shop", tmp_path / "run.log", tmp_path / "third.sql"
    folder.mkdir()
    (folder / "headwater.yml").write_text('name: shop\nspark: {master: "local[2]"}\n')
    (folder / "all.sql").write_text(SQL)
    new.write_text(THIRD)
    with feeding(folder) as accepted:
        with keeping(folder, log) as process:
            wait_for(lambda: computed(folder) == {"big": True, "totals": True})
            told = run("add", folder, new)
            assert (told["added"], told["running"]) == (True, True)
            wait_for(lambda: computed(folder).get("largest", False))
            # It is kept from now on, too: a push after its first computation.
            first = headwater.open(str(folder)).read("largest").time
            wait_for(lambda: headwater.open(str(folder)).read("largest").time > first)
            process.kill()
            process.wait(timeout=60)
        # A statement is cut out while nobody runs; what the view stored goes at once.
        stored = list((folder / "warehouse" / "stages").glob("big@*"))
        assert stored
        assert run("drop", folder, "big")["data"] == "removed"
        assert not any(path.exists() for path in stored)
        with keeping(folder, log):
            before = accepted()
            wait_for(lambda: orders_in(folder, "totals") >= before)
            assert run("drop", folder, "largest")["data"] == "left to the run"
            assert not (folder / "largest.sql").exists()
            wait_for(lambda: not list((folder / "warehouse" / "stages").glob("largest*")))
            wait_for(lambda: "dropped largest" in log.read_text())
    assert "added largest" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert (folder / "all.sql").read_text() == SQL.replace(
        SQL[SQL.index("CREATE MATERIALIZED VIEW big") : SQL.index("-- Totals")], ""
    )
    # Nothing was lost or doubled through all this.
    run("run", folder, "--until-idle")
    assert orders_in(folder, "totals") == accepted()
    assert all(one["equal"] for one in run("verify", folder)["views"])
    # The bill knows all three, and that no promise was broken.
    bill = {line["view"]: line for line in run("bill", folder)["lines"]}
    assert {name: line["owner"] for name, line in bill.items()} == {
        "big": "team-a", "largest": "team-a", "totals": "team-b",
    }  # fmt: skip
    assert all(line["cpu_seconds"] > 0 and line["view_hours"] > 0 for line in bill.values())
    assert {name: line["violations"] for name, line in bill.items()} == dict.fromkeys(bill, 0)
