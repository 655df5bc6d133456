"""What a run's processes use of the machine, by their own counters: this process, and those it started.

Pushes know the CPU of their Spark tasks and of their driver.  The JVM compiles, collects garbage and plans;
capture, compaction and the run itself work besides.  The counters of the processes have it all; those of a
process that has ended are added by the system to its parent's, so whoever comes and goes between two
readings is counted too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psutil

__all__ = ["HEADWATER", "JVM", "ProcessCpu", "charge_whole_process"]

HEADWATER, JVM = "headwater", "jvm"


@dataclass(slots=True)
class _Process:
    charged_whole: bool = False


_process = _Process()


def charge_whole_process() -> None:
    """The next run is all that this process is for: what it has used so far, it used for that run."""
    _process.charged_whole = True


@dataclass(slots=True)
class ProcessCpu:
    """CPU-seconds since they were last asked for."""

    counted: dict[str, float] = field(default_factory=dict)  # by kind of process

    @classmethod
    def begin(cls) -> ProcessCpu:
        """Count from now on; a process that starts later is counted from its start."""
        whole, _process.charged_whole = _process.charged_whole, False
        return cls({} if whole else _used())

    def spent(self) -> dict[str, float]:
        """CPU-seconds since the last call, by kind of process."""
        used, before = _used(), self.counted
        self.counted = {kind: max(seconds, before.get(kind, 0.0)) for kind, seconds in used.items()}
        return {kind: seconds - before.get(kind, 0.0) for kind, seconds in self.counted.items()}


def _used() -> dict[str, float]:
    """CPU-seconds of this process and of all that it has started, whether they have ended or not."""
    own = psutil.Process()
    times = own.cpu_times()
    return {HEADWATER: times.user + times.system, JVM: _of_ended(times) + sum(_of_running(own))}


def _of_running(own: psutil.Process) -> Iterator[float]:
    for child in own.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue  # it ended just now: its parent's counters have it the next time
        yield times.user + times.system + _of_ended(times)


def _of_ended(times: Any) -> float:
    """CPU-seconds of the children that a process has waited for."""
    return float(times.children_user + times.children_system)
