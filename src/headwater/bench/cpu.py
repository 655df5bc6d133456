"""CPU-seconds of this process and everything it started, the JVM above all."""

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
    """Of a process's times: its own and, however short their lives were, those of children that ended."""
    return float(times.user + times.system + times.children_user + times.children_system)


def _of_all() -> float:
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
    """What the block cost, in CPU-seconds of the whole process tree and in wall time."""
    cost = Cost()
    cpu, start = _of_all(), time.perf_counter()
    yield cost
    cost.cpu_seconds, cost.seconds = _of_all() - cpu, time.perf_counter() - start
