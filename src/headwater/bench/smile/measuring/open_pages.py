"""Pages that are open beside a run: a server of the project, and pages that ask it as a browser's would.

The server's CPU counts with the run's; that of the process which plays the browsers does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import psutil

from headwater.bench.cpu import spent
from headwater.bench.smile.workload.schedule import Phase, phase_at

__all__ = ["OpenPages"]

Leave = Callable[[int], None]


class OpenPages:
    """A context in which as many pages are open as the phases say; called with the seconds since the start.

    `leave_out` is told the process of the browsers, whose work is not the server's.
    """

    def __init__(self, folder: Path, phases: Sequence[Phase], leave_out: Leave) -> None:
        self.folder, self.phases, self.leave_out = folder, phases, leave_out
        self._server: subprocess.Popen[str] | None = None
        self._browsers: subprocess.Popen[str] | None = None
        self._address = ""
        self._open = 0

    def server_cpu_seconds(self) -> float:
        """What the server has used; 0 if no phase has pages."""
        return 0.0 if self._server is None else spent(psutil.Process(self._server.pid).cpu_times())

    def __enter__(self) -> OpenPages:
        if any(phase.pages for phase in self.phases):
            arguments = ["headwater.cli.app", "serve", str(self.folder), "--port", "0", "--json"]
            self._server = _started(arguments)
            assert self._server.stdout is not None
            self._address = str(json.loads(self._server.stdout.readline())["address"])
        return self

    def __call__(self, seconds: float) -> None:
        phase = phase_at(self.phases, seconds)
        wanted = 0 if phase is None else phase.pages
        if wanted == self._open:
            return
        self._close()
        if wanted:
            self._browsers = _started(["headwater.bench.page.asking_pages", self._address, str(wanted)])
            self.leave_out(self._browsers.pid)
        self._open = wanted

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if self._server is not None:
            _end(self._server)

    def _close(self) -> None:
        if self._browsers is not None:
            _end(self._browsers)
            self._browsers = None


def _started(arguments: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(30)
