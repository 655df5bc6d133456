"""What the bench found: what each contender cost in a push of all views, and whether answers were right."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from headwater.bench.weave.execution.answers import Check

__all__ = [
    "DUCKDB",
    "RECOMPUTE",
    "SEPARATE",
    "STREAMING",
    "WOVEN",
    "Contender",
    "Measured",
    "extrapolated",
    "fields",
]

WOVEN, SEPARATE, RECOMPUTE, STREAMING, DUCKDB = "woven", "separate", "recompute", "streaming", "DuckDB"


@dataclass(frozen=True, slots=True)
class Contender:
    """CPU-seconds and seconds of a push of all views, averaged over the pushes that were counted."""

    name: str
    ran_views: int  # of which it was measured; scaled up to all if these are fewer
    scaled_by: float
    cpu_seconds: float
    seconds: float
    note: str = ""


def extrapolated(ran: Contender, fewer: Contender, views: int) -> Contender:
    """What all views would cost, by what those that `ran` cost more than `fewer` of them."""

    def line(few: float, many: float) -> float:
        each = max(0.0, many - few) / (ran.ran_views - fewer.ran_views)
        return many + each * (views - ran.ran_views)

    cpu = line(fewer.cpu_seconds / fewer.scaled_by, ran.cpu_seconds / ran.scaled_by)
    seconds = line(fewer.seconds / fewer.scaled_by, ran.seconds / ran.scaled_by)
    scale = cpu / max(1e-9, ran.cpu_seconds / ran.scaled_by)
    note = f"by the difference to {fewer.ran_views} views"
    return replace(ran, scaled_by=scale, cpu_seconds=cpu, seconds=seconds, note=note)


@dataclass(frozen=True, slots=True)
class Measured:
    stream: str
    views: int
    sites: int
    optimizer: str
    rows: int  # in a push
    trees: int
    pushes: int  # that were counted
    first_push_cpu_seconds: float  # woven: all views computed for the first time
    merges: int  # changes of fragments that views read, each as often as it lies in windows
    contenders: tuple[Contender, ...]
    checks: tuple[Check, ...]

    def cpu_seconds(self, name: str) -> float | None:
        return next((ran.cpu_seconds for ran in self.contenders if ran.name == name), None)

    def over_woven(self, contender: Contender) -> float:
        woven = self.cpu_seconds(WOVEN)
        return contender.cpu_seconds / max(woven or 0.0, 1e-9)

    @property
    def wrong(self) -> tuple[str, ...]:
        return tuple(sorted({view for check in self.checks for view in check.wrong}))


def fields(measured: Measured) -> dict[str, Any]:
    contenders = [asdict(ran) | {"over_woven": measured.over_woven(ran)} for ran in measured.contenders]
    return asdict(measured) | {"contenders": contenders, "wrong": measured.wrong}
