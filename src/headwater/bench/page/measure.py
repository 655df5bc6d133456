"""What pages cost: CPU of the server's process without pages and with them, and what a day of history takes.

The server, what keeps the project and the pages are processes of their own; only the server's CPU counts.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from headwater.bench.cpu import spent
from headwater.bench.page.kept_project import write_history, write_project

__all__ = ["PageCost", "measure"]

DAY_S = 86_400
WARM_S = 8.0
TRIES = 5


@dataclass(frozen=True, slots=True)
class PageCost:
    views: int
    pages: int
    seconds: float
    core_share_without: float  # of one core, by the server's process
    core_share: float
    day_ms: float  # /staleness and a view's day: the wall time, the median of some tries; each anew
    day_cpu_ms: float  # of it, what the server computed, on average

    @property
    def core_share_of_pages(self) -> float:
        return self.core_share - self.core_share_without


def measure(
    folder: Path, views: int, pages: int, seconds: float, show: Callable[[str], None] = lambda text: None
) -> PageCost:
    """Measure in a new project below `folder`."""
    project = folder / "project"
    write_project(project, views)
    show("writing a day of history")
    write_history(project, DAY_S)
    show("starting the server")
    with (
        _process("-m", "headwater.bench.page.kept_project", str(project)),
        _process("-m", "headwater.cli.app", "serve", str(project), "--port", "0", "--json") as (server, line),
    ):
        address = str(json.loads(line)["address"])
        day, day_cpu = _milliseconds(address, server, "/staleness?view=v0&last=1d&points=1200")
        show("without a page")
        without = _core_share(server, seconds / 2)
        show(f"{pages} pages")
        with _process("-m", "headwater.bench.page.asking_pages", address, str(pages)):
            time.sleep(WARM_S)
            share = _core_share(server, seconds)
    return PageCost(views, pages, seconds, without, share, day, day_cpu)


@contextmanager
def _process(*arguments: str) -> Iterator[tuple[psutil.Process, str]]:
    """A Python process and the first line that it prints; it is ended afterwards."""
    started = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout is not None
        yield psutil.Process(started.pid), started.stdout.readline()
    finally:
        started.terminate()
        started.wait(30)


def _core_share(process: psutil.Process, seconds: float) -> float:
    cpu, begun = spent(process.cpu_times()), time.monotonic()
    time.sleep(seconds)
    return (spent(process.cpu_times()) - cpu) / (time.monotonic() - begun)


def _milliseconds(address: str, server: psutil.Process, path: str) -> tuple[float, float]:
    """An answer's wall time and the server's CPU for it; each of another second, so none was known."""
    taken = []
    with httpx.Client(base_url=address, timeout=120) as client:
        client.get(path).raise_for_status()  # the first one opens what is there
        cpu = 0.0
        for _ in range(TRIES):
            time.sleep(1.05)
            before, begun = spent(server.cpu_times()), time.perf_counter()
            client.get(path).raise_for_status()
            taken.append((time.perf_counter() - begun) * 1000)
            cpu += (spent(server.cpu_times()) - before) * 1000
    return statistics.median(taken), cpu / TRIES
