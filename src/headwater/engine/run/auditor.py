"""The auditor: what the views' staleness really is, measured apart from whoever keeps them.

It reads each view's time from its Delta log, as any outsider could, and asks the clock; it does not ask the
executor.  Every snapshot is a row of the audit table; what the bill needs besides (who owns a view, where it
is, what it stores, what a late row costs) stands there too, so that a bill needs no other table.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.push.record import PushRecord
from headwater.engine.run.process_cpu import ProcessCpu
from headwater.planning.cost.billing import late_rows, served
from headwater.storage.delta.delta_log import BEGINNING, DataFile, DeltaLog
from headwater.storage.records.journal import AUDIT, PROCESS_CPU, PUSHES, append_rows
from headwater.storage.warehouse import Warehouse
from headwater.units import SECOND

__all__ = ["Auditor", "Snapshot", "dollars"]

logger = logging.getLogger(__name__)

CPU_EVERY = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One view at one instant. `time` is None before its first push."""

    view: str
    at: int
    time: int | None
    staleness_s: float | None
    freshness_s: float
    violated: bool
    rows: int
    owed_s: float = 0.0  # of the staleness, what counts against the freshness: since the promise began


def dollars(cpu_seconds: float, core_hour: Decimal) -> float:
    return cpu_seconds / 3600 * float(core_hour)


@dataclass(slots=True)
class Auditor:
    """Used by two threads, the run's loop and its housekeeping: what it remembers is changed under its
    lock."""

    catalog: Catalog
    warehouse: Warehouse
    clock: Clock
    started_at: int
    drain: Callable[[], list[PushRecord]]
    cpu: ProcessCpu = field(default_factory=ProcessCpu.begin)
    violations: dict[str, int] = field(default_factory=dict)
    # Views added while this runs, and since when they are promised: None before their first computation.
    owed: dict[str, int | None] = field(default_factory=dict)
    added: dict[str, int] = field(default_factory=dict)  # when they were
    # Up to which time a view was seen computed last, and when that was seen first.
    reached: dict[str, tuple[int, int]] = field(default_factory=dict)
    _stages: tuple[Catalog | None, list[tuple[str, list[str]]]] = (None, [])  # folders, for which views
    _cpu_at: int = 0  # when the processes' CPU was written last
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def adopt(self, catalog: Catalog) -> None:
        """Look at another catalog's views from now on. What is new is promised once it has been computed."""
        with self._lock:
            before = self.catalog.versions
            new = [name for name, version in catalog.versions.items() if before.get(name) != version]
            still = {name: since for name, since in self.owed.items() if name in catalog.kept}
            self.owed = still | dict.fromkeys(new)
            self.added |= dict.fromkeys(new, self.clock.now())
            self.catalog = catalog

    def owed_since(self, view: str) -> int | None:
        """Since when a view's freshness counts: a run owes nothing older than its own start."""
        return self.owed.get(view, self.started_at)

    def look(self) -> list[Snapshot]:
        """The staleness of every view, now."""
        now, catalog = self.clock.now(), self.catalog
        return [self._look_at(catalog, name, now) for name in catalog.kept]

    def _look_at(self, catalog: Catalog, view: str, now: int) -> Snapshot:
        time = self._time(catalog, view)
        with self._lock:
            if self.reached.get(view, (BEGINNING, 0))[0] != time:
                self.reached[view] = time, now
            if time != BEGINNING and self.owed_since(view) is None:
                self.owed[view] = now
            since = self.owed_since(view)
        freshness = catalog.project.views[view].freshness.total_seconds()
        begun = time if time != BEGINNING else self.added.get(view, self.started_at)
        staleness = (now - begun) / 1e6
        owed = 0.0 if since is None else (now - max(time, since)) / 1e6
        rows = sum(file.rows for file in _files(self.warehouse.published(view)))
        computed = None if time == BEGINNING else time
        return Snapshot(view, now, computed, staleness, freshness, owed > freshness, rows, owed)

    def _time(self, catalog: Catalog, view: str) -> int:
        """A view's time; the last one seen if its log cannot be read, so that its staleness goes on."""
        try:
            return self.warehouse.stage(catalog.folder(view)).time()
        except Exception:
            logger.warning("the log of view %s cannot be read", view, exc_info=True)
            return self.reached.get(view, (BEGINNING, 0))[0]

    def snapshot(self, promised: bool = True) -> list[Snapshot]:
        """Look, and write what was seen and what was pushed since the last time.

        Nothing is `promised` outside a run that keeps the views, so nothing is violated then.
        """
        catalog = self.catalog
        views = [view if promised else replace(view, violated=False) for view in self.look()]
        records = self.drain()
        now = self.clock.now()
        pushed = [record.row() | self._owed(catalog, record) for record in records]
        append_rows(self.warehouse.system("pushes"), PUSHES, pushed, now)
        for view in views:
            self.violations[view.view] = self.violations.get(view.view, 0) + view.violated
        stored = dict(self._stored(catalog))
        rows = [_audited(catalog, view, records, stored[view.view]) for view in views if view.view in stored]
        append_rows(self.warehouse.system("audit"), AUDIT, rows, now)
        if now - self._cpu_at >= CPU_EVERY or not promised:
            self._write_cpu(now)
        return views

    def _write_cpu(self, now: int) -> None:
        """What the run's processes have used since the last time, pushes included."""
        self._cpu_at = now
        rows = [
            {"at": now, "process": process, "cpu_seconds": seconds}
            for process, seconds in self.cpu.spent().items()
        ]
        append_rows(self.warehouse.system("process_cpu"), PROCESS_CPU, rows, now)

    def _owed(self, catalog: Catalog, record: PushRecord) -> dict[str, float | None]:
        """What a push's late rows cost: how many there are, and the penalty of each."""
        view = catalog.project.views.get(record.view)
        penalty = None if view is None else float(view.penalty)
        return {"late_rows": self._late(catalog, record), "penalty": penalty}

    def _late(self, catalog: Catalog, record: PushRecord) -> int:
        """The rows of a push that reached their view later than promised."""
        view, since = catalog.project.views.get(record.view), self.owed_since(record.view)
        if view is None or since is None or record.stage != record.view or record.error:
            return 0
        # A push is recorded when its whole action is done: the view may have been seen ahead before.
        time, seen_at = self.reached.get(record.view, (BEGINNING, 0))
        at = min(record.at, seen_at) if time >= record.until else record.at
        return late_rows(record.result_rows, record.after, record.until, at, micros(view.freshness), since)

    def _stored(self, catalog: Catalog) -> Iterator[tuple[str, int]]:
        """The bytes of each view; those of a stage that several views need are split among them."""
        if self._stages[0] is not catalog:
            self._stages = (
                catalog,
                [
                    (catalog.folder(stage.name), sorted(catalog.serves(stage.name)))
                    for _, stage in catalog.stages()
                ],
            )
        stored = {name: _bytes(self.warehouse.published(name)) for name in catalog.kept}
        for folder, views in self._stages[1]:
            size = _bytes(self.warehouse.stage(folder).log)
            for view in views:
                stored[view] += size // len(views)
        yield from stored.items()


def _bytes(log: DeltaLog) -> int:
    return sum(file.size for file in _files(log))


def _files(log: DeltaLog) -> tuple[DataFile, ...]:
    """The files of a table, as far as its log can be read."""
    try:
        return log.snapshot().files if log.exists() else ()
    except Exception:
        logger.warning("the log of %s cannot be read", log.path, exc_info=True)
        return ()


def _audited(
    catalog: Catalog, snapshot: Snapshot, records: list[PushRecord], stored_bytes: int
) -> dict[str, Any]:
    """A row of the audit: what was seen of a view, and what was pushed for it since the last time."""
    view = catalog.project.views[snapshot.view]
    shares = [(record, len(views)) for record in records if view.name in (views := _served(record))]
    done = [(record, views) for record, views in shares if not record.error]
    cpu = sum(record.cpu_seconds / views for record, views in shares)
    site = catalog.project.sites.get(view.site)
    prices = catalog.project.prices if site is None else site.prices
    return {
        "at": snapshot.at,
        "view": view.name,
        "time": snapshot.time,
        "staleness_s": snapshot.staleness_s,
        "freshness_s": snapshot.freshness_s,
        "violated": snapshot.violated,
        "rows": snapshot.rows,
        "pushes": sum(record.stage == view.name for record, _ in done),
        "rows_moved": round(sum(record.result_rows / views for record, views in done)),
        "cpu_seconds": cpu,
        "dollars": dollars(cpu, prices.core_hour),
        "owner": view.owner,
        "site": view.site,
        "penalty": float(view.penalty),
        "stored_bytes": stored_bytes,
    }


def _served(record: PushRecord) -> tuple[str, ...]:
    return served(record.view, record.serves)
