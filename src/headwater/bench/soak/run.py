"""The shop kept for a while, with writers, readers outside, and views that come and go.

A run is a process of its own; so are two writers.  Views are added and dropped through the project's API, as
a user does, and every plain table is read with delta-rs alone.  What is measured is in samples.py.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import psutil
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.soak.load import open_shop, start_writer
from headwater.bench.soak.samples import Sample, sample
from headwater.starter import write_starter

__all__ = ["run"]

EVERY_S = 5.0
CHANGE_VIEWS_S = 60.0
START_S = 600.0
# Short, so that what is stored stops growing well before the second quarter of an hour ends.
RETENTION = "retention: {reads: 10 minutes}\n"
VIEW = """
CREATE MATERIALIZED VIEW soak_view FRESHNESS = INTERVAL '30' SECOND AS
  SELECT country, count(*) AS customers FROM customers GROUP BY country;
"""

Tell = Callable[[str], None]
Note = Callable[[Sample], None]


def run(
    folder: Path,
    length: timedelta,
    rate: float,
    seed: int = 7,
    tell: Tell = lambda text: None,
    note: Note = lambda taken: None,
) -> list[Sample]:
    """Keep the shop for a while; `note` gets each sample as it is taken."""
    shop = folder / "shop"
    write_starter(shop, "soak")
    with open(shop / "headwater.yml", "a") as settings:
        settings.write(RETENTION)
    open_shop(shop, seed)
    with _processes(shop, folder, rate, seed) as processes:
        project = open_project(str(shop))
        _wait_for_views(project, processes[0])
        samples = []
        for taken in _samples(project, folder, processes, length, tell):
            note(taken)
            samples.append(taken)
        return samples


@contextmanager
def _processes(shop: Path, folder: Path, rate: float, seed: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    with open(folder / "run.out", "ab") as output:
        keeping = subprocess.Popen(
            [sys.executable, "-m", "headwater.cli.app", "run", str(shop)],
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    writers = [
        start_writer(shop, kind, rate / 2, seed, folder / f"{kind}.out") for kind in ("traffic", "updates")
    ]
    processes = [keeping, *writers]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _wait_for_views(project: Headwater, keeping: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while not all(project.warehouse.published(view).exists() for view in project.catalog.kept):
        if keeping.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the run did not compute its views")
        time.sleep(0.5)


def _samples(
    project: Headwater, folder: Path, processes: list[subprocess.Popen[bytes]], length: timedelta, tell: Tell
) -> Iterator[Sample]:
    begun, since = time.monotonic(), project.clock.now()
    keeping = psutil.Process(processes[0].pid)
    changed_at, reads, failures = 0.0, 0, 0
    while (at_s := time.monotonic() - begun) < length.total_seconds():
        time.sleep(EVERY_S)
        _refuse_ended(processes)
        if at_s - changed_at >= CHANGE_VIEWS_S:
            tell(f"{at_s:.0f} s: {_change_views(project, folder)}")
            changed_at = at_s
        for view in project.catalog.kept:
            reads += 1
            failures += not _read_outside(project, view)
        taken = project.clock.now()
        yield sample(project, keeping, time.monotonic() - begun, since, reads, failures)
        since = taken


def _refuse_ended(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is not None:
            raise RuntimeError(f"a process of the soak ended with status {process.returncode}")


def _change_views(project: Headwater, folder: Path) -> str:
    """Add a view, or drop it if it is there."""
    if "soak_view" in project.catalog.kept:
        project.drop("soak_view")
        return "dropped a view"
    file = folder / "soak_view.sql"
    file.write_text(VIEW)
    project.add(file, force=True)
    return "added a view"


def _read_outside(project: Headwater, view: str) -> bool:
    """Whether any Delta reader can read a view; one that was just added need not be there yet."""
    path = project.warehouse.published(view).path
    if not (Path(path) / "_delta_log").is_dir():
        return True
    try:
        DeltaTable(path).to_pyarrow_table()
    except (DeltaError, OSError):
        return False
    return True
