"""Faults at random moments of a run with writers beside it; after each, everything is checked.

A run and a writer per table work on one project as processes of their own, and go on working while one of
them, or what it needs, fails.  Who died is started again.  Once every view has been pushed beyond the fault:

    what was accepted             is there, exactly once
    what was reported as failed   is not there
    anything else                 at most one batch of each writer that was killed in the middle of it
    views                         equal a recomputation, as of their times
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.crash.faults import KINDS, do
from headwater.bench.crash.laboratory import Laboratory, set_up
from headwater.bench.crash.processes import Processes
from headwater.bench.crash.project import CAPTURED, write_project
from headwater.bench.crash.writers import BATCH, GENERATION, told
from headwater.errors import HeadwaterError
from headwater.storage.zset import consolidate

__all__ = ["Crash", "Skipped", "run"]

RECOVERY_S = 600
PATIENCE_S = 150  # a run that neither ends nor pushes for so long is stuck: it is ended, and that is told
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Crash:
    """A fault and the state afterwards. `untold`: rows present that no writer saw accepted."""

    number: int
    kind: str
    victim: str
    after_s: float  # until every view had been pushed beyond it
    views_equal: bool
    lost: int
    doubled: int
    untold: int
    wrong_errors: int
    rows: int
    stuck: bool
    said: str

    @property
    def well(self) -> bool:
        return self.views_equal and not (self.lost or self.doubled or self.wrong_errors or self.stuck)


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
        try:
            return list(_crashes(processes, laboratory, kinds, kills, chance, tell)), skipped
        finally:
            processes.close()


def _crashes(
    processes: Processes,
    laboratory: Laboratory,
    kinds: list[str],
    kills: int,
    chance: random.Random,
    tell: Tell,
) -> Iterator[Crash]:
    project = open_project(str(processes.project))
    for table in processes.targets:
        if table != CAPTURED:
            project.ingest(table, [{"id": 0}])
    project.run_until_idle()  # whatever fails later, every view was computed once
    processes.start_missing()
    _pushed_since(project, processes, _seen(project))
    for number in range(1, kills + 1):
        kind = kinds[(number - 1) % len(kinds)]
        time.sleep(chance.random() * 3)
        crash = _crash(project, processes, laboratory, kind, number, chance)
        tell(
            f"{number}: {kind} ({crash.victim}), pushed beyond it after {crash.after_s:.1f} s;"
            f" {crash.rows:,} rows, {'well' if crash.well else 'NOT WELL'}"
        )
        yield crash


def _crash(
    project: Headwater,
    processes: Processes,
    laboratory: Laboratory,
    kind: str,
    number: int,
    chance: random.Random,
) -> Crash:
    mark, begun = processes.said(), time.monotonic()
    victim = do(kind, processes, laboratory, chance)
    captured = told([processes.writer_log(CAPTURED)]).accepted  # must be in the views' next state
    seen = _seen(project)
    processes.start_missing()
    stuck = not _pushed_since(project, processes, seen)
    after = time.monotonic() - begun
    lost, doubled, untold, wrong, rows = _sources(project, processes, captured)
    equal = all(view.equal and not view.not_compared for view in project.verify())
    said = processes.said_since(mark)
    return Crash(number, kind, victim, after, equal, lost, doubled, untold, wrong, rows, stuck, said)


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


def _sources(
    project: Headwater, processes: Processes, captured: frozenset[int]
) -> tuple[int, int, int, int, int]:
    """Lost, doubled, untold, wrongly reported, and all rows; the writers go on meanwhile.

    What is captured from PostgreSQL comes later than it is accepted there; `captured` must have come.
    """
    lost = doubled = untold = wrong = rows = 0
    for table in processes.targets:
        log = processes.writer_log(table)
        before = captured if table == CAPTURED else told([log]).accepted
        counts = _counts(project, table)
        after = told([log])
        lost += sum(counts[row_id] == 0 for row_id in before)
        doubled += sum(count > 1 for count in counts.values())
        by_writer = Counter(row_id // GENERATION for row_id in counts if row_id not in after.accepted)
        del by_writer[0]  # what was there before the writers
        untold += sum(by_writer.values())
        lost += sum(count > BATCH for count in by_writer.values())
        wrong += after.wrong_errors
        rows += len(counts)
    return lost, doubled, untold, wrong, rows


def _counts(project: Headwater, table: str) -> Counter[int]:
    timeline = project.warehouse.source(table)
    changes: pa.Table = consolidate(timeline.read(timeline.as_of(timeline.time()), ["id"]))
    ids, weights = changes.column("id").to_pylist(), changes.column("_weight").to_pylist()
    return Counter(dict(zip(ids, weights, strict=True)))
