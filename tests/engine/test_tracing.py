"""Pushes arrive as traces at an OTLP receiver; without one, nothing is made."""

from __future__ import annotations

import gzip
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.executor.tracing import Tracing
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.model import Column, Project, SqlText, Table, View
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.without_spark import run_without_spark, workplace

COLUMNS = (Column("k", "bigint"), Column("v", "bigint"))


class Receiver(ThreadingHTTPServer):
    """Takes what an exporter sends."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Span] = []
        self.services: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == f"headwater.{name}"]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = (pair for pair in resource.resource.attributes if pair.key == "service.name")
            self.server.services.update(pair.value.string_value for pair in names)
            self.server.spans.extend(span for scope in resource.scope_spans for span in scope.spans)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None: ...


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def executor_of(folder: Path, *views: str) -> Executor:
    """A table with a row, and a view for each expression."""
    clock = ManualClock()
    table = Table("t", COLUMNS)
    declared = {
        f"v{number}": View(f"v{number}", SqlText(f"SELECT k, {view} AS x FROM t"), timedelta(seconds=5))
        for number, view in enumerate(views)
    }
    project = Project("p", str(folder), str(folder), {"t": table}, declared, {}, {})
    warehouse = Warehouse(str(folder))
    warehouse.source("t").create(arrow_schema(COLUMNS))
    warehouse.source("t").append(pa.table({"k": [1], "v": [0], "_weight": [1]}), clock.now())
    executor = spark_executor(workplace(warehouse, build(project)), clock, Records(clock))
    executor.watermarks = {"t": clock.now()}
    return executor


def texts(span: Span, key: str) -> list[str]:
    value = next(pair.value for pair in span.attributes if pair.key == f"headwater.{key}")
    return [item.string_value for item in value.array_value.values] or [value.string_value]


def test_a_push_is_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address)
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    executor = executor_of(tmp_path, "v + 1", "v + 2")
    executor.push_now()
    executor.close()
    (push,) = receiver.named("push")
    assert texts(push, "views") == ["v0", "v1"]
    assert texts(push, "target") == ["2023-11-14T22:13:20.000000Z"]
    actions = receiver.named("action")
    assert sorted(stage for action in actions for stage in texts(action, "stages")) == ["v0", "v1"]
    publications = receiver.named("publication")
    assert sorted(texts(publication, "view")[0] for publication in publications) == ["v0", "v1"]
    assert {span.parent_span_id for span in (*actions, *publications)} == {push.span_id}
    assert {span.trace_id for span in receiver.spans} == {push.trace_id}
    assert receiver.services == {"headwater"}


def test_what_fails_is_seen_in_its_span(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{receiver.address}/v1/traces")
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    executor = executor_of(tmp_path, "1 / v")
    with pytest.raises(Exception, match=r"(?i)divi"):
        executor.push_now()
    executor.close()
    assert [event.name for action in receiver.named("action")[:1] for event in action.events] == ["exception"]


def test_a_collector_that_does_not_answer_holds_no_push_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    executor = executor_of(tmp_path, "v + 1")
    executor.push_now()
    executor.close()
    assert executor.runner.time_of("v0") == executor.watermarks["t"]


def test_without_an_address_nothing_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    tracing = Tracing()
    with tracing.push(["v"], 0, first=False), tracing.action(["v"]):
        pass
    tracing.close()


def test_without_the_packages_a_run_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    tracing = Tracing()
    with tracing.push(["v"], 0, first=False):
        pass
    tracing.close()
    assert "pip install 'headwater[tracing]'" in caplog.text
