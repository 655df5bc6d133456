"""A run: captures, loop, housekeeping and auditor together, from start to a clean stop.

    thread          turns                   owns
    the caller's    loop.py                 the executor's state, the catalog
    one a capture   capturing.py            its watermark and counters
    housekeeping    housekeeping.py         what was read of changed project files (reloading.py)
    slow chores     housekeeping.py         nothing: vacuum, and the upkeep of system tables
    sink            housekeeping.py         what the store of queries holds (push/sink.py)
    verifying       housekeeping.py         nothing: what is asked for from outside (verify_on_request.py)
    pushes          spark_runner.py         nothing: outcomes are collected by the loop

Stopping (Ctrl-C, --for, --until-idle) lets the pushes under way end, writes a last snapshot and leaves; after
Ctrl-C they have seconds for that (stopping.py).  A run that is killed leaves nothing to clean up: everything
it had committed is in the Delta logs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.capture.captures import captured_again
from headwater.capture.expiry import expire
from headwater.capture.intake.append import open_source
from headwater.capture.rejected import Rejected, RejectedRows
from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.run.auditor import Auditor
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.housekeeping import (
    COMPACT_EVERY,
    RELOAD_EVERY,
    REPLAN_EVERY,
    RETAIN_EVERY,
    REVIVE_EVERY,
    SINK_EVERY,
    SNAPSHOT_EVERY,
    SYSTEM_TABLES_EVERY,
    VACUUM_EVERY,
    VERIFY_EVERY,
    Chore,
    Housekeeping,
)
from headwater.engine.run.loop import Loop
from headwater.engine.run.progress import Progress
from headwater.engine.run.reloading import Reloading, difference, gained_columns
from headwater.engine.run.streaming import Streaming
from headwater.engine.upkeep.history import read_up_to
from headwater.engine.upkeep.verify_on_request import Verifier
from headwater.errors import InputError
from headwater.model import Project
from headwater.storage.choosing.left_behind import remove_left_behind
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.records.capture_health import CaptureHealth, read_captures, write_captures
from headwater.storage.records.dropped import mark_dropped, note_shared, sweep_dropped
from headwater.storage.records.run_lock import RunLock
from headwater.storage.records.site_health import write_health
from headwater.storage.records.system_tables import keep_system_tables
from headwater.storage.vacuum.in_use import InUse, in_use, storage_roots
from headwater.storage.vacuum.vacuum import Vacuum
from headwater.storage.warehouse import Warehouse

__all__ = ["Run", "shared_folders"]

POLLS_END_WITHIN = timedelta(seconds=2)  # a server that does not answer is waited for longer
CHORES_END_WITHIN = timedelta(seconds=10)


@dataclass(slots=True)
class Run:
    warehouse: Warehouse
    clock: Clock
    executor: Executor
    runner: SparkRunner
    auditor: Auditor
    captures: list[Capturing]
    reloading: Reloading
    stop: threading.Event = field(default_factory=threading.Event)
    streams: list[Streaming] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lock: RunLock | None = None  # that no other run keeps the project
    lost: InputError | None = field(default=None, init=False)  # that another one does after all
    rejected: RejectedRows = field(init=False)
    loop: Loop = field(init=False)
    housekeeping: Housekeeping = field(init=False)
    slow_housekeeping: Housekeeping = field(init=False)
    sinking: Housekeeping = field(init=False)
    verifying: Housekeeping = field(init=False)
    _ending: threading.Event = field(default_factory=threading.Event, init=False)
    _adopting: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self.rejected = RejectedRows(self.warehouse)
        self.reloading.prepare = self.add_columns
        self.loop = Loop(self.executor, self.captures, self.clock, self._adopt_waiting)
        self.housekeeping = Housekeeping(
            {
                "lock": Chore(SNAPSHOT_EVERY, self.keep_lock),
                "audit": Chore(SNAPSHOT_EVERY, self.auditor.snapshot),
                "sites": Chore(SNAPSHOT_EVERY, self.write_health),
                "captures": Chore(SNAPSHOT_EVERY, self.write_captures),
                "streams": Chore(REVIVE_EVERY, self.revive_streams),
                "project files": Chore(RELOAD_EVERY, self._reload),
                "replanning": Chore(REPLAN_EVERY, self.replan),
                "compaction": Chore(COMPACT_EVERY, self.runner.compact),
            },
            self.clock,
        )
        self.slow_housekeeping = Housekeeping(
            {
                "system tables": Chore(SYSTEM_TABLES_EVERY, self.keep_system_tables, at_start=True),
                "retention": Chore(RETAIN_EVERY, self.expire, at_start=True),
                "vacuum": Chore(VACUUM_EVERY, self.vacuum, at_start=True),
            },
            self.clock,
        )

        self.sinking = Housekeeping({"store": Chore(SINK_EVERY, self.keep_sink, at_start=True)}, self.clock)
        verifier = Verifier(
            self.runner.workplace, self.clock, lambda: bool(self.runner.under_way.now.views), self.rejected
        )
        self.verifying = Housekeeping({"verification": Chore(VERIFY_EVERY, verifier.look)}, self.clock)

    @property
    def _houses(self) -> tuple[Housekeeping, ...]:
        return self.housekeeping, self.slow_housekeeping, self.sinking, self.verifying

    @property
    def catalog(self) -> Catalog:
        return self.executor.catalog

    def keep(self, duration: timedelta | None = None, show: Callable[[Progress], None] | None = None) -> None:
        """Keep the views until told to stop, or for a while."""
        polling = [
            threading.Thread(target=capturing.poll_until, args=(self._ending,), daemon=True)
            for capturing in self.captures
        ]
        keeping_house = [
            threading.Thread(target=house.turn_until, args=(self._ending,), daemon=True)
            for house in self._houses
        ]
        for thread in (*polling, *keeping_house):
            thread.start()
        try:
            self.loop.keep(self.stop, duration, None if show is None else lambda: show(self.progress()))
        finally:
            self._ending.set()
            _join(polling, POLLS_END_WITHIN)
            self.loop.guard.do("audit", self.auditor.snapshot)
            self.loop.guard.do("captures", self.write_captures)
            self.executor.close()
            _join(keeping_house, CHORES_END_WITHIN)
            self.auditor.snapshot(promised=False)
        if self.lost is not None:
            raise self.lost

    def keep_lock(self) -> None:
        """Stop if somebody removed the lock's file, and another run has begun since."""
        try:
            if self.lock is not None:
                self.lock.keep(self.clock.now())
        except InputError as error:
            self.lost = error
            self.stop.set()

    def progress(self) -> Progress:
        states = self.executor.states
        for capturing in self.captures:
            while capturing.notes:
                self.notes.append(capturing.notes.popleft())
        rejected: dict[str, Rejected] = {}
        tables = self.catalog.project.tables
        self.loop.guard.do("dead letters", lambda: rejected.update(self.rejected.by_table(tables)))
        return Progress(
            self.clock.now(),
            self.auditor.look(),
            {name: state.pushes for name, state in states.items()},
            dict(self.auditor.violations),
            self._errors(),
            {capturing.name: capturing.changes for capturing in self.captures},
            rejected,
            pushing=frozenset(name for name, state in states.items() if state.running),
            notes=tuple(self.notes),
        )

    def _errors(self) -> dict[str, str]:
        """What is wrong just now, by what it is wrong with."""
        errors = {
            name: text
            for name, state in self.executor.states.items()
            if (text := state.error or state.plain.error)
        }
        errors |= {stream.table.name: stream.problem for stream in self.streams if stream.problem}
        errors |= {capturing.name: capturing.problem for capturing in self.captures if capturing.problem}
        for guard in (*(house.guard for house in self._houses), self.loop.guard):
            errors |= guard.errors
        if self.reloading.problem:
            errors["project files"] = self.reloading.problem
        agents = self.runner.agents
        silent = {} if agents is None else agents.silent()
        return errors | {f"site {name}": f"does not answer: {site.error}" for name, site in silent.items()}

    def keep_sink(self, settle: bool = False) -> None:
        """Let the sink follow the timelines up to what is captured."""
        self.runner.workplace.sink.keep(self.catalog, self.executor.watermarks, settle)

    def write_health(self) -> None:
        if self.runner.agents is not None and len(self.catalog.project.sites) > 1:
            write_health(self.warehouse.root, self.runner.agents.health(), self.clock.now())

    def write_captures(self) -> None:
        """Let other processes know what keeps captures from going on, if that has changed."""
        health = {
            table: capturing.health for capturing in self.captures for table in capturing.capture.tables
        } | {stream.table.name: CaptureHealth(stream.problem) for stream in self.streams}
        troubled = {table: capture for table, capture in health.items() if capture != CaptureHealth()}
        if troubled != read_captures(self.warehouse.root):
            write_captures(self.warehouse.root, troubled)

    def revive_streams(self) -> None:
        """Start the streams again that have failed."""
        for stream in self.streams:
            stream.revive()

    def keep_system_tables(self) -> None:
        keep_system_tables(self.warehouse, self.catalog.project.retention, self.clock.now())

    def expire(self) -> None:
        """Delete the rows of sources that are older than they retain."""
        for table in self.catalog.project.tables.values():
            expire(self.warehouse, table, self.clock, self._read_up_to)

    def _read_up_to(self, source: str) -> int:
        if self.runner.workplace.sink.read_up_to(source) is not None:
            return BEGINNING  # the store would not notice: rows stay as long as queries read them there
        return read_up_to(self.catalog, self.warehouse, source, self.clock.now())

    def vacuum(self) -> None:
        """Delete what nobody needs: this run holds the project's run lock."""
        project = self.catalog.project
        Vacuum(
            self.warehouse,
            storage_roots(project, self.warehouse),
            self._in_use,
            project.retention.reads,
            self.clock.now(),
            whole_tables=True,
        ).run()

    @contextmanager
    def _in_use(self) -> Iterator[InUse]:
        """What is in use; no other catalog is adopted meanwhile."""
        with self._adopting:
            waiting = self.reloading.waiting
            catalogs = [self.catalog] if waiting is None else [self.catalog, waiting]
            yield in_use(self.warehouse, catalogs)

    # The project's files

    def add_columns(self, project: Project) -> None:
        """Let sources have the columns that their tables have gained."""
        for name in self._gained(project):
            open_source(self.warehouse, project.tables[name])

    def _gained(self, project: Project) -> list[str]:
        before = self.catalog.project.tables
        return [name for name, table in project.tables.items() if gained_columns(before[name], table)]

    def _reload(self) -> None:
        """Look at the project's files; remove what dropped views had stored."""
        self.reloading.look(self.catalog)
        waiting = self.reloading.waiting
        catalogs = [self.catalog] if waiting is None else [self.catalog, waiting]
        used = {folder for catalog in catalogs for folder in catalog.folders().values()}
        sweep_dropped(self.warehouse, used, {name for catalog in catalogs for name in catalog.kept})

    def replan(self) -> None:
        """With `replan: auto`: take a new plan, if it saves enough; the next step adopts it."""
        if self.catalog.project.replans and self.reloading.replan(self.catalog):
            self.notes.append("planned anew, because that saves enough (replan: auto)")

    def _adopt_waiting(self) -> None:
        """Between two steps: keep what the project's files say now, if that can be done."""
        self.reloading.adopt_waiting(self.adopt)

    def adopt(self, catalog: Catalog) -> bool:
        """Keep another catalog's views from now on. False: a view that goes is being pushed, call again."""
        before, gained = self.catalog, self._gained(catalog.project)
        remove_left_behind(catalog, self.warehouse, used=set(before.folders().values()))
        with self._adopting:
            if not self.executor.adopt(catalog):
                return False
        self._capture_anew(catalog.project, set(gained))
        self.warehouse.lay_out((*catalog.project.tables, *catalog.kept), catalog.storage_roots())
        if note := difference(before, catalog):
            self.notes.append(note)
        used = set(catalog.folders().values())
        for name, kept in before.shared.items():
            if gone := {before.folder(stage.name) for stage in kept.stages} - used:
                mark_dropped(self.warehouse, name, gone)
        note_shared(self.warehouse, shared_folders(catalog))
        self.auditor.adopt(catalog)
        return True

    def _capture_anew(self, project: Project, gained: set[str]) -> None:
        """Capture tables that have gained columns as they are declared now."""
        for capturing in self.captures:
            if gained & {*capturing.capture.tables}:
                capturing.replacement = captured_again(project, self.warehouse, capturing.capture, self.clock)
        for stream in self.streams:
            if stream.table.name in gained:
                stream.restart(project.tables[stream.table.name])


def _join(threads: Iterable[threading.Thread], within: timedelta) -> None:
    """Wait for threads that were asked to stop; what takes longer ends with the process and loses nothing."""
    until = time.monotonic() + within.total_seconds()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


def shared_folders(catalog: Catalog) -> dict[str, str]:
    """The folders of what views share, and the site of each."""
    stages = (stage.name for kept in catalog.shared.values() for stage in kept.stages)
    return {catalog.folder(name): catalog.site_of(name) for name in stages}
