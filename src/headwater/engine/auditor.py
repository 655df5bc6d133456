"""The auditor: what the views' staleness really is, measured apart from whoever keeps them.

It reads each view's time from its Delta log, as any outsider could, and asks the clock; it does not ask the
executor.  Every snapshot is a row of the audit table, which is also the bill: CPU-seconds and their price.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.engine.record import PushRecord
from headwater.storage.delta_log import BEGINNING
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

    def look(self) -> list[Snapshot]:
        """The staleness of every view, now."""
        now = self.clock.now()
        return [self._look_at(name, now) for name in self.catalog.kept]

    def _look_at(self, view: str, now: int) -> Snapshot:
        timeline = self.warehouse.stage(self.catalog.folder(view))
        time = timeline.time() if timeline.exists() else BEGINNING
        freshness = self.catalog.project.views[view].freshness.total_seconds()
        staleness = (now - (time if time != BEGINNING else self.started_at)) / 1e6
        # While nothing ran, nothing was promised: a run owes nothing older than its own start.
        late = (now - max(time, self.started_at)) / 1e6 > freshness
        published = self.warehouse.published(view)
        rows = published.snapshot().rows if published.exists() else 0
        known = None if time == BEGINNING else time
        return Snapshot(view, now, known, staleness, freshness, late, rows)

    def snapshot(self, promised: bool = True) -> list[Snapshot]:
        """Look, and write what was seen and what was pushed since the last time.

        Nothing is `promised` outside a run that keeps the views, so nothing is violated then.
        """
        seen = [one if promised else replace(one, violated=False) for one in self.look()]
        records = self.drain()
        now = self.clock.now()
        append_rows(self.warehouse.system("pushes"), PUSHES, [one.row() for one in records], now)
        rows = []
        for one in seen:
            self.violations[one.view] = self.violations.get(one.view, 0) + one.violated
            mine = [record for record in records if record.view == one.view and not record.error]
            cpu = sum(record.cpu_seconds for record in records if record.view == one.view)
            rows.append(
                {
                    "at": one.at,
                    "view": one.view,
                    "time": one.time,
                    "staleness_s": one.staleness_s,
                    "freshness_s": one.freshness_s,
                    "violated": one.violated,
                    "rows": one.rows,
                    "pushes": sum(record.stage == one.view for record in mine),
                    "rows_moved": sum(record.result_rows for record in mine),
                    "cpu_seconds": cpu,
                    "dollars": dollars(cpu, self.catalog.project.prices.core_hour),
                }
            )
        append_rows(self.warehouse.system("audit"), AUDIT, rows, now)
        return seen
