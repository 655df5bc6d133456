"""A project whose views move as a run would move them, without Spark: what a page sees is the same.

Views get a new time every few seconds, a snapshot of all is recorded every five, pushes are recorded and
told.  Runs as a process of its own, `python -m headwater.bench.page.kept_project FOLDER`, until it is ended.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from headwater.catalog import Catalog, build
from headwater.clock import SystemClock
from headwater.project import load
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.notices.under_way import UnderWay
from headwater.storage.records.journal import AUDIT, PUSHES, append_rows
from headwater.storage.records.run_lock import run_lock
from headwater.storage.records.system_tables import keep_system_tables
from headwater.storage.timeline import new_file_name
from headwater.storage.warehouse import Warehouse, warehouse_of
from headwater.units import SECOND

__all__ = ["write_history", "write_project"]

FRESHNESS_S = 30
PUSH_EVERY_S = 2.0  # some of the views
SNAPSHOT_EVERY_S = 5
PART = 2880  # snapshots a file: four hours
COLUMNS = pa.schema([("order_id", pa.int64()), ("n", pa.int64())])


def write_project(folder: Path, views: int) -> None:
    folder.mkdir(parents=True)
    (folder / "headwater.yml").write_text("name: pages\n", encoding="utf-8")
    declared = "".join(
        f"CREATE MATERIALIZED VIEW v{number} FRESHNESS = INTERVAL '{FRESHNESS_S}' SECOND"
        f" OWNER 'o{number % 4}' AS SELECT order_id, {number} AS n FROM orders;\n"
        for number in range(views)
    )
    table = "CREATE TABLE orders (order_id BIGINT PRIMARY KEY);\n"
    (folder / "all.sql").write_text(table + declared, encoding="utf-8")


def _opened(folder: str) -> tuple[Catalog, Warehouse]:
    catalog = build(load(folder))
    return catalog, warehouse_of(catalog)


def write_history(folder: Path, seconds: int) -> None:
    """Snapshots and pushes of the time before now, as a run that went on so long would have left them."""
    catalog, warehouse = _opened(str(folder))
    now, names = SystemClock().now(), list(catalog.kept)
    instants = range(now - seconds * SECOND, now, SNAPSHOT_EVERY_S * SECOND)
    for begin in range(0, len(instants), PART):
        part = instants[begin : begin + PART]
        phases = [(at, _snapshot("", at, number % 4)) for number, at in enumerate(part)]
        _write(warehouse.system("audit"), AUDIT, names, phases)
        _write(warehouse.system("pushes"), PUSHES, names, [(at, _push("", at)) for at in part[::4]])
    keep_system_tables(warehouse, catalog.project.retention, now)  # sums of hours, as a run keeps them


def _write(
    log: DeltaLog, schema: pa.Schema, names: Sequence[str], rows: Sequence[tuple[int, dict[str, Any]]]
) -> None:
    """The same rows for every view, in one file, column by column."""
    if not log.exists():
        log.create(schema)
    once = pa.Table.from_pylist([row for _, row in rows], schema=schema)
    every = pa.concat_tables(
        once.set_column(once.schema.get_field_index("view"), "view", pa.array([name] * len(rows)))
        for name in names
    )
    time = max(rows[-1][0], log.time() + 1)
    log.commit(time, [write_parquet(log.path, new_file_name(time), every)])


def _snapshot(view: str, at: int, phase: int) -> dict[str, Any]:
    staleness = 3.0 + SNAPSHOT_EVERY_S * phase
    return {
        "at": at, "view": view, "time": at - round(staleness * SECOND), "staleness_s": staleness,
        "freshness_s": float(FRESHNESS_S), "violated": False, "rows": 1000, "pushes": int(phase == 0),
        "rows_moved": 10, "cpu_seconds": 0.05, "dollars": 0.00001, "owner": "", "site": "default",
        "penalty": 0.0, "stored_bytes": 10_000,
    }  # fmt: skip


def _push(view: str, at: int) -> dict[str, Any]:
    return {
        "at": at, "view": view, "stage": view, "mode": "incremental", "reason": "due",
        "after": at - 20 * SECOND, "until": at - 2 * SECOND, "changed_rows": 30, "scanned_rows": 5,
        "result_rows": 30, "seconds": 0.6, "predicted_seconds": 0.5, "cpu_seconds": 0.2, "spark_jobs": 1,
        "attempt": 1, "error": "", "site": "default", "serves": view,
    }  # fmt: skip


def _groups(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """A fifth of the views after the other, for ever."""
    size = max(1, len(names) // 5)
    while True:
        for begin in range(0, len(names), size):
            yield names[begin : begin + size]


def keep(folder: str) -> None:
    """Move the views until the process is ended."""
    catalog, warehouse = _opened(folder)
    clock, names = SystemClock(), list(catalog.kept)
    under_way, recorded, summed = UnderWay(warehouse.root), clock.monotonic(), clock.monotonic()
    with run_lock(warehouse.root, clock.now()):
        for name in names:
            warehouse.stage(catalog.folder(name)).create(COLUMNS)
        print("kept", flush=True)
        for group in _groups(names):
            with under_way.push(group), under_way.action(group):
                time.sleep(PUSH_EVERY_S / 4)
                now = clock.now()
                for name in group:
                    warehouse.stage(catalog.folder(name)).commit(now - SECOND)
            if clock.monotonic() - recorded >= SNAPSHOT_EVERY_S * SECOND:
                recorded = clock.monotonic()
                append_rows(
                    warehouse.system("audit"), AUDIT, [_snapshot(name, now, 1) for name in names], now
                )
                append_rows(warehouse.system("pushes"), PUSHES, [_push(name, now) for name in names], now)
            if clock.monotonic() - summed >= 60 * SECOND:
                summed = clock.monotonic()
                keep_system_tables(warehouse, catalog.project.retention, now)
            time.sleep(PUSH_EVERY_S * 3 / 4)


if __name__ == "__main__":
    keep(sys.argv[1])
