"""What a period was like, view by view, as the audit saw it: staleness against promise, pushes, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.catalog import Catalog
from headwater.model import View
from headwater.storage.records.by_view import cut_by_view
from headwater.storage.records.journal import AUDIT, read_rows
from headwater.storage.warehouse import Warehouse

COLUMNS = ("at", "view", "time", "staleness_s", "violated", "rows", "pushes", "cpu_seconds", "dollars")

__all__ = ["ViewPeriod", "period", "periods"]


@dataclass(frozen=True, slots=True)
class ViewPeriod:
    """A view over a period. Staleness is None if it was never seen computed."""

    name: str
    freshness_s: float
    worst_staleness_s: float | None
    mean_staleness_s: float | None
    rows: int
    pushes: int
    violations: int
    snapshots: int
    cpu_seconds: float
    dollars: float


def periods(catalog: Catalog, warehouse: Warehouse, since: int) -> tuple[ViewPeriod, ...]:
    """All views since an instant, in dependency order."""
    audit = cut_by_view(read_rows(warehouse.system("audit"), AUDIT, since, columns=COLUMNS))
    return tuple(
        period(view, audit[view.name].to_pylist() if view.name in audit else [])
        for view in (catalog.project.views[name] for name in catalog.kept)
    )


def period(view: View, snapshots: Sequence[Mapping[str, Any]]) -> ViewPeriod:
    """One view, by its rows of the audit, oldest first."""
    stale = [row["staleness_s"] for row in snapshots if row["time"] is not None]
    return ViewPeriod(
        name=view.name,
        freshness_s=view.freshness.total_seconds(),
        worst_staleness_s=max(stale, default=None),
        mean_staleness_s=sum(stale) / len(stale) if stale else None,
        rows=snapshots[-1]["rows"] if snapshots else 0,
        pushes=sum(row["pushes"] for row in snapshots),
        violations=sum(row["violated"] for row in snapshots),
        snapshots=len(snapshots),
        cpu_seconds=sum(row["cpu_seconds"] for row in snapshots),
        dollars=sum(row["dollars"] for row in snapshots),
    )
