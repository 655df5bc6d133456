"""A shop whose views are pushed without Spark, and a real server of it on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

import headwater
from headwater.api import Headwater
from headwater.clock import Clock, SystemClock, micros
from headwater.engine.push import pusher
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from headwater.serve.http.server import Server
from headwater.serve.http.serving import Settings
from headwater.storage.records.journal import AUDIT, PUSHES, append_rows
from support import without_spark
from support.without_spark import run_without_spark, workplace

SQL = """
CREATE TABLE orders (order_id BIGINT PRIMARY KEY, status STRING, total DECIMAL(10, 2), weight DOUBLE, at TIMESTAMP);
CREATE MATERIALIZED VIEW open_orders FRESHNESS = INTERVAL '20' SECOND OWNER 'sales' AS
  SELECT order_id, total, weight, at FROM orders WHERE status = 'open';
CREATE MATERIALIZED VIEW statuses FRESHNESS = INTERVAL '1' MINUTE AS SELECT status FROM orders;
CREATE MATERIALIZED VIEW per_status FRESHNESS = INTERVAL '20' SECOND AS
  SELECT status, count(*) AS orders, sum(total) AS total FROM orders GROUP BY status HAVING count(*) > 1;
CREATE MATERIALIZED VIEW never FRESHNESS = INTERVAL '1' HOUR AS SELECT status, at FROM orders;
"""
KEPT = ("open_orders", "statuses", "per_status")
BIG = 1000  # requests a second: tests ask fast


def make_shop(
    folder: Path, patch: pytest.MonkeyPatch, clock: Clock | None = None, sql: str = SQL
) -> Headwater:
    """An open project; its pushes are computed by the evaluator."""
    patch.setattr(pusher, "run_action", run_without_spark)
    patch.setattr(without_spark, "encoded_value", lambda value: value)  # texts are stored as they are
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(sql)
    return headwater.open(str(folder), clock or SystemClock())


def order(number: int, status: str = "open", total: str = "9.50", **more: Any) -> dict[str, Any]:
    row = {"order_id": number, "status": status, "total": total, "weight": 1.5, "at": "2026-11-16T12:00:00Z"}
    return {"op": "upsert", "row": row | more}


def filled_shop(folder: Path, patch: pytest.MonkeyPatch) -> Headwater:
    """A shop with an open and a sent order, its views pushed."""
    shop = make_shop(folder, patch)
    shop.ingest("orders", [order(1), order(2, "sent")])
    push(shop)
    return shop


def push(project: Headwater, *views: str) -> int:
    """Bring views to now; returns that time."""
    until = project.clock.now()
    place_of_work = workplace(project.warehouse, project.catalog)
    engine = Pusher(place_of_work, Forecaster(place_of_work))
    list(engine.push(project.catalog.levels(views or KEPT), until, hints=True))
    engine.close()
    project.clock.sleep(timedelta(milliseconds=1))  # what is ingested from now on is later
    return until


def record(project: Headwater, seconds: int = 60) -> None:
    """A minute of audit and pushes, as a run records them: one view is late once."""
    now = project.clock.now()
    at = [now - micros(timedelta(seconds=ago)) for ago in range(seconds, 0, -5)]
    seen = [
        {
            "at": instant, "view": view, "time": instant - 4_000_000 - 1_000_000 * (number % 3), "pushes": 1, "rows": 2,
            "staleness_s": 4.0 + number % 3, "freshness_s": 20.0, "violated": number == 7 and view == "statuses",
            "rows_moved": 1, "cpu_seconds": 0.1, "dollars": 0.001, "owner": "", "site": "default", "penalty": 0.0,
            "stored_bytes": 100,
        }
        for number, instant in enumerate(at)
        for view in KEPT
    ]  # fmt: skip
    append_rows(project.warehouse.system("audit"), AUDIT, seen, now)
    pushed = [
        {
            "at": instant + 1, "view": view, "stage": view, "mode": "incremental", "reason": "due", "changed_rows": 3, "scanned_rows": 5,
            "after": instant - 9_000_000, "until": instant - 4_000_000, "result_rows": 2, "seconds": 0.5, "error": "",
            "predicted_seconds": 0.4, "cpu_seconds": 0.1, "serves": view, "site": "default",
        }
        for instant in at
        for view in KEPT
    ]  # fmt: skip
    append_rows(project.warehouse.system("pushes"), PUSHES, pushed, now)


def record_failure(project: Headwater, view: str, error: str) -> None:
    """A push of a view that failed for the second time, as a run records it."""
    now = project.clock.now()
    failed = {
        "at": now, "view": view, "stage": view, "mode": "incremental", "reason": "due", "after": 1, "until": 2,
        "changed_rows": 1, "scanned_rows": 0, "result_rows": 0, "seconds": 0.1, "predicted_seconds": 0.1, "cpu_seconds": 0.0,
        "attempt": 2, "error": error, "trace": f"Traceback (most recent call last):\n  File ...\n{error}",
    }  # fmt: skip
    append_rows(project.warehouse.system("pushes"), PUSHES, [failed], now)


@contextmanager
def served(
    folder: Path, settings: Settings = Settings(rate=BIG), headers: dict[str, str] | None = None
) -> Iterator[httpx.Client]:
    """A client of a server of the project."""
    server = Server.start(str(folder), SystemClock(), settings, 0)
    try:
        with httpx.Client(base_url=server.address, headers=headers, timeout=120) as client:
            yield client
    finally:
        server.stop()
