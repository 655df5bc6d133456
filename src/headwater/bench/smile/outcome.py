"""The numbers of one run, in the paper's units, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from headwater.api import Headwater
from headwater.bench.smile.measures import (
    Journals,
    ViewMeasure,
    journals,
    measure_view,
    prediction_error,
    tuples_per_snapshot,
)
from headwater.bench.smile.project import Shape
from headwater.bench.smile.run import Kept, Load
from headwater.bench.smile.schedule import length
from headwater.bench.smile.verify import Checked
from headwater.serve.bill import account

__all__ = ["Outcome", "Setup", "outcome"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What was run."""

    shape: Shape
    load: Load
    sharing: bool

    @property
    def rate(self) -> float:
        """Average tweets per second of the measured phases."""
        return sum(one.rate * one.seconds for one in self.load.phases) / length(self.load.phases)


@dataclass(frozen=True, slots=True)
class Outcome:
    setup: Setup
    views: tuple[ViewMeasure, ...]
    journals: Journals
    fed: Mapping[str, Any]
    tweets: float  # in the measured window
    reached_rate: float
    cpu_seconds: float  # of the tree, in the measured window
    jvm_seconds: float
    cpu_per_million: float  # in the measured window
    cpu_per_million_whole: float  # from the first tweet, with a cold JVM, until all is drained
    start_s: float
    start_cpu_seconds: float
    drain_s: float
    peak_gb: float
    violations: int
    violations_warming: int
    violations_per_sharing_hour: float
    worst_staleness_s: float
    tuples_per_snapshot: float
    prediction_error: float | None
    predictions: int
    dollars_per_sharing_hour: float  # CPU of the tree at the project's price
    billed_dollars_per_sharing_hour: float  # as the audit has it
    preload: Mapping[str, Any]
    checked: tuple[Checked, ...]
    errors: Mapping[str, str]

    @property
    def right(self) -> bool:
        return all(one.equal for one in self.checked)

    @property
    def kept_up(self) -> bool:
        """Whether the load came as fast as wanted: no batch was later than a snapshot's interval."""
        return bool(self.fed["worst_late_s"] <= 5.0)

    def json(self) -> dict[str, Any]:
        """Without the journals, which are tables of their own."""
        shape, load = self.setup.shape, self.setup.load
        found = {name: getattr(self, name) for name in _PLAIN}
        return {
            "rate": self.setup.rate,
            "seconds": length(load.phases),
            "warm_seconds": length(load.warm),
            "preloaded": shape.preload,
            "freshness_s": "mix" if shape.mix else shape.freshness,
            "sites": shape.sites,
            "sharing": self.setup.sharing,
            **found,
            "fed": dict(self.fed),
            "preload": dict(self.preload),
            "errors": dict(self.errors),
            "verified": self.right,
            "views": [asdict(one) for one in self.views],
            "checked": [asdict(one) for one in self.checked],
        }


_PLAIN = (
    "tweets", "reached_rate", "cpu_seconds", "jvm_seconds", "cpu_per_million", "cpu_per_million_whole",
    "start_s", "start_cpu_seconds", "drain_s", "peak_gb", "violations", "violations_warming",
    "violations_per_sharing_hour", "worst_staleness_s", "tuples_per_snapshot", "prediction_error",
    "predictions", "dollars_per_sharing_hour", "billed_dollars_per_sharing_hour",
)  # fmt: skip


def outcome(
    project: Headwater, setup: Setup, kept: Kept, preload: Mapping[str, Any], checked: tuple[Checked, ...]
) -> Outcome:
    """Put together what the monitor, the feeder and the audit know."""
    found = journals(project, kept.opened_at, kept.measured_at, kept.ended_at)
    views = tuple(measure_view(name, found) for name in project.catalog.kept)
    first, last = kept.tree.between(kept.measured_at, kept.ended_at)
    begun, drained = kept.tree.between(kept.started_at, kept.drained_at)
    cpu = last.cpu_seconds - first.cpu_seconds
    tweets = kept.tweets_between(first.at, last.at)
    hours = len(views) * found.hours
    violations = sum(one.violations for one in views)
    error, predictions = prediction_error(found.pushes)
    price = float(project.project.prices.core_hour)
    return Outcome(
        setup, views, found, kept.fed, tweets,
        reached_rate=tweets / (last.at - first.at),
        cpu_seconds=cpu,
        jvm_seconds=last.jvm_seconds - first.jvm_seconds,
        cpu_per_million=cpu / max(tweets, 1) * 1e6,
        cpu_per_million_whole=(drained.cpu_seconds - begun.cpu_seconds) / max(kept.fed["tweets"], 1) * 1e6,
        start_s=kept.started_at - kept.opened_at,
        start_cpu_seconds=begun.cpu_seconds - kept.tree.samples[0].cpu_seconds,
        drain_s=kept.drained_at - kept.stopped_at,
        peak_gb=kept.tree.peak_bytes / 1e9,
        violations=violations,
        violations_warming=_violations_before(found),
        violations_per_sharing_hour=violations / hours,
        worst_staleness_s=max(one.worst_staleness_s for one in views),
        tuples_per_snapshot=fmean(rows for _, rows in tuples_per_snapshot(found)),
        prediction_error=error,
        predictions=predictions,
        dollars_per_sharing_hour=cpu / 3600 * price / hours,
        billed_dollars_per_sharing_hour=_billed(project, found) / hours,
        preload=preload,
        checked=checked,
        errors=kept.errors,
    )  # fmt: skip


def _billed(project: Headwater, found: Journals) -> float:
    """What `headwater bill` says of the window: CPU of pushes, network and storage."""
    start, end = int(found.start * 1e6), int(found.end * 1e6)
    return account(project.catalog, project.warehouse, start, end).bill().total.dollars


def _violations_before(found: Journals) -> int:
    return sum(bool(one["violated"]) for one in found.audit if one["at"] < found.start * 1e6)
