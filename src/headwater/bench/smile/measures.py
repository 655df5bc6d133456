"""What a run was like, from its own audit: the `audit` and `pushes` tables, for a window of time.

violation        a snapshot (every 5 s) in which a view is staler than promised
sharing-hour     one view kept for an hour: 25 views for 12 minutes are five
before, after    a view's staleness when a push ends, without and with it (Figure 7)
tuples moved     rows written by pushes, those of shared stages too, per snapshot (Figure 6, right)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from headwater.api import Headwater
from headwater.storage.journal import AUDIT, PUSHES, read_rows

__all__ = ["Journals", "ViewMeasure", "journals", "measure_view", "prediction_error", "tuples_per_snapshot"]

Row = Mapping[str, Any]
SNAPSHOT_S = 5.0


@dataclass(frozen=True, slots=True)
class Journals:
    """Audit and pushes of a run, oldest first; `start` and `end` (seconds) bound what is measured."""

    audit: Sequence[Row]
    pushes: Sequence[Row]
    start: float
    end: float

    def measured(self, rows: Sequence[Row]) -> list[Row]:
        return [one for one in rows if self.start * 1e6 <= one["at"] <= self.end * 1e6]

    @property
    def hours(self) -> float:
        return (self.end - self.start) / 3600


@dataclass(frozen=True, slots=True)
class ViewMeasure:
    name: str
    freshness_s: float
    snapshots: int
    violations: int
    worst_staleness_s: float
    mean_staleness_s: float
    pushes: int
    push_s: float  # median
    before_s: float  # median staleness when a push ends, without it
    after_s: float  # and with it
    advanced_s: float  # how much time a push covers, median
    rows_moved: int
    cpu_seconds: float
    dollars: float


def journals(project: Headwater, since: float, start: float, end: float) -> Journals:
    """Everything since an instant (seconds)."""
    warehouse, at = project.warehouse, int(since * 1e6)
    audit = read_rows(warehouse.system("audit"), AUDIT, at).to_pylist()
    pushes = read_rows(warehouse.system("pushes"), PUSHES, at).to_pylist()
    return Journals(audit, pushes, start, end)


def own_pushes(name: str, pushes: Sequence[Row]) -> list[Row]:
    """Pushes that brought a view itself forward with something in them."""
    return [
        one
        for one in pushes
        if one["stage"] == name and not one["error"] and one["mode"] not in ("empty", "failed")
    ]


def measure_view(name: str, found: Journals) -> ViewMeasure:
    audit = [one for one in found.measured(found.audit) if one["view"] == name]
    pushes = own_pushes(name, found.measured(found.pushes))
    stale = [one["staleness_s"] for one in audit if one["staleness_s"] is not None]
    return ViewMeasure(
        name,
        audit[-1]["freshness_s"] if audit else 0.0,
        len(audit),
        sum(bool(one["violated"]) for one in audit),
        max(stale, default=0.0),
        fmean(stale) if stale else 0.0,
        len(pushes),
        _middle([one["seconds"] for one in pushes]),
        _middle([(one["at"] - one["after"]) / 1e6 for one in pushes]),
        _middle([(one["at"] - one["until"]) / 1e6 for one in pushes]),
        _middle([(one["until"] - one["after"]) / 1e6 for one in pushes]),
        sum(one["rows_moved"] for one in audit),
        sum(one["cpu_seconds"] for one in audit),
        sum(one["dollars"] for one in audit),
    )


def tuples_per_snapshot(found: Journals) -> list[tuple[float, int]]:
    """Rows written by pushes in each five seconds: (seconds since the start, rows)."""
    count = max(1, int((found.end - found.start) / SNAPSHOT_S + 0.999))
    totals = [0] * count
    for one in found.measured(found.pushes):
        place = int((one["at"] / 1e6 - found.start) / SNAPSHOT_S)
        totals[min(place, count - 1)] += one["result_rows"]
    return [(number * SNAPSHOT_S, rows) for number, rows in enumerate(totals)]


def prediction_error(pushes: Sequence[Row], skip: int = 10) -> tuple[float | None, int]:
    """The median relative error of predicted push durations after each stage's first ones; how many."""
    seen: dict[str, int] = {}
    errors = []
    for one in pushes:
        if one["mode"] != "incremental" or one["error"] or one["seconds"] <= 0:
            continue
        seen[one["stage"]] = seen.get(one["stage"], 0) + 1
        if seen[one["stage"]] > skip:
            errors.append(abs(one["predicted_seconds"] - one["seconds"]) / one["seconds"])
    return (median(errors) if errors else None), len(errors)


def _middle(values: Sequence[float]) -> float:
    return median(values) if values else 0.0
