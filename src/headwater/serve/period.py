"""What a period was like, view by view, as the audit saw it: staleness against promise, pushes, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.catalog import Catalog
from headwater.storage.journal import AUDIT, read_rows
from headwater.storage.warehouse import Warehouse

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
    seen = read_rows(warehouse.system("audit"), AUDIT, since).to_pylist()
    return tuple(
        period(name, catalog.project.views[name].freshness.total_seconds(), seen) for name in catalog.kept
    )


def period(name: str, freshness_s: float, audit: Iterable[Mapping[str, Any]]) -> ViewPeriod:
    """One view, from rows of the audit."""
    mine = [row for row in audit if row["view"] == name]
    stale = [row["staleness_s"] for row in mine if row["time"] is not None]
    return ViewPeriod(
        name=name,
        freshness_s=freshness_s,
        worst_staleness_s=max(stale, default=None),
        mean_staleness_s=sum(stale) / len(stale) if stale else None,
        rows=mine[-1]["rows"] if mine else 0,
        pushes=sum(row["pushes"] for row in mine),
        violations=sum(row["violated"] for row in mine),
        snapshots=len(mine),
        cpu_seconds=sum(row["cpu_seconds"] for row in mine),
        dollars=sum(row["dollars"] for row in mine),
    )
