"""A run: captures, executor and auditor together, from start to a clean stop.

Stopping (Ctrl-C, --for, --until-idle) lets the pushes under way end, writes a last snapshot and leaves.  A
run that is killed leaves nothing to clean up: everything it had committed is in the Delta logs.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from pyspark.sql.streaming.query import StreamingQuery

from headwater.capture.polling import Capture
from headwater.capture.source import captures
from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.agents import site_agents
from headwater.engine.auditor import Auditor, Snapshot
from headwater.engine.compaction import compact_some, vacuum_all
from headwater.engine.executor import Executor
from headwater.engine.learnt import learnt
from headwater.engine.push import Pushing
from headwater.engine.reloading import Make, Reloading, difference
from headwater.engine.sites import Sites
from headwater.engine.streams import start_stream
from headwater.errors import HeadwaterError
from headwater.storage.delta_log import BEGINNING
from headwater.storage.dropped import mark_dropped, note_shared, sweep_dropped, sweep_shared, unmark
from headwater.storage.run_lock import run_lock
from headwater.storage.site_health import write_health
from headwater.storage.timeline import check_readable
from headwater.storage.warehouse import Warehouse

__all__ = ["Progress", "Run", "run"]

SNAPSHOT_EVERY = timedelta(seconds=5)
COMPACT_EVERY = timedelta(seconds=10)
RELOAD_EVERY = timedelta(seconds=1)
VACUUM_EVERY = timedelta(hours=1)
POLL_EVERY = timedelta(milliseconds=400)
SHOW_EVERY = timedelta(seconds=1)
STEP_EVERY = timedelta(milliseconds=50)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run tells whoever watches it, every second or so."""

    at: int
    views: Sequence[Snapshot]
    pushes: dict[str, int]
    violations: dict[str, int]
    errors: dict[str, str]
    captured: dict[str, int]
    waiting: str = ""
    notes: Sequence[str] = ()  # what happened to the project while it ran, oldest first


@dataclass(slots=True)
class Run:
    catalog: Catalog
    warehouse: Warehouse
    clock: Clock
    executor: Executor
    auditor: Auditor
    captures: list[Capture]
    stop: threading.Event = field(default_factory=threading.Event)
    captured: dict[str, int] = field(default_factory=dict)
    capture_errors: dict[str, str] = field(default_factory=dict)
    behind: dict[str, bool] = field(default_factory=dict)
    streams: list[StreamingQuery] = field(default_factory=list)
    chore_errors: dict[str, str] = field(default_factory=dict)
    reloading: Reloading | None = None
    notes: list[str] = field(default_factory=list)

    def adopt(self, catalog: Catalog) -> bool:
        """Keep another catalog's views from now on. False: a view that goes is being pushed, call again."""
        if not self.executor.adopt(catalog):
            return False
        if told := difference(self.catalog, catalog):
            self.notes.append(told)
        used = set(catalog.folders().values())
        for name, kept in self.catalog.shared.items():
            if gone := {self.catalog.folder(stage.name) for stage in kept.stages} - used:
                mark_dropped(self.warehouse, name, gone)
        note_shared(self.warehouse, _shared_folders(catalog))
        self.auditor.adopt(catalog)
        self.catalog = catalog
        return True

    def _adopt_found(self) -> None:
        """Between two steps: take over what the project's files say now, if it can be."""
        reloading = self.reloading
        if reloading is not None and (found := reloading.found) is not None and self.adopt(found):
            reloading.done()

    def _reload(self) -> None:
        """Look at the project's files; remove what dropped views had stored."""
        catalogs = [self.catalog]
        if self.reloading is not None:
            self.reloading.look(self.catalog)
            catalogs += [self.reloading.found] if self.reloading.found is not None else []
        used = {folder for one in catalogs for folder in one.folders().values()}
        sweep_dropped(self.warehouse, used, {name for one in catalogs for name in one.kept})

    def poll(self, capture: Capture) -> None:
        """Take in what a capture has, and move its watermarks on."""
        polled = capture.poll()
        name = ", ".join(capture.tables)
        self.behind[name] = polled.behind
        self.captured[name] = self.captured.get(name, 0) + polled.changes
        if polled.error is not None:
            self.capture_errors[name] = polled.error.message
        else:
            self.capture_errors.pop(name, None)
        for table in capture.tables:
            known = self.executor.watermarks.get(table, 0)
            self.executor.watermarks[table] = max(known, polled.watermark)

    def poll_forever(self, capture: Capture) -> None:
        while not self.stop.is_set():
            before = sum(self.captured.values())
            try:
                self.poll(capture)
            except Exception as error:  # noqa: BLE001 - shown with the run; the next poll tries again
                self.capture_errors[", ".join(capture.tables)] = f"{type(error).__name__}: {error}"
                self.clock.sleep(timedelta(seconds=1))
            if sum(self.captured.values()) == before or not self.behind.get(", ".join(capture.tables)):
                self.clock.sleep(POLL_EVERY)

    def progress(self) -> Progress:
        errors = {name: one.error for name, one in self.executor.states.items() if one.error}
        for stream in self.streams:
            failure = stream.exception()
            if failure is not None:
                errors[stream.name or "stream"] = str(failure).splitlines()[0]
        return Progress(
            self.clock.now(),
            self.auditor.look(),
            {name: one.pushes for name, one in self.executor.states.items()},
            dict(self.auditor.violations),
            errors | self.capture_errors | self.chore_errors | self._file_errors() | self._silent_sites(),
            dict(self.captured),
            notes=tuple(self.notes),
        )

    def _file_errors(self) -> dict[str, str]:
        problem = self.reloading.problem if self.reloading is not None else ""
        return {"project files": problem} if problem else {}

    def _silent_sites(self) -> dict[str, str]:
        agents = self.executor.agents
        silent = {} if agents is None else agents.silent()
        return {f"site {name}": f"does not answer: {one.error}" for name, one in silent.items()}

    def _write_health(self) -> None:
        if self.executor.agents is not None and len(self.catalog.project.sites) > 1:
            write_health(self.warehouse.root, self.executor.agents.health(), self.clock.now())

    def keep(self, until: int | None, show: Callable[[Progress], None] | None = None) -> None:
        """Keep the views until told to stop, or until an instant."""
        threads = [
            threading.Thread(target=self.poll_forever, args=(one,), daemon=True) for one in self.captures
        ]
        housekeeping = threading.Thread(target=self._keep_house, daemon=True)
        for thread in (*threads, housekeeping):
            thread.start()
        shown = 0
        try:
            while not self.stop.is_set() and (until is None or self.clock.now() < until):
                self._do("adoption", self._adopt_found)
                self.executor.step()
                now = self.clock.now()
                if show is not None and now - shown >= micros(SHOW_EVERY):
                    shown = now
                    show(self.progress())
                self.clock.sleep(STEP_EVERY)
        finally:
            self.stop.set()
            for thread in threads:
                thread.join(timeout=5)
            self._do("audit", self.auditor.snapshot)
            self.executor.close()
            housekeeping.join(timeout=60)
            self.auditor.snapshot(promised=False)

    def _keep_house(self) -> None:
        """Snapshots every five seconds; compaction and vacuum off the critical path."""
        chores: dict[str, tuple[timedelta, Callable[[], object]]] = {
            "audit": (SNAPSHOT_EVERY, self.auditor.snapshot),
            "sites": (SNAPSHOT_EVERY, self._write_health),
            "project files": (RELOAD_EVERY, self._reload),
            "compaction": (COMPACT_EVERY, lambda: compact_some(self.executor)),
            "republishing": (COMPACT_EVERY, self.executor.republish_some),
            "vacuum": (VACUUM_EVERY, lambda: vacuum_all(self.executor)),
        }
        done = dict.fromkeys(chores, self.clock.now())
        while not self.stop.wait(0.1):
            for name, (every, chore) in chores.items():
                if self.clock.now() - done[name] >= micros(every):
                    done[name] = self.clock.now()
                    self._do(name, chore)

    def _do(self, name: str, chore: Callable[[], object]) -> None:
        """A chore that fails is shown and done again when it is due again; the run goes on."""
        try:
            chore()
        except Exception as error:  # noqa: BLE001 - shown with the run
            self.chore_errors[name] = f"{type(error).__name__}: {error}"
        else:
            self.chore_errors.pop(name, None)

    def until_idle(self, show: Callable[[Progress], None] | None = None) -> None:
        """Apply all that can be captured now, then return."""
        for stream in self.streams:
            stream.processAllAvailable()
        while not self.stop.is_set():
            for capture in self.captures:
                self.poll(capture)
            self._raise_capture_errors()
            if not any(self.behind.values()):
                break
            self.clock.sleep(timedelta(milliseconds=20))
        failed = self._push_everything(show)
        self._do("compaction", lambda: compact_some(self.executor))
        self._do("republishing", lambda: self.executor.republish_some(at_once=True))
        self.executor.close()
        self.auditor.snapshot(promised=False)
        if failed:
            raise HeadwaterError(
                "HW832",
                f"{len(failed)} of {len(self.catalog.kept)} views could not be pushed",
                detail="; ".join(f"{name}: {text}" for name, text in failed.items()),
                hint="The others are up to date. `headwater status` shows every view.",
            )

    def _push_everything(self, show: Callable[[Progress], None] | None) -> dict[str, str]:
        """All views together if all are computed already, else one by one; which failed, and why.

        All go to one time, even one by one: what they share cannot be ahead of any of them.
        """
        failed: dict[str, str] = {}
        names = list(self.catalog.kept)
        until = min(self.executor.captured(names).values(), default=None)
        known = all(self.executor.time_of(name) != BEGINNING for name in names)
        for group in [names] if known and names else [[name] for name in names]:
            if self.stop.is_set():
                break
            try:
                self.executor.push_all(group, until)
            except Exception as error:  # noqa: BLE001 - the other views go on; raised by the caller
                failed |= self._push_apart(group, error, until)
            if show is not None:
                show(self.progress())
        return failed

    def _push_apart(self, names: Sequence[str], error: Exception, until: int | None) -> dict[str, str]:
        """After a common push failed: which view it was."""
        if len(names) == 1:
            return {names[0]: f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"}
        failed: dict[str, str] = {}
        for name in names:
            try:
                self.executor.push_all([name], until)
            except Exception as own:  # noqa: BLE001 - raised by the caller
                failed |= self._push_apart([name], own, until)
        return failed

    def _raise_capture_errors(self) -> None:
        for name, message in self.capture_errors.items():
            raise HeadwaterError("HW831", f"the capture of {name} failed: {message}")


def _shared_folders(catalog: Catalog) -> dict[str, str]:
    """The folders of what views share, and the site of each."""
    stages = (stage.name for kept in catalog.shared.values() for stage in kept.stages)
    return {catalog.folder(name): catalog.site_of(name) for name in stages}


@contextmanager
def run(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    files: str = "",
    make: Make | None = None,
    sharing: bool = False,
) -> Iterator[Run]:
    """Everything a run needs, started; Spark and the captures are let go at the end.

    `files` is the fingerprint of the files that the catalog was made from: later ones are taken over, by
    `make`.  If the catalog says all that is shared (`sharing`), what earlier runs shared besides is removed:
    views were dropped while none ran, or there is another plan.
    """
    check_readable(warehouse.root)
    project = catalog.project
    with run_lock(warehouse.root, clock.now()):
        reloading = Reloading.of(catalog, files) if make is None else Reloading.of(catalog, files, make)
        unmark(warehouse, catalog.folders().values(), catalog.kept)
        if sharing:
            roots = {name: site.storage for name, site in project.sites.items()}
            sweep_shared(warehouse, _shared_folders(catalog), roots, set(catalog.folders().values()))
        sources = captures(project, warehouse, clock)
        sites = Sites(project, warehouse.spark_log())
        spark = sites.spark()
        agents = site_agents(sites, {name: one.storage for name, one in project.sites.items()}, clock)
        for root in {warehouse.root, *(one.storage for one in project.sites.values())}:
            shutil.rmtree(warehouse.staging(root), ignore_errors=True)
        executor = Executor(Pushing(spark, warehouse, catalog, sites), clock, agents)
        executor.foresight.start_from(learnt(warehouse))
        auditor = Auditor(catalog, warehouse, clock, clock.now(), executor.drain)
        one = Run(catalog, warehouse, clock, executor, auditor, sources, reloading=reloading)
        streams: list[StreamingQuery] = []
        try:
            fed = [table for table in project.tables.values() if table.provider == "stream"]
            streams.extend(
                start_stream(spark, warehouse, table, clock, tables=project.tables) for table in fed
            )
            one.streams = streams
            agents.start()
            one._write_health()  # what an earlier run said of the sites no longer counts
            yield one
        finally:
            one.stop.set()
            agents.stop()
            for stream in streams:
                stream.stop()
            for capture in sources:
                capture.close()
            sites.close()
