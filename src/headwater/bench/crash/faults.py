"""What happens to the processes: each kind of fault, done once, and seen to have taken place."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import psutil

from headwater.bench.crash.laboratory import Laboratory
from headwater.bench.crash.processes import Processes
from headwater.bench.crash.project import TABLES
from headwater.clock import SystemClock
from headwater.storage.warehouse import Warehouse

__all__ = ["KINDS", "do"]

KINDS = (
    "run", "writer", "jvm", "postgres", "run", "full disk", "writer", "connect", "everything", "stopped",
    "clock", "jvm",
)  # fmt: skip
FULL_S = 5.0
STOPPED_S = 60.0
AHEAD_S = 3600
SEEN_S = 120.0  # the longest that a fault takes to be seen


def do(kind: str, processes: Processes, laboratory: Laboratory, chance: random.Random) -> str:
    """Let it happen; returns to whom."""
    match kind:
        case "run":
            processes.kill("run")
            return "run"
        case "writer":
            victim = chance.choice([name for name in processes.writers if name not in processes.stopped])
            processes.kill(victim)
            return victim
        case "everything":
            for name in list(processes.running):
                processes.kill(name)
            return "run and writers"
        case "jvm":
            _started_jvm(processes).send_signal(signal.SIGKILL)
            return "the run's JVM"
        case "stopped":
            victim = chance.choice(list(processes.running))
            processes.stop(victim, STOPPED_S)
            return victim
        case "full disk":
            _fill(laboratory.storage.parent / "ballast", FULL_S)
            return "the warehouse's disk"
        case "clock":
            return _step_clock(processes, laboratory)
        case "postgres" if laboratory.postgres is not None:
            laboratory.postgres.crash()
            return "the PostgreSQL server"
        case "connect" if laboratory.connect is not None:
            laboratory.connect.kill()
            laboratory.connect.start()
            return "the Spark Connect server"
    raise AssertionError(kind)


def _started_jvm(processes: Processes) -> psutil.Process:
    _wait("the run has a JVM", lambda: processes.jvm() is not None)
    jvm = processes.jvm()
    assert jvm is not None
    return jvm


def _step_clock(processes: Processes, laboratory: Laboratory) -> str:
    """The run sees its clock go an hour ahead, records times of then, and the clock comes back."""
    clock = processes.logs / "clock"
    clock.write_text("+0")
    processes.kill("run")
    processes.start_run_with_clock(laboratory.faketime, clock.absolute())
    _started_jvm(processes)
    clock.write_text(f"+{AHEAD_S}")
    _wait("the run takes note of its stepped clock", lambda: _is_ahead(laboratory))
    clock.write_text("+0")
    return "the run's clock"


def _is_ahead(laboratory: Laboratory) -> bool:
    """Whether a change has a time that is still to come: later than what the run has declared complete.

    Of any table, because the writer of one may stand still just now.
    """
    warehouse = Warehouse(str(laboratory.storage))
    changed = max(warehouse.source(table).time() for table in TABLES)
    return changed > SystemClock().now() + AHEAD_S * 1_000_000 // 2


def _wait(what: str, is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + SEEN_S
    while not is_so():
        if time.monotonic() > until:
            raise RuntimeError(f"the fault did not take place: not seen within {SEEN_S:.0f} s that {what}")
        time.sleep(0.2)


def _fill(ballast: Path, seconds: float) -> None:
    """Leave no byte free for a while."""
    try:
        with open(ballast, "wb", buffering=0) as file:
            _fill_up(file)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                _fill_up(file)  # what others gave back
                time.sleep(0.01)
    finally:
        os.unlink(ballast)


def _fill_up(file: FileIO) -> None:
    try:
        while True:
            file.write(bytes(1 << 16))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
