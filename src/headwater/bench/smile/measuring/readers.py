"""Simulated users who read views in a closed loop while they are kept (Figure 14).

Each user asks for a view's rows, waits for the answer and asks again; all users of all views are threads of
one process, `python -m headwater.bench.smile.measuring.readers PROJECT`, which reads from its standard input
how many there should be.  Between two questions a user pauses for THINKS seconds: 50 users of four views
without a pause would measure how fast Python reads Parquet, and nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from headwater.bench.smile.workload.schedule import Phase, phase_at

__all__ = ["Readers"]

THINKS = 5.0


class Readers:
    """A context in which as many users read as the phases say; called with the seconds since the start."""

    def __init__(self, folder: Path, phases: Sequence[Phase]) -> None:
        self.folder, self.phases = folder, phases
        self._process: subprocess.Popen[str] | None = None
        self._running = -1

    def __enter__(self) -> Readers:
        if any(phase.readers for phase in self.phases):
            command = [sys.executable, "-m", "headwater.bench.smile.measuring.readers", str(self.folder)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        return self

    def __call__(self, seconds: float) -> None:
        wanted = self.wanted(seconds)
        if self._process is not None and self._process.stdin is not None and wanted != self._running:
            self._running = wanted
            self._process.stdin.write(f"{wanted}\n")
            self._process.stdin.flush()

    def wanted(self, seconds: float) -> int:
        """Users per view at an instant."""
        phase = phase_at(self.phases, seconds)
        return 0 if phase is None else phase.readers

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()  # which ends it
            self._process.wait(timeout=60)


def main() -> None:
    from headwater.api import open as open_project

    project = open_project(sys.argv[1])
    wanted = 0
    done = threading.Event()

    def use(number: int, view: str) -> None:
        done.wait(THINKS * (number % 50) / 50)
        while not done.is_set() and number < wanted:
            project.read(view)
            done.wait(THINKS)

    users: dict[tuple[int, str], threading.Thread] = {}
    for line in sys.stdin:
        wanted = int(line)
        for number in range(wanted):
            for view in project.catalog.kept:
                user = users.get((number, view))
                if user is None or not user.is_alive():
                    thread = threading.Thread(target=use, args=(number, view), daemon=True)
                    users[number, view] = thread
                    thread.start()
    done.set()
    time.sleep(0.1)


if __name__ == "__main__":
    main()
