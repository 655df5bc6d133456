"""What happens to the processes: each kind of fault, done once."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
from pathlib import Path

from headwater.bench.crash.laboratory import Laboratory
from headwater.bench.crash.processes import Processes

__all__ = ["KINDS", "do"]

KINDS = (
    "run", "writer", "jvm", "postgres", "run", "full disk", "writer", "connect", "everything", "stopped",
    "clock", "jvm",
)  # fmt: skip
FULL_S = 5.0
STOPPED_S = 60.0
AHEAD_S = 3600
STEP_S = 8.0


def do(kind: str, processes: Processes, laboratory: Laboratory, chance: random.Random) -> str:
    """Let it happen; returns to whom."""
    match kind:
        case "run":
            processes.kill("run")
            return "run"
        case "writer":
            victim = chance.choice(processes.writers)
            processes.kill(victim)
            return victim
        case "everything":
            for name in list(processes.running):
                processes.kill(name)
            return "run and writers"
        case "jvm":
            jvm = processes.jvm()
            if jvm is not None:
                jvm.send_signal(signal.SIGKILL)
            return "the run's JVM"
        case "stopped":
            return _stop(processes, chance)
        case "full disk":
            _fill(laboratory.storage.parent / "ballast", FULL_S)
            return "the warehouse's disk"
        case "clock":
            return _step_clock(processes, laboratory.faketime)
        case "postgres" if laboratory.postgres is not None:
            laboratory.postgres.crash()
            return "the PostgreSQL server"
        case "connect" if laboratory.connect is not None:
            laboratory.connect.kill()
            laboratory.connect.start()
            return "the Spark Connect server"
    raise AssertionError(kind)


def _stop(processes: Processes, chance: random.Random) -> str:
    """A process stands still for a minute, as on a machine that is suspended."""
    name = chance.choice(list(processes.running))
    process = processes.running[name]
    process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    process.send_signal(signal.SIGCONT)
    return name


def _step_clock(processes: Processes, faketime: str) -> str:
    """The run sees its clock go an hour ahead, and come back."""
    clock = processes.logs / "clock"
    clock.write_text("+0")
    processes.kill("run")
    processes.start_run(
        {"LD_PRELOAD": faketime, "FAKETIME_TIMESTAMP_FILE": str(clock.absolute()),
         "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    )  # fmt: skip
    while processes.jvm() is None:  # it has begun
        time.sleep(0.2)
    time.sleep(STEP_S)
    clock.write_text(f"+{AHEAD_S}")
    time.sleep(STEP_S)
    clock.write_text("+0")
    return "the run's clock"


def _fill(ballast: Path, seconds: float) -> None:
    """Leave no byte free for a while."""
    try:
        until = time.monotonic() + seconds
        with open(ballast, "wb", buffering=0) as file:
            while time.monotonic() < until:
                try:
                    file.write(bytes(1 << 16))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    time.sleep(0.01)
    finally:
        os.unlink(ballast)
