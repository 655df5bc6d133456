"""`headwater bench ingest`: how many records a second a source takes on one core, checks and commit too."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from headwater.capture.append import Appended, Appender
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse

__all__ = ["Result", "run"]

ORDERS = Table(
    "orders",
    (
        Column("order_id", "bigint", nullable=False), Column("customer", "string"),
        Column("total", "decimal(10,2)"), Column("placed_at", "timestamp"),
    ),
    key=("order_id",),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    case: str
    records: int
    seconds: float
    cpu_seconds: float

    @property
    def records_per_cpu_second(self) -> float:
        return self.records / max(self.cpu_seconds, 1e-9)


def run(out: str, records: int) -> list[Result]:
    shutil.rmtree(out, ignore_errors=True)
    appender = Appender(Warehouse(out), ORDERS, SystemClock())
    inserts = [_line(number) for number in range(records)]
    upserts = [
        b'{"op": "upsert", "row": ' + _line(number) + b"}" for number in range(records // 2, records * 3 // 2)
    ]
    table = pa.table({"order_id": pa.array(range(10 * records, 11 * records), pa.int64())})
    singles = [{"order_id": 20 * records + number} for number in range(50)]
    return [
        _timed("JSON lines, inserts", records, lambda: appender.append_json(inserts)),
        _timed("JSON lines, upserts (half replace)", records, lambda: appender.append_json(upserts)),
        _timed("Arrow table, inserts", records, lambda: appender.append(table)),
        _timed("calls of one row", len(singles), lambda: [appender.append([one]) for one in singles][-1]),
    ]


def _timed(case: str, records: int, call: Callable[[], Appended]) -> Result:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Result(case, records, time.perf_counter() - wall, time.process_time() - cpu)


def _line(number: int) -> bytes:
    row = {"order_id": number, "customer": f"customer {number % 100}", "total": number / 100}
    return json.dumps(row | {"placed_at": "2026-01-31T12:00:00Z"}).encode()
