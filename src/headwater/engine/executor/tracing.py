"""Pushes as traces: a span for a push, below it one for each action and publication.

Spans go where OpenTelemetry's own settings say (OTEL_EXPORTER_OTLP_ENDPOINT and its kin), or to what a
program that uses Headwater has set up itself.  Without either, or without the packages
(`headwater[tracing]`), nothing is sent.  A collector that does not answer stops no push: the exporter works
beside it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.clock import instant_text

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

__all__ = ["Tracing"]

logger = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
TIMEOUT = "OTEL_EXPORTER_OTLP_TIMEOUT"
PATIENCE_S = 1.0  # with a collector that does not answer: the end of a run waits for it
SERVICE = "headwater"

Attributes = Mapping[str, str | bool | int | Sequence[str]]


class Tracing:
    """Used from any thread; spans of other threads belong to the push whose context they run in."""

    def __init__(self) -> None:
        self._provider = _own_provider()
        self._tracer = _tracer(self._provider)

    @contextmanager
    def push(self, views: Collection[str], target: int, first: bool) -> Iterator[None]:
        attributes: Attributes = {
            "headwater.views": sorted(views),
            "headwater.target": instant_text(target),
            "headwater.first": first,
        }
        with self._span("push", attributes):
            yield

    @contextmanager
    def action(self, stages: Sequence[str]) -> Iterator[None]:
        with self._span("action", {"headwater.stages": list(stages)}):
            yield

    @contextmanager
    def publication(self, view: str) -> Iterator[None]:
        with self._span("publication", {"headwater.view": view}):
            yield

    @contextmanager
    def _span(self, name: str, attributes: Attributes) -> Iterator[None]:
        if self._tracer is None:
            yield
            return
        with self._tracer.start_as_current_span(f"headwater.{name}", attributes=dict(attributes)):
            yield

    def close(self) -> None:
        """Send what is left."""
        if self._provider is not None:
            self._provider.shutdown()


def _own_provider() -> TracerProvider | None:
    """Where the environment says that spans go; None if it does not say, or a program has its own."""
    endpoint = next((name for name in ENDPOINTS if os.environ.get(name)), None)
    if endpoint is None:
        return None
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning("%s is set, but nothing is traced: pip install 'headwater[tracing]'", endpoint)
        return None
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return None
    name = os.environ.get("OTEL_SERVICE_NAME", SERVICE)
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    patience = None if os.environ.get(TIMEOUT) else PATIENCE_S
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=patience)))
    return provider


def _tracer(provider: TracerProvider | None) -> Tracer | None:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer(SERVICE, tracer_provider=provider)
