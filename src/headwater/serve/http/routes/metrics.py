"""`/metrics` for Prometheus, and `/healthz` for whoever keeps the server running.

Everything comes from the tables, so the counters go on where they were when the server is started again.
They count as far back as the audit is kept (`retention.audit`); Prometheus takes a fall for a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.responses import Response

from headwater.serve.access.keys import Role
from headwater.serve.http.asked import needs
from headwater.serve.http.models import Health, problems
from headwater.serve.http.routes.reports import current_status
from headwater.serve.http.serving import Serving
from headwater.serve.reports.sources import SourceStatus
from headwater.serve.reports.status import Status, ViewStatus

__all__ = ["router"]


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["operations"])
    text = {
        "description": "Prometheus' text format.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }

    @routes.get(
        "/metrics",
        dependencies=[needs(Role.LOOK)],
        response_class=Response,
        responses={200: text, **problems()},
    )
    def metrics() -> Response:
        """Staleness, promise, violations, pushes, cost and sources, for Prometheus."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Project(current_status(serving, serving.opened)))
        text = generate_latest(registry) + generate_latest(serving.asked.registry)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    @routes.get("/healthz", responses={200: {"model": Health}, **problems()})
    def healthz() -> dict[str, str]:
        """Whether the server answers; needs no key. Whether views are fresh is in /status."""
        return {"status": "ok"}

    return routes


@dataclass(frozen=True, slots=True, eq=False)
class _Project(Collector):
    """Known to its registry by itself, not by what it holds: a status is not hashable."""

    status: Status

    def collect(self) -> Iterator[Metric]:
        yield from _views(self.status.views)
        yield from _sources(self.status.sources)
        lag = GaugeMetricFamily("headwater_slot_lag_bytes", "WAL behind the server", labels=["database"])
        for slot in self.status.slots:
            if slot.lag_bytes is not None:
                lag.add_metric([slot.database], slot.lag_bytes)
        yield lag
        alive = 0 if self.status.running is None else 1
        yield GaugeMetricFamily("headwater_run_alive", "1 while a run keeps the views", value=alive)


ViewNumbers = tuple[tuple[str, str, Callable[[ViewStatus], float | None]], ...]
SourceNumbers = tuple[tuple[str, str, Callable[[SourceStatus], float | None]], ...]

VIEW_GAUGES: ViewNumbers = (
    ("staleness_seconds", "How stale the view is now", lambda view: view.staleness_s),
    ("promise_seconds", "The freshness that is promised", lambda view: view.freshness_s),
    ("rows", "Rows of the view", lambda view: view.rows),
    ("failing", "1 if the last push failed", lambda view: 1 if view.error else 0),
    (
        "last_push_seconds",
        "How long the last push took",
        lambda view: None if view.last_push is None else view.last_push.seconds,
    ),
    (
        "last_push_predicted_seconds",
        "How long the last push was expected to take",
        lambda view: None if view.last_push is None else view.last_push.predicted_seconds,
    ),
)
VIEW_COUNTERS: ViewNumbers = (
    ("violations", "Snapshots in which the promise was broken", lambda view: view.violations),
    ("pushes", "Pushes", lambda view: view.pushes),
    ("cost_dollars", "Dollars for resources and penalties", lambda view: view.dollars),
    ("cpu_seconds", "CPU-seconds of pushes", lambda view: view.cpu_seconds),
)
SOURCE_GAUGES: SourceNumbers = (
    ("rows", "Rows that are there", lambda source: source.rows),
    ("changes", "Changes that are stored", lambda source: source.changes),
    ("changes_per_second", "Changes a second, lately", lambda source: source.rate_per_s),
    ("lag_seconds", "Since the moment up to which it is captured", lambda source: source.lag_s),
    ("rejected_rows", "Rows that wait as dead letters", lambda source: source.rejected),
    ("failing", "1 if it cannot be captured", lambda source: 1 if source.error else 0),
)
LABELS = ("view", "owner", "site")


def _views(views: tuple[ViewStatus, ...]) -> Iterator[Metric]:
    """A family for each number; a view that was never computed has no staleness."""
    for numbers, family in ((VIEW_GAUGES, GaugeMetricFamily), (VIEW_COUNTERS, CounterMetricFamily)):
        for name, text, value in numbers:
            metric: Any = family(f"headwater_view_{name}", text, labels=LABELS)
            for view in views:
                if (number := value(view)) is not None:
                    metric.add_metric([view.name, view.owner, view.site], number)
            yield metric


def _sources(sources: tuple[SourceStatus, ...]) -> Iterator[Metric]:
    for name, text, value in SOURCE_GAUGES:
        gauge = GaugeMetricFamily(f"headwater_source_{name}", text, labels=["source"])
        for source in sources:
            if (number := value(source)) is not None:
                gauge.add_metric([source.name], number)
        yield gauge
