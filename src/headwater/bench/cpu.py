"""CPU-seconds of this process, or of a command, and everything it started, mainly the JVM."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

__all__ = ["Cost", "cost_of_command", "measured", "spent"]

_PR_SET_CHILD_SUBREAPER = 36


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


def cost_of_command(command: Sequence[str]) -> Cost:
    """What a command costs with everything it starts, a JVM that outlives it included (Linux).

    No other child of this process may end meanwhile.  CalledProcessError if the command fails.
    """
    # Orphans become our children, so that their time is counted when they end.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, start = _of_ended_children(), time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    while _reaped():
        pass
    return Cost(_of_ended_children() - before, seconds)


def _of_ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reaped() -> bool:
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True
