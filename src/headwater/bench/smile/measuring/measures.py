"""What a run was like, from its own audit: the `audit` and `pushes` tables, for a window of time.

violation        a snapshot (every 5 s) in which a view is staler than promised
sharing-hour     a view kept for an hour: 25 views for 12 minutes are five
before, after    a view's staleness when a push ends, without and with it (Figure 7)
tuples moved     rows written by pushes, those of shared stages too, per snapshot (Figure 6, right)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from headwater.api import Headwater
from headwater.storage.records.journal import AUDIT, PUSHES, read_rows

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
        return [row for row in rows if self.start * 1e6 <= row["at"] <= self.end * 1e6]

    @property
    def hours(self) -> float:
        return (self.end - self.start) / 3600


@dataclass(frozen=True, slots=True)
class ViewMeasure:
    """The measurements of a view in the measured window."""

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
    """Pushes that advanced a view itself and changed something."""
    return [
        push
        for push in pushes
        if push["stage"] == name and not push["error"] and push["mode"] not in ("empty", "failed")
    ]


def measure_view(name: str, recorded: Journals) -> ViewMeasure:
    audit = [row for row in recorded.measured(recorded.audit) if row["view"] == name]
    pushes = own_pushes(name, recorded.measured(recorded.pushes))
    stale = [row["staleness_s"] for row in audit if row["staleness_s"] is not None]
    return ViewMeasure(
        name,
        audit[-1]["freshness_s"] if audit else 0.0,
        len(audit),
        sum(bool(row["violated"]) for row in audit),
        max(stale, default=0.0),
        fmean(stale) if stale else 0.0,
        len(pushes),
        _middle([push["seconds"] for push in pushes]),
        _middle([(push["at"] - push["after"]) / 1e6 for push in pushes]),
        _middle([(push["at"] - push["until"]) / 1e6 for push in pushes]),
        _middle([(push["until"] - push["after"]) / 1e6 for push in pushes]),
        sum(row["rows_moved"] for row in audit),
        sum(row["cpu_seconds"] for row in audit),
        sum(row["dollars"] for row in audit),
    )


def tuples_per_snapshot(recorded: Journals) -> list[tuple[float, int]]:
    """Rows written by pushes in each five seconds: (seconds since the start, rows)."""
    count = max(1, int((recorded.end - recorded.start) / SNAPSHOT_S + 0.999))
    totals = [0] * count
    for push in recorded.measured(recorded.pushes):
        snapshot = int((push["at"] / 1e6 - recorded.start) / SNAPSHOT_S)
        totals[min(snapshot, count - 1)] += push["result_rows"]
    return [(number * SNAPSHOT_S, rows) for number, rows in enumerate(totals)]


def prediction_error(pushes: Sequence[Row], skip: int = 10) -> tuple[float | None, int]:
    """The median relative error of predicted push durations after each stage's first ones; how many."""
    seen: dict[str, int] = {}
    errors = []
    for push in pushes:
        if push["mode"] != "incremental" or push["error"] or push["seconds"] <= 0:
            continue
        seen[push["stage"]] = seen.get(push["stage"], 0) + 1
        if seen[push["stage"]] > skip:
            errors.append(abs(push["predicted_seconds"] - push["seconds"]) / push["seconds"])
    return (median(errors) if errors else None), len(errors)


def push_seconds(pushes: Sequence[Row]) -> float | None:
    """The median time of a push of the measured window, all its actions one after the other."""
    actions: dict[int, dict[str, float]] = {}
    for push in pushes:
        if push["mode"] == "incremental" and not push["error"]:
            actions.setdefault(push["until"], {})[push["action"]] = push["seconds"]
    return median(sum(seconds.values()) for seconds in actions.values()) if actions else None


def _middle(values: Sequence[float]) -> float:
    return median(values) if values else 0.0
