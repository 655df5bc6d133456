"""CPU-seconds of this process and everything it started, mainly the JVM."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

__all__ = ["Cost", "measured", "spent"]


@dataclass(slots=True)
class Cost:
    cpu_seconds: float = 0.0
    seconds: float = 0.0


def spent(times: Any) -> float:
    """The CPU-seconds of a process, including those of children that have ended, however short-lived."""
    return float(times.user + times.system + times.children_user + times.children_system)


def _process_tree() -> float:
    total = 0.0
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += spent(times)
    return total


@contextmanager
def measured() -> Iterator[Cost]:
    """What the block cost, in CPU-seconds of the process tree and in wall time."""
    cost = Cost()
    cpu, start = _process_tree(), time.perf_counter()
    yield cost
    cost.cpu_seconds, cost.seconds = _process_tree() - cpu, time.perf_counter() - start
