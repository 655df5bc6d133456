"""Faults at random moments of a run with writers beside it; after each, everything is checked.

A run and a writer per table work on one project as processes of their own, and go on working while one of
them, or what it needs, fails.  Who died is started again.  Once every view has been pushed beyond the fault:

    what was accepted             is there, exactly once
    what was reported as failed   is not there
    anything else                 at most one batch of each writer that was killed in the middle of it
    views                         equal their SQL, computed by DuckDB, as of their times

After the last fault of each kind, and so at the end, Spark's own `verify` says the same.  Who stands
still for a minute does so while the next faults happen.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.crash.checks import Sources, check_sources, differing
from headwater.bench.crash.faults import KINDS, do
from headwater.bench.crash.laboratory import Laboratory, set_up
from headwater.bench.crash.processes import Processes
from headwater.bench.crash.project import CAPTURED, write_project
from headwater.bench.crash.writers import told
from headwater.errors import HeadwaterError

__all__ = ["Crash", "Skipped", "run"]

RECOVERY_S = 600
PATIENCE_S = 150  # a run that neither ends nor pushes for so long is stuck: it is ended, and that is told
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Crash:
    """A fault and the state afterwards."""

    number: int
    kind: str
    victim: str
    after_s: float  # until every view had been pushed beyond it
    checked_s: float  # what the checks took
    sources: Sources
    differing: tuple[str, ...]  # views that DuckDB's answer or Spark's differs from
    verified_by_spark: bool
    stuck: bool
    said: str

    @property
    def views_equal(self) -> bool:
        return not self.differing

    @property
    def well(self) -> bool:
        sources = self.sources
        wrong = sources.lost or sources.doubled or sources.wrong_errors
        return self.views_equal and not (wrong or self.stuck)

    def as_json(self) -> dict[str, Any]:
        fields = asdict(self)
        return fields | fields.pop("sources") | {"views_equal": self.views_equal, "well": self.well}


@dataclass(frozen=True, slots=True)
class Skipped:
    kind: str
    why: str


def run(
    folder: Path, kills: int, seed: int = 0, only: Collection[str] = (), tell: Tell = lambda text: None
) -> tuple[list[Crash], list[Skipped]]:
    """So many faults, kind after kind, of the named kinds if any are; and what cannot be tried here."""
    chance = random.Random(seed)
    folder = folder.absolute()  # the project's settings are read from elsewhere
    with set_up(folder) as laboratory:
        targets = write_project(folder / "project", laboratory)
        skipped = [Skipped(kind, why) for kind, why in laboratory.missing.items()]
        for kind in skipped:
            tell(f"skipped: {kind.kind}: {kind.why}")
        kinds = [kind for kind in KINDS if kind not in laboratory.missing and (kind in only or not only)]
        if not kinds:
            return [], skipped
        processes = Processes(folder / "project", folder, targets)
        project = open_project(str(processes.project))
        try:
            return list(_crashes(_Bench(project, processes, laboratory, chance), kinds, kills, tell)), skipped
        finally:
            processes.close()


@dataclass(frozen=True, slots=True)
class _Bench:
    project: Headwater
    processes: Processes
    laboratory: Laboratory
    chance: random.Random


def _crashes(bench: _Bench, kinds: list[str], kills: int, tell: Tell) -> Iterator[Crash]:
    project, processes = bench.project, bench.processes
    for table in processes.targets:
        if table != CAPTURED:
            project.ingest(table, [{"id": 0}])
    project.run_until_idle()  # whatever fails later, every view was computed once
    _pushed_since(project, processes, _seen(project))
    for number in range(1, kills + 1):
        kind = kinds[(number - 1) % len(kinds)]
        time.sleep(bench.chance.random() * 3)
        crash = _crash(bench, kind, number, _is_last(number, kinds, kills), at_the_end=number == kills)
        tell(
            f"{number}: {kind} ({crash.victim}), pushed beyond it after {crash.after_s:.1f} s, checked in"
            f" {crash.checked_s:.1f} s; {crash.sources.rows:,} rows, {'well' if crash.well else 'NOT WELL'}"
        )
        yield crash


def _is_last(number: int, kinds: Sequence[str], kills: int) -> bool:
    """Whether no later fault is of the same kind."""
    later = {kinds[after % len(kinds)] for after in range(number, kills)}
    return kinds[(number - 1) % len(kinds)] not in later


def _crash(bench: _Bench, kind: str, number: int, verify: bool, at_the_end: bool) -> Crash:
    project, processes = bench.project, bench.processes
    mark, begun = processes.said(), time.monotonic()
    victim = do(kind, processes, bench.laboratory, bench.chance)
    captured = told([processes.writer_log(CAPTURED)]).accepted  # must be in the views' next state
    seen = _seen(project)
    if at_the_end:
        processes.wait_for_stopped()
    stuck = not _pushed_since(project, processes, seen)
    pushed = time.monotonic()
    sources = check_sources(project, processes, captured)
    wrong = (*differing(project), *(_unverified(project) if verify else ()))
    checked = time.monotonic()
    said = processes.said_since(mark)
    return Crash(
        number, kind, victim, pushed - begun, checked - pushed, sources, wrong, verify, stuck, said
    )  # fmt: skip


def _unverified(project: Headwater) -> list[str]:
    return [view.view for view in project.verify() if view.not_compared or not view.equal]


def _seen(project: Headwater) -> dict[str, int]:
    """What each view must be pushed beyond: now, or its own time, where the clock has been ahead."""
    now = project.clock.now()
    return {view: max(now, time) for view, time in _times(project).items()}


def _pushed_since(project: Headwater, processes: Processes, seen: Mapping[str, int]) -> bool:
    """Wait until every view has been pushed beyond an instant. False if the run had to be ended for that.

    As long as any view moves on, nothing is stuck, however slow the machine is.
    """
    until = patience = time.monotonic()
    alone, reached = True, dict[str, int]()
    processes.start_missing()
    while _stands(times := _times(project), seen):
        processes.start_missing()
        if times != reached:
            reached, until, patience = times, time.monotonic() + RECOVERY_S, time.monotonic() + PATIENCE_S
        if alone and time.monotonic() > patience:
            processes.kill("run")
            alone = False
        if time.monotonic() > until:
            raise RuntimeError(f"views are not pushed within {RECOVERY_S} s: {processes.said_since(0)}")
        time.sleep(0.2)
    return alone


def _stands(times: Mapping[str, int], seen: Mapping[str, int]) -> bool:
    """Whether any view is no further than it was seen."""
    return any(reached <= seen[view] for view, reached in times.items())


def _times(project: Headwater) -> dict[str, int]:
    return {view: _time(project, view) for view in project.catalog.kept}


def _time(project: Headwater, view: str) -> int:
    timeline = project.warehouse.stage(project.catalog.folder(view))
    try:
        return timeline.time()
    except HeadwaterError:  # its folder is being made anew
        return 0
