"""CPU-seconds and memory of this process and all it started, as a series.

A child that has ended keeps counting with what it had used when it was last seen, so sample about once a
second.  Memory is the sum of resident sizes: pages shared between processes count more than once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import psutil

__all__ = ["Sample", "Tree"]

YOUNG = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class Sample:
    at: float  # wall clock, seconds
    cpu_seconds: float
    jvm_seconds: float  # of these, the JVM's
    memory_bytes: int


@dataclass(slots=True)
class Tree:
    """The process tree. `samples` holds all that were taken."""

    samples: list[Sample] = field(default_factory=list)
    _spent: dict[tuple[int, float], tuple[float, bool]] = field(default_factory=dict)

    def sample(self) -> Sample:
        own = psutil.Process()
        memory = 0
        for process in (own, *own.children(recursive=True)):
            try:
                with process.oneshot():
                    times, name = process.cpu_times(), process.name()
                    key = process.pid, process.create_time()
                    # A process that the JVM is just starting shows the JVM's own memory as its own.
                    if time.time() - process.create_time() > YOUNG:
                        memory += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
            self._spent[key] = times.user + times.system, name.startswith("java")
        cpu = sum(spent for spent, _ in self._spent.values())
        jvm = sum(spent for spent, java in self._spent.values() if java)
        self.samples.append(Sample(time.time(), cpu, jvm, memory))
        return self.samples[-1]

    def between(self, start: float, end: float) -> tuple[Sample, Sample]:
        """The samples nearest to two instants."""
        first = min(self.samples, key=lambda one: abs(one.at - start))
        last = min(self.samples, key=lambda one: abs(one.at - end))
        return first, last

    @property
    def peak_bytes(self) -> int:
        return max((one.memory_bytes for one in self.samples), default=0)
