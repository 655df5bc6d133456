"""CPU-seconds and memory of this process and all it started, as a series.

A child that has ended counts with its parent, to which the system reports what it used, however short its
life was. Memory is the sum of resident sizes: pages shared between processes count more than once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import psutil

from headwater.bench.cpu import spent

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
    """The process tree, without the processes that only play users. `samples` holds all that were taken."""

    samples: list[Sample] = field(default_factory=list)
    users: dict[int, float] = field(default_factory=dict)  # CPU-seconds of processes that play users, by id

    def leave_out(self, process: int) -> None:
        """Do not count a child: what it does is not the system's work."""
        self.users[process] = 0.0

    def sample(self) -> Sample:
        own = psutil.Process()
        memory, cpu, jvm = 0, 0.0, 0.0
        ended = set(self.users)  # whose CPU the system has added to that of this process
        for process in (own, *own.children(recursive=True)):
            try:
                with process.oneshot():
                    times, name = process.cpu_times(), process.name()
                    if process.pid in self.users:
                        self.users[process.pid] = spent(times)
                        ended.discard(process.pid)
                        continue
                    # A process that the JVM is just starting shows the JVM's own memory as its own.
                    if time.time() - process.create_time() > YOUNG:
                        memory += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
            cpu += spent(times)
            jvm += spent(times) if name.startswith("java") else 0.0
        cpu -= sum(self.users[user] for user in ended)
        self.samples.append(Sample(time.time(), cpu, jvm, memory))
        return self.samples[-1]

    def between(self, start: float, end: float) -> tuple[Sample, Sample]:
        """The samples nearest to two instants."""
        first = min(self.samples, key=lambda sample: abs(sample.at - start))
        last = min(self.samples, key=lambda sample: abs(sample.at - end))
        return first, last

    @property
    def peak_bytes(self) -> int:
        return max((sample.memory_bytes for sample in self.samples), default=0)
