"""The state of a project: each view's staleness against its promise, and what it has cost.

Times come from the Delta logs, counts and dollars from the audit; so the answer is the same whether the run
is alive, stopped or was killed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.storage.delta_log import BEGINNING
from headwater.storage.journal import AUDIT, PUSHES, read_rows
from headwater.storage.run_lock import running
from headwater.storage.site_health import SiteHealth, read_health
from headwater.storage.warehouse import Warehouse

__all__ = ["LastPush", "SourceStatus", "Status", "ViewStatus", "status"]


@dataclass(frozen=True, slots=True)
class LastPush:
    """The newest push of a view that was not empty: how it was refreshed and why."""

    at: int
    mode: str
    reason: str
    changed_rows: int
    result_rows: int
    seconds: float
    predicted_seconds: float
    error: str


@dataclass(frozen=True, slots=True)
class ViewStatus:
    name: str
    time: int | None  # None: never computed
    staleness_s: float | None
    freshness_s: float
    violations: int
    rows: int
    pushes: int
    dollars: float
    cpu_seconds: float
    refresh: str  # "incremental" or "full"
    last_push: LastPush | None
    error: str
    site: str = "default"
    owner: str = ""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    name: str
    provider: str
    time: int | None
    changes: int


@dataclass(frozen=True, slots=True)
class Status:
    project: str
    at: int
    running: dict[str, Any] | None
    sources: tuple[SourceStatus, ...]
    views: tuple[ViewStatus, ...]
    sites: tuple[SiteHealth, ...] = ()  # as the run sees them now; none without a run


def status(catalog: Catalog, warehouse: Warehouse, clock: Clock) -> Status:
    now = clock.now()
    kept_by = running(warehouse.root)
    audit = read_rows(warehouse.system("audit"), AUDIT)
    pushes = read_rows(warehouse.system("pushes"), PUSHES)
    return Status(
        catalog.project.name,
        now,
        kept_by,
        tuple(_source(warehouse, name, one.provider) for name, one in catalog.project.tables.items()),
        tuple(_view(catalog, warehouse, name, now, audit, pushes) for name in catalog.kept),
        _sites(warehouse) if kept_by is not None else (),
    )


def _sites(warehouse: Warehouse) -> tuple[SiteHealth, ...]:
    found = read_health(warehouse.root)
    return () if found is None else tuple(found[1].values())


def _source(warehouse: Warehouse, name: str, provider: str) -> SourceStatus:
    timeline = warehouse.source(name)
    if not timeline.exists():
        return SourceStatus(name, provider, None, 0)
    snapshot = timeline.snapshot()
    return SourceStatus(name, provider, snapshot.time or None, snapshot.rows)


def _view(
    catalog: Catalog, warehouse: Warehouse, name: str, now: int, audit: pa.Table, pushes: pa.Table
) -> ViewStatus:
    timeline = warehouse.stage(catalog.folder(name))
    time = timeline.time()
    mine = audit.filter(pc.equal(audit.column("view"), name))
    last = _last_push(pushes.filter(pc.equal(pushes.column("view"), name)))
    published = warehouse.published(name)
    return ViewStatus(
        name=name,
        time=time or None,
        staleness_s=None if time == BEGINNING else max(0, now - time) / 1e6,
        freshness_s=catalog.project.views[name].freshness.total_seconds(),
        violations=pc.sum(mine.column("violated")).as_py() or 0,
        rows=published.snapshot().rows if published.exists() else 0,
        pushes=pc.sum(mine.column("pushes")).as_py() or 0,
        dollars=pc.sum(mine.column("dollars")).as_py() or 0.0,
        cpu_seconds=pc.sum(mine.column("cpu_seconds")).as_py() or 0.0,
        refresh="full" if catalog.kept[name].obstacles else "incremental",
        last_push=last,
        error=last.error if last is not None else "",
        site=catalog.project.views[name].site,
        owner=catalog.project.views[name].owner,
    )


def _last_push(pushes: pa.Table) -> LastPush | None:
    """The newest one that did something; a failure counts only if nothing succeeded since."""
    if pushes.num_rows == 0:
        return None
    newest = pushes.slice(pushes.num_rows - 1).to_pylist()[0]
    telling = pushes.filter(pc.not_equal(pushes.column("mode"), "empty"))
    row = (
        newest
        if newest["error"] or telling.num_rows == 0
        else telling.slice(telling.num_rows - 1).to_pylist()[0]
    )
    if row["error"] and not newest["error"]:
        row = newest
    return LastPush(
        row["at"], row["mode"], row["reason"], row["changed_rows"], row["result_rows"], row["seconds"],
        row["predicted_seconds"], row["error"],
    )  # fmt: skip
