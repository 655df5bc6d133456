"""What a run's processes use of the machine, by their own counters: this process, and the JVM it started.

Pushes know the CPU of their Spark tasks and of their driver.  The JVM compiles, collects garbage and plans;
capture, compaction and the run itself work besides.  The counters of the processes have it all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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

    counted: dict[tuple[str, int], float] = field(default_factory=dict)  # of each process, by its number

    @classmethod
    def begin(cls) -> ProcessCpu:
        """Count from now on; a process that starts later is counted from its start."""
        whole, _process.charged_whole = _process.charged_whole, False
        return cls({} if whole else dict(_counters()))

    def spent(self) -> dict[str, float]:
        """By kind of process, since the last time."""
        spent = {HEADWATER: 0.0, JVM: 0.0}
        for process, seconds in _counters():
            spent[process[0]] += max(0.0, seconds - self.counted.get(process, 0.0))
            self.counted[process] = seconds
        return spent


def _counters() -> Iterator[tuple[tuple[str, int], float]]:
    own = psutil.Process()
    yield (HEADWATER, own.pid), _cpu(own)
    for child in own.children(recursive=True):
        try:
            yield (JVM, child.pid), _cpu(child)
        except psutil.NoSuchProcess:
            continue  # it ended just now; what it used since the last time is not known any more


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
