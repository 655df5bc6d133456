"""Resident memory while one transaction of N rows is captured from PostgreSQL, and while it is truncated.

    python scripts/postgres_memory.py 1000000 5000000

Starts a server of its own. Each size runs in a process of its own: the peak is that of a process.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

import psycopg

from headwater.bench.postgres import postgres_server
from headwater.capture.postgres.capture import PostgresCapture
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse

COLUMNS = (Column("id", "bigint", nullable=False), Column("n", "bigint"), Column("note", "string"))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def drain(source: PostgresCapture) -> int:
    changes = 0
    while True:
        polled = source.poll()
        if polled.error is not None:
            raise polled.error
        changes += polled.changes
        if not polled.behind:
            return changes


def measure(rows: int) -> None:
    with postgres_server() as uri, tempfile.TemporaryDirectory() as root:
        table = Table("t", COLUMNS, key=("id",), provider="postgres", options={"uri": uri})
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute("CREATE TABLE t (id bigint PRIMARY KEY, n bigint, note text)")
            source = PostgresCapture(
                Warehouse(os.path.join(root, "warehouse")), "memory", [table], SystemClock()
            )
            drain(source)
            print(f"{rows:>12,} rows: before {peak_megabytes():,.0f} MB", flush=True)
            for name, statement in (
                ("insert", f"INSERT INTO t SELECT g, g, 'note ' || g FROM generate_series(1, {rows}) g"),
                ("update", "UPDATE t SET n = n + 1"),
                ("truncate", "TRUNCATE t"),
            ):
                connection.execute(statement)  # type: ignore[call-overload]
                begun, cpu = time.perf_counter(), time.process_time()
                changes = drain(source)
                print(
                    f"{'':>12}  {name}: {changes:,} changes, peak {peak_megabytes():,.0f} MB, "
                    f"{time.perf_counter() - begun:.0f} s, {time.process_time() - cpu:.0f} CPU s",
                    flush=True,
                )
            source.close()


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]] or [1_000_000]
    if len(sizes) == 1:
        measure(sizes[0])
    for size in sizes if len(sizes) > 1 else ():
        subprocess.run([sys.executable, __file__, str(size)], check=True)
