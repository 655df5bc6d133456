"""The numbers of one run, in the paper's units, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from headwater.api import Headwater
from headwater.bench.smile.measuring.measures import (
    Journals,
    ViewMeasure,
    journals,
    measure_view,
    prediction_error,
    push_seconds,
    tuples_per_snapshot,
)
from headwater.bench.smile.measuring.run import Load, RunRecord
from headwater.bench.smile.measuring.verify import Checked
from headwater.bench.smile.workload.project import Shape
from headwater.bench.smile.workload.schedule import Phase, length
from headwater.serve.reports.bill import account

__all__ = ["Outcome", "Setup", "Stretch", "outcome"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What was run."""

    shape: Shape
    load: Load
    sharing: bool

    @property
    def rate(self) -> float:
        """Average tweets per second of the measured phases."""
        return sum(phase.rate * phase.seconds for phase in self.load.phases) / length(self.load.phases)


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a phase of the load took."""

    pages: int
    tweets: float
    cpu_seconds: float  # of the tree without the server of pages
    server_cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run."""

    setup: Setup
    views: tuple[ViewMeasure, ...]
    journals: Journals
    fed: Mapping[str, Any]
    tweets: float  # in the measured window
    reached_rate: float
    cpu_seconds: float  # of the tree, in the measured window
    jvm_seconds: float
    cpu_per_million: float  # in the measured window
    cpu_per_million_whole: float  # from the first tweet, with a cold JVM, until everything is drained
    stretches: tuple[Stretch, ...]  # what each phase of the load took
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
    planned_push_s: float  # as `headwater plan` said before the run began
    push_s: float | None  # the median push of the window
    dollars_per_sharing_hour: float  # CPU of the tree at the project's price
    billed_dollars_per_sharing_hour: float  # as the audit has it
    preload: Mapping[str, Any]
    checked: tuple[Checked, ...]
    errors: Mapping[str, str]

    @property
    def right(self) -> bool:
        return all(view.equal for view in self.checked)

    @property
    def kept_up(self) -> bool:
        """Whether the load came as fast as intended: no batch was later than a snapshot's interval."""
        return bool(self.fed["worst_late_s"] <= 5.0)

    def json(self) -> dict[str, Any]:
        """Without the journals, which are tables of their own."""
        shape, load = self.setup.shape, self.setup.load
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {
            "rate": self.setup.rate,
            "seconds": length(load.phases),
            "warm_seconds": length(load.warm),
            "preloaded": shape.preload,
            "freshness_s": "mix" if shape.mix else shape.freshness,
            "sites": shape.sites,
            "sharing": self.setup.sharing,
            **plain,
            "fed": dict(self.fed),
            "preload": dict(self.preload),
            "stretches": [asdict(stretch) for stretch in self.stretches],
            "server_cpu_seconds": sum(stretch.server_cpu_seconds for stretch in self.stretches),
            "errors": dict(self.errors),
            "verified": self.right,
            "views": [asdict(view) for view in self.views],
            "checked": [asdict(view) for view in self.checked],
        }


_PLAIN = (
    "tweets", "reached_rate", "cpu_seconds", "jvm_seconds", "cpu_per_million", "cpu_per_million_whole",
    "start_s", "start_cpu_seconds", "drain_s", "peak_gb", "violations",
    "violations_warming",
    "violations_per_sharing_hour", "worst_staleness_s", "tuples_per_snapshot", "prediction_error",
    "predictions", "planned_push_s", "push_s", "dollars_per_sharing_hour", "billed_dollars_per_sharing_hour",
)  # fmt: skip


def outcome(
    project: Headwater,
    setup: Setup,
    record: RunRecord,
    preload: Mapping[str, Any],
    checked: tuple[Checked, ...],
) -> Outcome:
    """Combine what the monitor, the feeder and the audit recorded."""
    recorded = journals(project, record.opened_at, record.measured_at, record.ended_at)
    views = tuple(measure_view(name, recorded) for name in project.catalog.kept)
    first, last = record.tree.between(record.measured_at, record.ended_at)
    begun, drained = record.tree.between(record.started_at, record.drained_at)
    cpu = last.cpu_seconds - first.cpu_seconds
    tweets = record.tweets_between(first.at, last.at)
    hours = len(views) * recorded.hours
    violations = sum(view.violations for view in views)
    error, predictions = prediction_error(recorded.pushes)
    price = float(project.project.prices.core_hour)
    return Outcome(
        setup, views, recorded, record.fed, tweets,
        reached_rate=tweets / (last.at - first.at),
        cpu_seconds=cpu,
        jvm_seconds=last.jvm_seconds - first.jvm_seconds,
        cpu_per_million=cpu / max(tweets, 1) * 1e6,
        cpu_per_million_whole=(drained.cpu_seconds - begun.cpu_seconds) / max(record.fed["tweets"], 1) * 1e6,
        stretches=tuple(_stretches(setup.load.phases, record)),
        start_s=record.started_at - record.opened_at,
        start_cpu_seconds=begun.cpu_seconds - record.tree.samples[0].cpu_seconds,
        drain_s=record.drained_at - record.stopped_at,
        peak_gb=record.tree.peak_bytes / 1e9,
        violations=violations,
        violations_warming=_violations_before(recorded),
        violations_per_sharing_hour=violations / hours,
        worst_staleness_s=max(view.worst_staleness_s for view in views),
        tuples_per_snapshot=fmean(rows for _, rows in tuples_per_snapshot(recorded)),
        prediction_error=error,
        predictions=predictions,
        planned_push_s=record.planned_push_s,
        push_s=push_seconds(recorded.measured(recorded.pushes)),
        dollars_per_sharing_hour=cpu / 3600 * price / hours,
        billed_dollars_per_sharing_hour=_billed(project, recorded) / hours,
        preload=preload,
        checked=checked,
        errors=record.errors,
    )  # fmt: skip


def _stretches(phases: Sequence[Phase], record: RunRecord) -> Iterator[Stretch]:
    start = record.measured_at
    for phase in phases:
        first, last = record.tree.between(start, start + phase.seconds)
        server = record.server_between(first.at, last.at)
        tweets = record.tweets_between(first.at, last.at)
        yield Stretch(phase.pages, tweets, last.cpu_seconds - first.cpu_seconds - server, server)
        start += phase.seconds


def _billed(project: Headwater, recorded: Journals) -> float:
    """What `headwater bill` charges for the window: CPU of pushes, network and storage."""
    start, end = int(recorded.start * 1e6), int(recorded.end * 1e6)
    return account(project.catalog, project.warehouse, start, end).bill().total.dollars


def _violations_before(recorded: Journals) -> int:
    return sum(bool(row["violated"]) for row in recorded.audit if row["at"] < recorded.start * 1e6)
