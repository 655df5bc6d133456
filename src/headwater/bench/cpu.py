"""CPU-seconds of this process and everything it started, the JVM above all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

__all__ = ["Cost", "measured"]


@dataclass(slots=True)
class Cost:
    cpu_seconds: float = 0.0
    seconds: float = 0.0


def _spent() -> float:
    total = 0.0
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


@contextmanager
def measured() -> Iterator[Cost]:
    """What the block cost, in CPU-seconds of the whole process tree and in wall time."""
    cost = Cost()
    cpu, start = _spent(), time.perf_counter()
    yield cost
    cost.cpu_seconds, cost.seconds = _spent() - cpu, time.perf_counter() - start
