"""What is measured every few seconds, from outside: memory by the system, the rest in the warehouse."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import psutil

from headwater.api import Headwater
from headwater.bench.cpu import spent
from headwater.errors import HeadwaterError
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.records.journal import AUDIT, PUSHES, read_rows

__all__ = ["Sample", "Verdict", "sample", "verdicts"]

MOST_GROWTH = 0.1
COMPARED = ("python_mb", "jvm_mb", "push_s", "push_cpu_s")


@dataclass(frozen=True, slots=True)
class Sample:
    """The run and its warehouse at an instant, `at_s` after the start.

    `live_mb`: what the newest versions of all tables hold.  `open_logs_s`: how long it takes to open all
    logs, as a process does that starts.  `push_s`, `push_cpu_s`, `staleness_s`: the mean push and the worst
    view since the sample before; a push's CPU says more than its seconds when the machine has other work.
    `run_cpu_s`: what the run's processes have used since they began.
    """

    at_s: float
    python_mb: float
    jvm_mb: float
    stored_mb: float
    live_mb: float
    files: int
    open_logs_s: float
    push_s: float | None
    push_cpu_s: float | None
    run_cpu_s: float
    staleness_s: float | None
    reads: int
    failed_reads: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The mean of a measure in the second and in the last quarter, and whether it grew by a tenth or less."""

    measure: str
    second: float
    last: float

    @property
    def growth(self) -> float:
        return self.last / self.second - 1 if self.second else 0.0

    @property
    def flat(self) -> bool:
        return self.growth <= MOST_GROWTH


def sample(
    project: Headwater, run: psutil.Process, at_s: float, since: int, reads: int, failed_reads: int
) -> Sample:
    root = Path(project.warehouse.root)
    begun = time.perf_counter()
    live = sum(_live(path) for path in tables(root))
    opened = time.perf_counter() - begun
    stored, files = _stored(root)
    python, jvm = _memory(run)
    seconds, cpu = _pushes(project, since)
    return Sample(
        at_s, python, jvm, stored / 1e6, live / 1e6, files, opened, seconds, cpu, _cpu(run),
        _worst_staleness(project, since), reads, failed_reads,
    )  # fmt: skip


def verdicts(samples: Sequence[Sample], measures: Sequence[str] = COMPARED) -> list[Verdict]:
    """Of what must not grow; none of a measure that a quarter has no value of."""
    return [
        Verdict(measure, fmean(second), fmean(last))
        for measure in measures
        if (second := _values(samples, measure, 0.25, 0.5)) and (last := _values(samples, measure, 0.75, 1.0))
    ]


def _values(samples: Sequence[Sample], measure: str, start: float, end: float) -> list[float]:
    length = samples[-1].at_s if samples else 0.0
    values = (getattr(taken, measure) for taken in samples if start * length < taken.at_s <= end * length)
    return [value for value in values if value is not None]


def tables(root: Path) -> Iterator[Path]:
    """The folders of all tables; other folders come and go meanwhile, which `rglob` does not forgive."""
    return (Path(folder) for folder, below, _ in os.walk(root) if "_delta_log" in below)


def _live(table: Path) -> int:
    """The bytes of a table's newest version; its log is opened as by a process that starts."""
    try:
        return sum(file.size for file in DeltaLog(str(table)).snapshot().files)
    except (HeadwaterError, FileNotFoundError):  # removed meanwhile
        return 0


def _stored(root: Path) -> tuple[int, int]:
    total = files = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
                files += 1
            except FileNotFoundError:  # removed meanwhile
                continue
    return total, files


def _memory(run: psutil.Process) -> tuple[float, float]:
    """Resident megabytes of the run's Python and of its JVM."""
    java = [taken for child in run.children(recursive=True) if (taken := _java_bytes(child)) is not None]
    return run.memory_info().rss / 1e6, sum(java) / 1e6


def _java_bytes(process: psutil.Process) -> int | None:
    try:
        return process.memory_info().rss if process.name() == "java" else None
    except psutil.NoSuchProcess:  # a short-lived helper
        return None


def _cpu(run: psutil.Process) -> float:
    """Of the run and of what it started; what has ended counts as its parent's."""
    total = spent(run.cpu_times())
    for child in run.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += spent(child.cpu_times())
    return total


def _pushes(project: Headwater, since: int) -> tuple[float | None, float | None]:
    """The mean seconds and CPU-seconds of an action; each of its pushes has the seconds of the whole."""
    seconds, cpu = dict[str, float](), Counter[str]()
    rows = read_rows(project.warehouse.system("pushes"), PUSHES, since).to_pylist()
    for number, row in enumerate(rows):
        if row["seconds"]:
            action = row["action"] or str(number)
            seconds[action] = row["seconds"]
            cpu[action] += row["cpu_seconds"]
    return (fmean(seconds.values()), fmean(cpu.values())) if seconds else (None, None)


def _worst_staleness(project: Headwater, since: int) -> float | None:
    rows = read_rows(project.warehouse.system("audit"), AUDIT, since).to_pylist()
    return max((row["staleness_s"] for row in rows if row["staleness_s"] is not None), default=None)
