"""The state of a project: each view's staleness against its promise, and what it has cost.

Times come from the Delta logs, counts and dollars from the audit; so the answer is the same whether the run
is alive, stopped or was killed.  Only the lag of replication slots is asked of their servers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.errors import HeadwaterError
from headwater.serve.reports.joins import JoinStatus, join_statuses
from headwater.serve.reports.sources import SourceStatus, source_statuses
from headwater.serve.reports.tables import TableStatus, stale_since, table_statuses
from headwater.serve.reports.trees import TreeStatus, tree_statuses
from headwater.serve.store.opening import open_store
from headwater.serve.store.rankings.record import REFRESHES, Refresh, refreshes
from headwater.storage.delta.damage import DAMAGED
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.records.hours import summed_up
from headwater.storage.records.journal import PUSHES, rows_by_file
from headwater.storage.records.last_pushes import last_pushes, stored_last_pushes
from headwater.storage.records.recorded import recorded_stretches
from headwater.storage.records.run_lock import running
from headwater.storage.records.site_health import SiteHealth, read_health
from headwater.storage.records.slot_lag import SlotLag
from headwater.storage.view_rows import count_view
from headwater.storage.warehouse import Warehouse

COUNTED = ("violated", "pushes", "dollars", "cpu_seconds")

__all__ = ["LastPush", "Status", "StoreStatus", "ViewStatus", "last_failure", "status"]


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
    staleness_s: float | None  # negative: its time is ahead of the clock, which was set back
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
    stalest_key_s: float | None = None  # of the update streams below it; None: it shows all that was there


@dataclass(frozen=True, slots=True)
class RankingStatus:
    """A query that is answered from a periodic refresh."""

    name: str
    time: int
    staleness_s: float
    refreshed_at: int
    seconds: float
    partitions: int
    rows_read: int  # by all partitions
    most_rows_read: int  # by one partition
    serial_bound: int  # that one partition may read
    places: int
    on_spark: bool


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The store of the project's queries."""

    time: int | None  # of the relation that is furthest behind; None: nothing is loaded
    staleness_s: float | None
    bytes: int
    relations: int
    parts: int  # tables, indexes and views that are complete
    rankings: tuple[RankingStatus, ...] = ()  # refreshed periodically
    error: str = ""  # why nothing is known of it


@dataclass(frozen=True, slots=True)
class Status:
    project: str
    at: int
    running: dict[str, Any] | None
    sources: tuple[SourceStatus, ...]
    views: tuple[ViewStatus, ...]
    slots: tuple[SlotLag, ...] = ()  # of the project's PostgreSQL databases
    sites: tuple[SiteHealth, ...] = ()  # as the run sees them now; none without a run
    tables: tuple[TableStatus, ...] = ()  # whose updates are chosen among
    joins: tuple[JoinStatus, ...] = ()  # that are adapted
    store: StoreStatus | None = None  # None: the project declares no query
    trees: tuple[TreeStatus, ...] = ()  # of woven views, in the last hour


def status(catalog: Catalog, warehouse: Warehouse, clock: Clock) -> Status:
    now = clock.now()
    kept_by = running(warehouse.root)
    totals, pushes = _totals(warehouse), _last_pushes(warehouse)
    damaged = _damaged_sources(catalog, warehouse)
    return Status(
        catalog.project.name,
        now,
        kept_by,
        source_statuses(catalog.project, warehouse, clock, kept_by is not None),
        tuple(
            _view(catalog, warehouse, name, now, totals.get(name, {}), pushes.get(name), damaged)
            for name in catalog.kept
        ),
        _slots(catalog, warehouse, clock),
        _sites(warehouse) if kept_by is not None else (),
        table_statuses(catalog, warehouse, now),
        join_statuses(catalog, warehouse, now),
        _store(catalog, now) if catalog.project.queries else None,
        tree_statuses(catalog, warehouse, now),
    )


def _store(catalog: Catalog, now: int) -> StoreStatus:
    """A store that cannot be read does not keep the views from being shown."""
    try:
        return _read_store(catalog, now)
    except HeadwaterError as error:
        return StoreStatus(None, None, 0, 0, 0, error=error.message)


def _read_store(catalog: Catalog, now: int) -> StoreStatus:
    store = open_store(catalog.project)
    store.know([REFRESHES])
    with store.snapshot() as snapshot:
        times, ready = snapshot.times(), snapshot.ready()
        rankings = tuple(_ranking(refresh, now) for refresh in refreshes(snapshot))
    time = min(times.values(), default=None)
    staleness = None if time is None else (now - time) / 1e6
    size = store.size()
    store.close()
    return StoreStatus(time, staleness, size, len(times), len(ready), rankings)


def _ranking(refresh: Refresh, now: int) -> RankingStatus:
    return RankingStatus(
        refresh.name, refresh.time, (now - refresh.time) / 1e6, refresh.at, refresh.seconds,
        refresh.partitions, refresh.rows, refresh.most, refresh.bound, refresh.places, refresh.on_spark,
    )  # fmt: skip


def _slots(catalog: Catalog, warehouse: Warehouse, clock: Clock) -> tuple[SlotLag, ...]:
    if all(table.provider != "postgres" for table in catalog.project.tables.values()):
        return ()
    from headwater.capture.postgres.lag import slot_lags

    return slot_lags(catalog.project, warehouse, clock)


def _sites(warehouse: Warehouse) -> tuple[SiteHealth, ...]:
    health = read_health(warehouse.root)
    return () if health is None else tuple(health[1].values())


def _view(
    catalog: Catalog,
    warehouse: Warehouse,
    name: str,
    now: int,
    totals: Mapping[str, float],
    last: LastPush | None,
    damaged: Set[str],
) -> ViewStatus:
    stored = _stored(catalog, warehouse, name, damaged)
    return ViewStatus(
        name=name,
        time=stored.time or None,
        staleness_s=None if stored.time == BEGINNING else (now - stored.time) / 1e6,
        freshness_s=catalog.project.views[name].freshness.total_seconds(),
        violations=int(totals.get("violated", 0)),
        rows=stored.rows,
        pushes=int(totals.get("pushes", 0)),
        dollars=totals.get("dollars", 0.0),
        cpu_seconds=totals.get("cpu_seconds", 0.0),
        refresh="full" if catalog.kept[name].obstacles else "incremental",
        last_push=last,
        error=stored.damage or (last.error if last is not None else ""),
        site=catalog.project.views[name].site,
        owner=catalog.project.views[name].owner,
        stalest_key_s=None if stored.since is None else (now - stored.since) / 1e6,
    )


class _Stored(NamedTuple):
    """What is stored of a view, as far as it can be read."""

    time: int = BEGINNING
    rows: int = 0
    since: int | None = None  # an update arrived that it does not show
    damage: str = ""


def _stored(catalog: Catalog, warehouse: Warehouse, view: str, damaged: Set[str]) -> _Stored:
    """A damaged table of one view does not keep the others from being shown."""
    timeline, time = warehouse.stage(catalog.folder(view)), BEGINNING
    try:
        time = timeline.time()
        since = stale_since(catalog, warehouse, view)
        rows = count_view(timeline, warehouse.published(view), catalog.description(view)) if time else 0
    except HeadwaterError as error:
        if error.code != DAMAGED:
            raise
        return _Stored(time, damage=f"{error.message} ({error.detail}); the next run computes it anew")
    below = min(catalog.sources(view) & damaged, default=None)
    stopped = "" if below is None else f"stopped: source {below} is damaged, restore it from a backup"
    return _Stored(time, rows, since, stopped)


def _damaged_sources(catalog: Catalog, warehouse: Warehouse) -> Set[str]:
    """Sources whose logs cannot be read: the views above them are not pushed."""
    damaged = set()
    for table in catalog.project.tables:
        try:
            warehouse.source(table).time()
        except HeadwaterError as error:
            if error.code != DAMAGED:
                raise
            damaged.add(table)
    return damaged


def last_failure(warehouse: Warehouse, view: str) -> str:
    """Why the last push of a view failed; "" if it did not."""
    last = _last_pushes(warehouse).get(view)
    return "" if last is None else last.error


def _totals(warehouse: Warehouse) -> dict[str, dict[str, float]]:
    """What the audit has counted for each view, as far back as it is kept."""
    totals: dict[str, dict[str, float]] = {}
    for table in recorded_stretches(warehouse):
        for view, *counts in zip(
            *(table.column(name).to_pylist() for name in ("view", *COUNTED)), strict=True
        ):
            sums = totals.setdefault(view, dict.fromkeys(COUNTED, 0))
            for name, count in zip(COUNTED, counts, strict=True):
                sums[name] += count or 0
    return totals


def _last_pushes(warehouse: Warehouse) -> dict[str, LastPush]:
    """Each view's last push: as kept when the hour began, and what came since."""
    kept = warehouse.system("last_pushes")
    since = rows_by_file(warehouse.system("pushes"), PUSHES, summed_up(kept))
    pushes = reduce(
        lambda last, rows: last_pushes(pa.concat_tables([last, rows])), since, stored_last_pushes(kept)
    )
    by_view: dict[str, list[dict[str, Any]]] = {}
    for row in pushes.to_pylist():
        by_view.setdefault(row["view"], []).append(row)
    return {view: _last_push(rows) for view, rows in by_view.items()}


def _last_push(pushes: Sequence[Mapping[str, Any]]) -> LastPush:
    """The newest one that did something; a failure counts only if nothing succeeded since."""
    newest = pushes[-1]
    telling = newest if newest["error"] else next((row for row in reversed(pushes) if _works(row)), newest)
    row = newest if telling["error"] and not newest["error"] else telling
    return LastPush(
        row["at"], row["mode"], row["reason"], row["changed_rows"], row["result_rows"], row["seconds"],
        row["predicted_seconds"], row["error"],
    )  # fmt: skip


def _works(push: Mapping[str, Any]) -> bool:
    return push["mode"] is not None and push["mode"] != "empty"
