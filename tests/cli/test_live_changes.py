"""Views added and dropped while a run keeps the others, by other processes, and through a kill -9."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import headwater
from support.commands import answer, process, wait_for

pytestmark = pytest.mark.spark

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT NOT NULL, amount BIGINT NOT NULL);
CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '15' SECOND OWNER = 'team-a' AS
  SELECT id, amount FROM orders WHERE amount >= 500;
-- Totals are for team-b.
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '15' SECOND OWNER = 'team-b' AS
  SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer;
"""
THIRD = """CREATE MATERIALIZED VIEW largest FRESHNESS = INTERVAL '15' SECOND OWNER = 'team-a' AS
  SELECT customer, max(amount) AS largest FROM orders GROUP BY customer;
"""


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
        thread.join(timeout=120)


def computed(folder: Path) -> dict[str, bool]:
    return {view.name: view.time is not None for view in headwater.open(str(folder)).status().views}


def orders_in(folder: Path, view: str) -> int:
    rows = headwater.open(str(folder)).read(view).to_pylist()
    return sum(row["n"] for row in rows)


def test_views_come_and_go_while_others_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    folder, log, new = tmp_path / "shop", tmp_path / "run.log", tmp_path / "third.sql"
    folder.mkdir()
    (folder / "headwater.yml").write_text('name: shop\nspark: {master: "local[2]"}\n')
    (folder / "all.sql").write_text(SQL)
    new.write_text(THIRD)
    with feeding(folder) as accepted:
        with process(log, "run", folder) as running:
            wait_for(lambda: computed(folder) == {"big": True, "totals": True})
            told = answer("add", folder, new)
            assert (told["added"], told["running"]) == (True, True)
            wait_for(lambda: computed(folder).get("largest", False))
            # It is kept from now on, too: a push after its first computation.
            first = headwater.open(str(folder)).read("largest").time
            wait_for(lambda: headwater.open(str(folder)).read("largest").time > first)
            running.kill()
            running.wait(timeout=300)
        # A statement is cut out while nobody runs; what the view stored goes at once.
        stored = list((folder / "warehouse" / "stages").glob("big@*"))
        assert stored
        assert answer("drop", folder, "big")["data"] == "removed"
        assert not any(path.exists() for path in stored)
        with process(log, "run", folder):
            before = accepted()
            wait_for(lambda: orders_in(folder, "totals") >= before)
            assert answer("drop", folder, "largest")["data"] == "left to the run"
            assert not (folder / "largest.sql").exists()
            wait_for(lambda: not list((folder / "warehouse" / "stages").glob("largest*")))
            wait_for(lambda: "dropped largest" in log.read_text())
    assert "added largest" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert (folder / "all.sql").read_text() == SQL.replace(
        SQL[SQL.index("CREATE MATERIALIZED VIEW big") : SQL.index("-- Totals")], ""
    )
    # Nothing was lost or doubled through all this.
    answer("run", folder, "--until-idle")
    assert orders_in(folder, "totals") == accepted()
    assert all(view["equal"] for view in answer("verify", folder)["views"])
    # The bill knows all three, and how often a promise was broken.
    bill = {line["view"]: line for line in answer("bill", folder)["lines"]}
    assert {name: line["owner"] for name, line in bill.items()} == {
        "big": "team-a", "largest": "team-a", "totals": "team-b",
    }  # fmt: skip
    assert all(line["cpu_seconds"] > 0 and line["view_hours"] > 0 for line in bill.values())
    (audited,) = answer("status", folder)["views"]
    assert bill["totals"]["violations"] == audited["violations"]
