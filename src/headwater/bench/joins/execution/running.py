"""A real `headwater run` of an adapted join beside another view, and a writer that feeds it by the clock."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import headwater
from headwater.api import Headwater
from headwater.bench.joins.execution.workloads import Workload

__all__ = ["BESIDE", "Feeder", "answer", "kill_all", "running", "wait_for_views", "written_project"]

BESIDE = "beside"
START_S = 120
STOP_S = 60
LATEST = 50  # rows that may be deleted again
RETAINED = " RETAIN INTERVAL '1' MINUTE"


def written_project(folder: Path, workload: Workload, freshness: int, settings: str) -> Headwater:
    """The join, and a grouped view of its first stream with a promise of 20 s."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headwater.yml").write_text(f"name: joins\n{settings}")
    first = next(iter(workload.columns))
    beside = (
        f"CREATE MATERIALIZED VIEW {BESIDE} FRESHNESS = INTERVAL '20' SECOND AS"
        f" SELECT {workload.columns[first][0]} AS k, count(*) AS n, max(id) AS last FROM {first} GROUP BY 1;"
    )
    (folder / "all.sql").write_text(workload.tables(RETAINED) + workload.view(freshness) + beside)
    return headwater.open(str(folder))


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process that keeps the views; at the end it is asked to stop, if it has not been killed."""
    with open(folder / "run.out", "ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "headwater.cli.app", "run", str(folder)],
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                kill_all(process)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """kill -9 of the run and of its JVM."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for_views(project: Headwater, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while not all(project.warehouse.published(view).exists() for view in project.catalog.kept):
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the run did not compute its views")
        time.sleep(0.5)


def answer(folder: Path, *arguments: str) -> Any:
    """What a command of its own says, as JSON."""
    command = [sys.executable, "-m", "headwater.cli.app", arguments[0], str(folder), *arguments[1:], "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


@dataclass
class Feeder:
    """Rows every second, drawn from domains; a hundredth of them are deleted or replaced a second later."""

    folder: Path
    workload: Workload
    domains: Mapping[str, int]
    rates: Mapping[str, int]  # rows per second; may be exchanged at any time
    changing: bool = True
    rows: int = 0
    _latest: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)
    _failed: list[BaseException] = field(default_factory=list)

    @contextmanager
    def feeding(self) -> Iterator[Feeder]:
        thread = threading.Thread(target=self._feed, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()
        if self._failed:
            raise self._failed[0]

    def _feed(self) -> None:
        project, chance = headwater.open(str(self.folder)), np.random.default_rng(1)
        number = time.time_ns() // 1_000
        try:
            while not self._stop.is_set():
                begun = time.monotonic()
                for stream, columns in self.workload.columns.items():
                    number = self._second(project, stream, columns, chance, number)
                self._stop.wait(max(0.0, 1.0 - (time.monotonic() - begun)))
        except Exception as error:
            self._failed.append(error)
            raise

    def _second(
        self, project: Headwater, stream: str, columns: tuple[str, ...], chance: Any, number: int
    ) -> int:
        rate, now = self.rates[stream], time.time_ns() // 1_000
        times = pa.array(now - chance.integers(0, 1_000_000, rate), pa.timestamp("us", "UTC"))
        drawn = {column: pa.array(chance.integers(0, self.domains[column], rate)) for column in columns}
        table = pa.table({"id": pa.array(np.arange(number, number + rate)), **drawn, "at": times})
        if self.changing and (gone := self._latest.pop(stream, [])):
            half = len(gone) // 2
            changes = [{"op": "delete", "row": row} for row in gone[:half]]
            changes += [{"op": "update", "row": row | {columns[0]: 0}} for row in gone[half:]]
            self._take(project, stream, changes)
        self._latest[stream] = table.slice(0, min(LATEST, 2 + rate // 100)).to_pylist()
        self._take(project, stream, table)
        self.rows += rate
        return number + rate

    @staticmethod
    def _take(project: Headwater, stream: str, records: object) -> None:
        taken = project.ingest(stream, records)
        if taken.rejected:
            raise RuntimeError(f"{stream} rejected {taken.rejected} rows")
