"""The auditor: what the views' staleness really is, measured apart from whoever keeps them.

It reads each view's time from its Delta log, as any outsider could, and asks the clock; it does not ask the
executor.  Every snapshot is a row of the audit table; what the bill needs besides (who owns a view, where it
is, what it stores, what a late row costs) stands there too, so that a bill needs no other table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.record import PushRecord
from headwater.sharing.billing import late_rows, served
from headwater.storage.delta_log import BEGINNING, DeltaLog
from headwater.storage.journal import AUDIT, PUSHES, append_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Auditor", "Snapshot", "dollars"]


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


def dollars(cpu_seconds: float, core_hour: Decimal) -> float:
    return cpu_seconds / 3600 * float(core_hour)


@dataclass(slots=True)
class Auditor:
    catalog: Catalog
    warehouse: Warehouse
    clock: Clock
    started_at: int
    drain: Callable[[], list[PushRecord]]
    violations: dict[str, int] = field(default_factory=dict)
    # Views added while this runs, and since when they are promised: None before their first computation.
    owed: dict[str, int | None] = field(default_factory=dict)
    _needed: tuple[Catalog | None, list[tuple[str, list[str]]]] = (None, [])  # stages, for whom

    # Up to which time a view was seen computed last, and when that was seen first.
    reached: dict[str, tuple[int, int]] = field(default_factory=dict)

    def adopt(self, catalog: Catalog) -> None:
        """Look at another catalog's views from now on. What is new is promised once it has been computed."""
        before = self.catalog.versions
        fresh = [name for name, version in catalog.versions.items() if before.get(name) != version]
        kept = {name: since for name, since in self.owed.items() if name in catalog.kept}
        self.owed = kept | dict.fromkeys(fresh)
        self.catalog = catalog

    def owed_since(self, view: str) -> int | None:
        """Since when a view's freshness counts: a run owes nothing older than its own start."""
        return self.owed.get(view, self.started_at)

    def look(self) -> list[Snapshot]:
        """The staleness of every view, now."""
        now, catalog = self.clock.now(), self.catalog
        return [self._look_at(catalog, name, now) for name in catalog.kept]

    def _look_at(self, catalog: Catalog, view: str, now: int) -> Snapshot:
        timeline = self.warehouse.stage(catalog.folder(view))
        time = timeline.time()
        if self.reached.get(view, (BEGINNING, 0))[0] != time:
            self.reached[view] = time, now
        if time != BEGINNING and self.owed_since(view) is None:
            self.owed[view] = now
        since = self.owed_since(view)
        freshness = catalog.project.views[view].freshness.total_seconds()
        staleness = (now - (time if time != BEGINNING else self.started_at)) / 1e6
        late = since is not None and (now - max(time, since)) / 1e6 > freshness
        published = self.warehouse.published(view)
        rows = published.snapshot().rows if published.exists() else 0
        known = None if time == BEGINNING else time
        return Snapshot(view, now, known, staleness, freshness, late, rows)

    def snapshot(self, promised: bool = True) -> list[Snapshot]:
        """Look, and write what was seen and what was pushed since the last time.

        Nothing is `promised` outside a run that keeps the views, so nothing is violated then.
        """
        catalog = self.catalog
        seen = [one if promised else replace(one, violated=False) for one in self.look()]
        records = self.drain()
        now = self.clock.now()
        pushed = [one.row() | {"late_rows": self._late(catalog, one)} for one in records]
        append_rows(self.warehouse.system("pushes"), PUSHES, pushed, now)
        for one in seen:
            self.violations[one.view] = self.violations.get(one.view, 0) + one.violated
        stored = dict(self._stored(catalog))
        rows = [_audited(catalog, one, records, stored[one.view]) for one in seen if one.view in stored]
        append_rows(self.warehouse.system("audit"), AUDIT, rows, now)
        return seen

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
        if self._needed[0] is not catalog:
            self._needed = (
                catalog,
                [
                    (catalog.folder(stage.name), sorted(catalog.serves(stage.name)))
                    for _, stage in catalog.stages()
                ],
            )
        stored = {name: _bytes(self.warehouse.published(name)) for name in catalog.kept}
        for folder, views in self._needed[1]:
            size = _bytes(self.warehouse.stage(folder).log)
            for view in views:
                stored[view] += size // len(views)
        yield from stored.items()


def _bytes(log: DeltaLog) -> int:
    return sum(file.size for file in log.snapshot().files) if log.exists() else 0


def _audited(catalog: Catalog, one: Snapshot, records: list[PushRecord], stored_bytes: int) -> dict[str, Any]:
    """A row of the audit: what was seen of a view, and what was pushed for it since the last time."""
    view = catalog.project.views[one.view]
    mine = [(record, len(views)) for record in records if one.view in (views := _served(record))]
    done = [(record, views) for record, views in mine if not record.error]
    cpu = sum(record.cpu_seconds / views for record, views in mine)
    site = catalog.project.sites.get(view.site)
    prices = catalog.project.prices if site is None else site.prices
    return {
        "at": one.at,
        "view": one.view,
        "time": one.time,
        "staleness_s": one.staleness_s,
        "freshness_s": one.freshness_s,
        "violated": one.violated,
        "rows": one.rows,
        "pushes": sum(record.stage == one.view for record, _ in done),
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
