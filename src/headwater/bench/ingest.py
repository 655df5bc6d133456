"""`headwater bench ingest`: how many records a second a source accepts on one core, with checks and commit.

The last cases replace a thousand rows at random keys of a table that is there already, each with an appender
of its own: their seconds should hardly grow with the table.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.intake.append import Appended, Appender, open_source
from headwater.clock import SystemClock
from headwater.model import Column, Durability, Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["Result", "run"]

SINGLES = 200

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


FILE_ROWS = 100_000
RANDOM_KEYS = 1_000
ROUNDS = 5


def run(out: str, records: int, sizes: Sequence[int] = ()) -> list[Result]:
    shutil.rmtree(out, ignore_errors=True)
    return [*_batches(out, records), *(_random_upserts(out, size) for size in sizes)]


def _batches(out: str, records: int) -> list[Result]:
    appender = Appender(Warehouse(out), ORDERS, SystemClock())
    inserts = [_line(number) for number in range(records)]
    upserts = [
        b'{"op": "upsert", "row": ' + _line(number) + b"}" for number in range(records // 2, records * 3 // 2)
    ]
    table = pa.table({"order_id": pa.array(range(10 * records, 11 * records), pa.int64())})
    singles = [{"order_id": 20 * records + number} for number in range(SINGLES)]
    fast = Appender(Warehouse(f"{out}/fast", durability=Durability.FAST), ORDERS, SystemClock())
    return [
        _timed("JSON lines, inserts", records, lambda: appender.append_json(inserts)),
        _timed("JSON lines, upserts (half replace)", records, lambda: appender.append_json(upserts)),
        _timed("Arrow table, inserts", records, lambda: appender.append(table)),
        _timed("calls of one row", SINGLES, lambda: _one_by_one(appender, singles)),
        _timed("calls of one row, durability: fast", SINGLES, lambda: _one_by_one(fast, singles)),
    ]


def _one_by_one(appender: Appender, rows: Sequence[Mapping[str, Any]]) -> Appended:
    return [appender.append([row]) for row in rows][-1]


def _random_upserts(out: str, size: int) -> Result:
    """Upserts at random keys of a table of `size` rows; the median round, once its side files are there."""
    warehouse = Warehouse(os.path.join(out, str(size)))
    chance = np.random.default_rng(size)
    _load(warehouse, chance.permutation(size))
    rounds = []
    for number in range(ROUNDS + 1):
        keys = chance.choice(size, RANDOM_KEYS, replace=False).tolist()
        lines = [b'{"op": "upsert", "row": ' + _line(key, f"round {number}") + b"}" for key in keys]
        appender = Appender(warehouse, ORDERS, SystemClock())
        case = f"{RANDOM_KEYS:,} upserts at random keys of {size:,} rows"
        rounds.append(_timed(case, RANDOM_KEYS, partial(appender.append_json, lines)))
    return sorted(rounds[1:], key=lambda result: result.seconds)[ROUNDS // 2]


def _load(warehouse: Warehouse, keys: np.ndarray[Any, Any]) -> None:
    """Rows with these keys, in this order, as if compaction had made files of them."""
    timeline = open_source(warehouse, ORDERS)
    for time_of_file, start in enumerate(range(0, len(keys), FILE_ROWS), start=1):
        part = keys[start : start + FILE_ROWS]
        rows = pa.table(
            {
                "order_id": part,
                "customer": np.char.add("customer ", part.astype("U10")),
                "total": pa.array(part % 1_000).cast(pa.decimal128(21, 2)),
                "placed_at": pa.array(part, pa.timestamp("us", "UTC")),
                WEIGHT: np.ones(len(part), np.int64),
            }
        )
        timeline.append(rows, time_of_file)


def _timed(case: str, records: int, call: Callable[[], Appended]) -> Result:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Result(case, records, time.perf_counter() - wall, time.process_time() - cpu)


def _line(number: int, customer: str = "") -> bytes:
    row = {"order_id": number, "customer": customer or f"customer {number % 100}", "total": number / 100}
    return json.dumps(row | {"placed_at": "2026-01-31T12:00:00Z"}).encode()
