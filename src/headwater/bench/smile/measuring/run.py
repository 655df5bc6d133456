"""One measured run: `Headwater.run` here, the feeder beside it, a monitor over both; then drain and verify.

    start     Spark starts, the run begins to keep the views                       (not measured)
    warm      tweets come at the intended rate: the JVM compiles, models learn     (reported, not measured)
    measured  for as long as --for says                                            CPU, violations, staleness
    drain     everything captured is applied                                       (reported)
    verify    every view against DuckDB, or by Spark as `headwater verify` does    (not measured)

CPU is that of the process tree: this process, the JVM and the feeder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.smile.experiments.options import accepted
from headwater.bench.smile.measuring.monitor import Tree
from headwater.bench.smile.measuring.open_pages import OpenPages
from headwater.bench.smile.measuring.readers import Readers
from headwater.bench.smile.workload.preload import position_of
from headwater.bench.smile.workload.schedule import Phase, batches, length
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.engine.run.progress import Progress

__all__ = ["Load", "RunRecord", "run_under_load"]

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Load:
    """What is fed: `warm` comes first, then `phases`, which are measured."""

    phases: Sequence[Phase]
    warm: Sequence[Phase] = ()
    every: float = 2.0
    seed: int = 7
    source: str = "tweets"

    @property
    def all_phases(self) -> list[Phase]:
        return [*self.warm, *self.phases]


@dataclass(slots=True)
class RunRecord:
    """What happened: instants in seconds, the feeder's own summary, and the process tree's samples."""

    opened_at: float
    tree: Tree
    started_at: float = 0.0  # the run keeps the views, the feeder begins
    measured_at: float = 0.0
    ended_at: float = 0.0  # the feeder is done
    stopped_at: float = 0.0
    drained_at: float = 0.0
    fed: Mapping[str, Any] = field(default_factory=dict)
    fed_by: list[tuple[float, int]] = field(default_factory=list)  # (instant, tweets so far)
    errors: dict[str, str] = field(default_factory=dict)
    server_cpu: list[tuple[float, float]] = field(default_factory=list)  # (instant, the server's CPU so far)
    planned_push_s: float = 0.0  # of all views, as `headwater plan` said before the run began

    def tweets_between(self, start: float, end: float) -> float:
        """Tweets that arrived between two instants; those of a batch count as spread over its interval."""
        at = [self.started_at, *(instant for instant, _ in self.fed_by)]
        tweets = [0, *(so_far for _, so_far in self.fed_by)]
        return float(np.interp(end, at, tweets) - np.interp(start, at, tweets))

    def server_between(self, start: float, end: float) -> float:
        """What the server of pages used between two instants."""
        at, used = zip(*self.server_cpu, strict=True)
        return float(np.interp(end, at, used) - np.interp(start, at, used))


class Conductor:
    """Starts the feeder when the run is up, samples every second, stops the run when the feeder is done."""

    def __init__(self, folder: Path, load: Load, tell: Tell) -> None:
        self.folder, self.load, self.tell = folder, load, tell
        self.stop = threading.Event()
        self.up = threading.Event()
        self.record = RunRecord(time.time(), Tree())
        self.progress: Progress | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._conduct, name="conductor", daemon=True)

    def show(self, progress: Progress) -> None:
        """Called by the run repeatedly."""
        self.progress = progress
        self.record.errors.update(progress.errors)
        self.up.set()

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> RunRecord:
        """After the run has ended: wait for the thread, and raise what went wrong in it."""
        self.stop.set()
        self._thread.join(timeout=60)
        if self.error is not None:
            raise self.error
        return self.record

    def _conduct(self) -> None:
        try:
            while not self.up.wait(1.0):
                self.record.tree.sample()
                if self.stop.is_set():
                    return
            self._feed()
        except BaseException as error:  # noqa: BLE001 - raised again by finish()
            self.error = error
        finally:
            self.stop.set()

    def _feed(self) -> None:
        phases = self.load.all_phases
        with (
            started_feeder(self.folder, self.load) as feeder,
            Readers(self.folder, phases) as reading,
            OpenPages(self.folder, phases, self.record.tree.leave_out) as opening,
        ):
            assert feeder.stdin is not None
            assert feeder.stdout is not None
            feeder.stdin.write("go\n")
            feeder.stdin.flush()
            record = self.record
            record.started_at = time.time()
            record.measured_at = record.started_at + length(self.load.warm)
            listener = threading.Thread(target=self._listen, args=(feeder.stdout,), daemon=True)
            listener.start()
            self.tell(f"the run is up; feeding for {length(self.load.all_phases):.0f} s")
            while listener.is_alive() and not self.stop.is_set():
                record.tree.sample()
                reading(time.time() - record.started_at)
                opening(time.time() - record.started_at)
                record.server_cpu.append((time.time(), opening.server_cpu_seconds()))
                self._tell_progress()
                listener.join(timeout=1.0)
            if self.stop.is_set():
                feeder.terminate()
        record.ended_at = time.time()
        record.tree.sample()
        if not record.fed and not self.stop.is_set():
            raise HeadwaterError("HW417", f"the feeder ended early, with status {feeder.returncode}")

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            message = json.loads(line)
            if message.get("done"):
                self.record.fed = message
            elif "tweets" in message:
                self.record.fed_by.append((message["at"], message["tweets"]))

    def _tell_progress(self) -> None:
        seconds = time.time() - self.record.started_at
        if self.progress is None or round(seconds) % 5:
            return
        worst = max(self.progress.views, key=lambda view: (view.staleness_s or 0) / view.freshness_s)
        sample = self.record.tree.samples[-1]
        tweets = self.record.fed_by[-1][1] if self.record.fed_by else 0
        self.tell(
            f"{seconds:4.0f} s: {tweets:,} tweets, stalest {worst.view} {worst.staleness_s or 0:.1f} of"
            f" {worst.freshness_s:g} s, {sum(self.progress.violations.values())} violations,"
            f" {sum(self.progress.pushes.values())} pushes, {sample.cpu_seconds:.0f} CPU-s,"
            f" {sample.memory_bytes / 1e9:.1f} GB"
        )


def started_feeder(folder: Path, load: Load) -> subprocess.Popen[str]:
    """The feeder's process, waiting for its start."""
    schedule = {
        "seed": load.seed,
        "position": asdict(position_of(folder)),
        "batches": batches(load.all_phases, load.every),
        "every": load.every,
        "source": load.source,
    }
    path = folder / "feed.json"
    path.write_text(json.dumps(schedule))
    command = [sys.executable, "-m", "headwater.bench.smile.workload.feed", str(folder), str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # it has opened the project
    return process


def run_under_load(folder: Path, load: Load, sharing: bool, tell: Tell) -> tuple[Headwater, RunRecord]:
    """Run the project while it is fed, then drain it."""
    project = open_project(str(folder))
    conductor = Conductor(folder, load, tell)
    conductor.record.planned_push_s = project.plan().keeps.seconds
    conductor.start()
    tell("starting Spark and the run")
    try:
        run = project.run
        run(**accepted(run, stop=conductor.stop, show=conductor.show, sharing=sharing))
    finally:
        record = conductor.finish()
    record.stopped_at = time.time()
    if not record.fed:
        raise HeadwaterError("HW417", "the run was stopped before the load was over")
    tell("draining")
    drain = open_project(str(folder)).run_until_idle
    drain(**accepted(drain, sharing=sharing))
    record.tree.sample()
    record.drained_at = time.time()
    os.remove(folder / "feed.json")
    return project, record
