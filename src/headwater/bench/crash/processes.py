"""The processes of the bench: a run and a writer per table, each started again when it is no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

__all__ = ["Processes"]

WRITER = (
    "import sys; from headwater.bench.crash.writers import write_forever; "
    "write_forever(*sys.argv[1:4], int(sys.argv[4]))"
)
# libfaketime 0.9 makes Python's sleep fail unless it also fakes the clock that no step moves, and a JVM
# under it never sleeps: that one sees the real time.
RUN_WITH_CLOCK = (
    "import os, threading, time; del os.environ['LD_PRELOAD']; never = threading.Event(); "
    "time.sleep = lambda seconds: never.wait(seconds) and None; "
    "from headwater.cli.app import main; main()"
)


@dataclass(slots=True)
class Processes:
    project: Path
    logs: Path
    targets: Mapping[str, str]  # by table: where its writer writes to, the project or PostgreSQL
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    generation: int = 0  # of the newest writer: its rows have numbers of their own
    stopped: dict[str, float] = field(default_factory=dict)  # those that stand still, and until when

    @property
    def run(self) -> subprocess.Popen[bytes]:
        return self.running["run"]

    @property
    def writers(self) -> list[str]:
        return [name for name in self.running if name != "run"]

    def start_missing(self) -> list[str]:
        """Start what is not running, let go on what has stood still; returns what was started."""
        self._let_go_on(time.monotonic())
        started = []
        if not self._runs("run"):
            self.start_run()
            started.append("run")
        for table in self.targets:
            if not self._runs(f"writer of {table}"):
                self._start_writer(table)
                started.append(f"writer of {table}")
        return started

    def _runs(self, name: str) -> bool:
        return name in self.running and self.running[name].poll() is None

    def start_run(self) -> None:
        self._start("run", ["-m", "headwater.cli.app", "run", str(self.project)])

    def start_run_with_clock(self, faketime: str, clock: Path) -> None:
        """A run whose wall clock is off by what a file says; monotonic clocks go on."""
        environment = {
            "LD_PRELOAD": faketime, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip
        self._start("run", ["-c", RUN_WITH_CLOCK, "run", str(self.project)], environment)

    def _start_writer(self, table: str) -> None:
        self.generation += 1
        log = str(self.writer_log(table))
        self._start(
            f"writer of {table}", ["-c", WRITER, self.targets[table], table, log, str(self.generation)]
        )

    def _start(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        with open(self.logs / f"{name}.out", "ab") as output:
            self.running[name] = subprocess.Popen(
                [sys.executable, *command], stdout=output, stderr=subprocess.STDOUT,
                env=os.environ | dict(environment or {}),
            )  # fmt: skip

    def writer_log(self, table: str) -> Path:
        return self.logs / f"{table}.jsonl"

    def kill(self, name: str) -> None:
        self.stopped.pop(name, None)
        self.running[name].send_signal(signal.SIGKILL)
        self.running[name].wait()

    def stop(self, name: str, seconds: float) -> None:
        """Have a process stand still, as on a machine that is suspended, while the others go on."""
        self.running[name].send_signal(signal.SIGSTOP)
        self.stopped[name] = time.monotonic() + seconds

    def wait_for_stopped(self) -> None:
        """Until all go on."""
        while self.stopped:
            self.start_missing()
            time.sleep(0.2)

    def _let_go_on(self, now: float) -> None:
        for name in [name for name, until in self.stopped.items() if until <= now]:
            self.running[name].send_signal(signal.SIGCONT)
            del self.stopped[name]

    def jvm(self) -> psutil.Process | None:
        """The run's JVM, if it has one now."""
        try:
            children = psutil.Process(self.run.pid).children(recursive=True)
            return next((child for child in children if child.name() == "java"), None)
        except psutil.NoSuchProcess:
            return None

    def said(self) -> int:
        """How much the run has said so far."""
        path = self.logs / "run.out"
        return path.stat().st_size if path.exists() else 0

    def said_since(self, mark: int) -> str:
        """The last thing that the run said after a moment, as one line."""
        path = self.logs / "run.out"
        text = path.read_bytes()[mark:].decode(errors="replace") if path.exists() else ""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def close(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()
