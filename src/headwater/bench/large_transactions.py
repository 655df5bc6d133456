"""`headwater bench postgres --large 5000000`: transactions of so many rows, captured in bounded memory.

Each statement changes all rows of a table in one transaction of PostgreSQL.  Its changes are captured in
pieces that become visible with one commit, so two things are measured: CPU-seconds, and the most memory that
this process takes meanwhile.  `own`: without the files that it maps (the index of keys), which the system
takes back when it needs them.  After each, the stored rows must have PostgreSQL's count and sum.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
import psycopg
import pyarrow.compute as pc

from headwater.bench.postgres import postgres_server
from headwater.capture.postgres.capture import PostgresCapture
from headwater.capture.postgres.stream.difference import stored_changes
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.timeline import WEIGHT, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["LargeTransaction", "run_large"]

Tell = Callable[[str], None]
SAMPLE_S = 0.1
COLUMNS = (Column("id", "bigint", nullable=False), Column("n", "bigint"), Column("note", "string"))
CREATE = "CREATE TABLE big (id bigint PRIMARY KEY, n bigint, note text)"
INSERT = "INSERT INTO big SELECT g, g %% 1000, 'note ' || g FROM generate_series(1, %(rows)s) g"
STATEMENTS = (
    ("INSERT", INSERT),
    ("UPDATE of all", "UPDATE big SET n = n + 1"),
    ("DELETE of all", "DELETE FROM big"),
    ("INSERT again", INSERT),
    ("TRUNCATE", "TRUNCATE big"),
)


@dataclass(frozen=True, slots=True)
class LargeTransaction:
    statement: str
    rows: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    own_peak_bytes: int
    equal: bool


@dataclass(slots=True)
class _Peak:
    resident: int = 0
    own: int = 0

    def sample(self, process: psutil.Process) -> None:
        memory = process.memory_info()
        self.resident = max(self.resident, memory.rss)
        self.own = max(self.own, memory.rss - memory.shared)


def run_large(root: str, rows: int, tell: Tell) -> list[LargeTransaction]:
    """Every statement in turn, over a table of so many rows; `root`: an empty folder for the warehouse."""
    with postgres_server() as uri, psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(CREATE)
        table = Table("big", COLUMNS, key=("id",), provider="postgres", options={"uri": uri})
        warehouse = Warehouse(root)
        source = PostgresCapture(warehouse, "bench", [table], SystemClock())
        try:
            _drain(source)
            return [
                _captured(connection, source, warehouse.source("big"), statement, text, rows, tell)
                for statement, text in STATEMENTS
            ]
        finally:
            source.close()


def _captured(
    connection: psycopg.Connection[Any],
    source: PostgresCapture,
    timeline: Timeline,
    statement: str,
    text: str,
    rows: int,
    tell: Tell,
) -> LargeTransaction:
    tell(f"{statement}, {rows:,} rows: in PostgreSQL")
    psycopg.ClientCursor(connection).execute(text, {"rows": rows})
    tell(f"{statement}, {rows:,} rows: captured")
    wall, cpu = time.perf_counter(), time.process_time()
    with _sampled() as peak:
        _drain(source)
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    expected = connection.execute("SELECT count(*), coalesce(sum(n), 0)::bigint FROM big").fetchone()
    equal = _count_and_sum(timeline) == expected
    return LargeTransaction(statement, rows, seconds, cpu_seconds, peak.resident, peak.own, equal)


def _drain(source: PostgresCapture) -> None:
    while True:
        polled = source.poll()
        if polled.error is not None:
            raise polled.error
        if not polled.behind:
            return


def _count_and_sum(timeline: Timeline) -> tuple[int, int]:
    """Of the rows that are there, a batch at a time."""
    count = total = 0
    for changes in stored_changes(timeline, 1):
        weights = changes.column(WEIGHT)
        count += pc.sum(weights).as_py() or 0
        total += pc.sum(pc.multiply(changes.column("n"), weights)).as_py() or 0
    return count, total


@contextmanager
def _sampled() -> Iterator[_Peak]:
    """The most memory that this process takes in the block."""
    peak, over, process = _Peak(), threading.Event(), psutil.Process()

    def watch() -> None:
        while not over.wait(SAMPLE_S):
            peak.sample(process)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
        peak.sample(process)
