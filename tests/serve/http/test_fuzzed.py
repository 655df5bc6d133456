"""Whatever is asked, the server answers as its description says: never with a failure, never with a stack trace."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, quote_from_bytes

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from headwater.api import Headwater
from support.cases import scaled
from support.serving import make_shop, order, push, record, served

EXAMPLES = 12  # for each route
REQUESTS = 3000
# A cursor is a string that only a server makes, so that a valid request is refused is no mistake.
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headwater]:
    with pytest.MonkeyPatch.context() as patch:
        project = make_shop(tmp_path_factory.mktemp("fuzzed") / "shop", patch)
        project.ingest("orders", [order(n, "open" if n % 2 else "paid") for n in range(10)])
        push(project)
        record(project)
        yield project


@pytest.fixture(scope="module")
def client(shop: Headwater) -> Iterator[httpx.Client]:
    with served(Path(shop.project.folder)) as client:
        yield client


@pytest.mark.filterwarnings("ignore")
def test_answers_are_as_described(client: httpx.Client) -> None:
    schema = schemathesis.openapi.from_url(str(client.base_url.join("/openapi.json")))
    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=scaled(EXAMPLES),
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def check(case: Case) -> None:
            nonlocal tried
            tried += 1
            if case.path.endswith("/changes"):
                case.query["follow"] = "false"
            case.call_and_validate(checks=CHECKS)

        check()
    assert tried >= scaled(EXAMPLES) * 5


TEXTS = (
    "", "x", "-1", "0", "1e999", "nan", "9" * 400, "'; DROP TABLE orders; --", "<img src=x onerror=alert(1)>", "../../etc/passwd",
    "%00", "\x00", "é", "\U0001f600", "a" * 3000, "{}", "[1]", "null", "true", "2026-01-31T12:00:00Z", "9999-12-31T23:59:59+14:00",
    "0001-01-01T00:00:00-14:00", "order_id=1", "=", "1h", "99999999d", "beginning",
)  # fmt: skip
NAMES = (
    "limit",
    "cursor",
    "max_staleness",
    "filter",
    "since",
    "until",
    "last",
    "by",
    "view",
    "points",
    "table",
    "follow",
    "x",
)
PATHS = (
    "/views", "/views/statuses", "/views/{}", "/views/{}/changes", "/views/statuses/changes", "/status", "/plan", "/bill", "/sources",
    "/pushes", "/staleness", "/periods", "/dead-letters", "/metrics", "/healthz", "/openapi.json", "/{}", "/queries", "/queries/{}", "//",
)  # fmt: skip


def fuzzed(chance: random.Random) -> tuple[str, str, dict[str, str]]:
    """A method, an address and headers, most of them wrong."""
    path = chance.choice(PATHS).replace("{}", quote(chance.choice(TEXTS), safe=chance.choice(("", "/."))))
    parameters = [
        f"{chance.choice(NAMES)}={quote(chance.choice(TEXTS), safe='')}" for _ in range(chance.randint(0, 4))
    ]
    if chance.random() < 0.1:
        parameters.append(f"{chance.choice(NAMES)}={quote_from_bytes(chance.randbytes(20))}")
    if path.endswith("/changes"):
        parameters.append("follow=false")
    method = chance.choices(
        ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"), (20, 1, 1, 1, 1, 1, 1)
    )[0]
    headers = {}
    if chance.random() < 0.2:
        name = chance.choice(
            (
                "Authorization",
                "If-None-Match",
                "Last-Event-ID",
                "Accept",
                "Accept-Encoding",
                "Range",
                "Origin",
            )
        )
        headers[name] = chance.choice(
            [text for text in TEXTS if text.isprintable() and text.isascii() and len(text) < 100]
        )
    return method, f"{path}?{'&'.join(parameters)}", headers


def test_three_thousand_wrong_requests(shop: Headwater, client: httpx.Client) -> None:
    chance, statuses = random.Random(3), set()
    for _ in range(scaled(REQUESTS)):
        method, address, headers = fuzzed(chance)
        response = client.request(method, address, headers=headers)
        assert response.status_code < 500, (method, address, response.text)
        assert "Traceback" not in response.text, (method, address)
        assert shop.project.folder not in response.text or "HW821" in response.text or "next" in response.text
        statuses.add(response.status_code)
    if scaled(REQUESTS) == REQUESTS:  # a share of them need not meet every answer
        assert {200, 400, 404, 405, 422} <= statuses


def test_what_is_no_http_ends_no_server(client: httpx.Client) -> None:
    chance = random.Random(4)
    address = (client.base_url.host, client.base_url.port or 0)
    for _ in range(scaled(50)):
        # It may hang up before all is sent or read.
        with suppress(ConnectionError), socket.create_connection(address, timeout=120) as raw:
            raw.sendall(
                chance.choice((b"", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", b"GET " + b"a" * 40_000))
                + chance.randbytes(50)
            )
            if chance.random() < 0.5:
                raw.shutdown(socket.SHUT_WR)
                raw.recv(1000)
    assert client.get("/healthz").json() == {"status": "ok"}
