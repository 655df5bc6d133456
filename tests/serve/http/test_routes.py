"""What the server answers, over a real socket on loopback."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from headwater.api import Headwater
from headwater.serve.access.key_file import add_key, revoke_key
from headwater.serve.access.keys import Rights, Role
from headwater.serve.http.routes import changes as changes_route
from headwater.serve.http.serving import Settings
from headwater.serve.json_text import to_json
from headwater.serve.reports.status_json import status_json
from support.commands import answer
from support.serving import KEPT, make_shop, order, push, record, served


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headwater]:
    with pytest.MonkeyPatch.context() as patch:
        project = make_shop(tmp_path_factory.mktemp("routes") / "shop", patch)
        project.ingest("orders", [order(n, "open" if n % 2 else "paid") for n in range(10)])
        push(project)
        project.ingest("orders", [order(11, weight=float("nan")), order(12, "sent"), {"order_id": "x"}])
        push(project)
        record(project)
        yield project


@pytest.fixture(scope="module")
def client(shop: Headwater) -> Iterator[httpx.Client]:
    with served(Path(shop.project.folder)) as client:
        yield client


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert (response.status_code, response.json()["code"]) == (status, code), response.text
    assert response.headers["content-type"] == "application/problem+json"
    fields: dict[str, Any] = response.json()
    assert fields["status"] == status
    assert "Traceback" not in response.text
    return fields


def test_rows_page_by_page(shop: Headwater, client: httpx.Client) -> None:
    rows, cursor = [], {}
    while True:
        page = client.get("/views/statuses", params={"limit": 3, **cursor}).json()
        rows += page["rows"]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    kept = sorted(shop.read("statuses").to_pylist(), key=lambda row: row["status"])
    assert rows == kept
    assert page["time"] == answer("read", shop.project.folder, "statuses")["time"]


def test_values_are_as_the_command_shows_them(shop: Headwater, client: httpx.Client) -> None:
    shown = client.get("/views/OPEN_ORDERS").json()["rows"]
    of_command = answer("read", shop.project.folder, "open_orders")["rows"]
    assert sorted(shown, key=lambda row: row["order_id"]) == sorted(
        of_command, key=lambda row: row["order_id"]
    )
    assert shown[-1]["weight"] == "NaN"


def test_filters(client: httpx.Client) -> None:
    def ids(*filters: str) -> list[int]:
        rows = client.get("/views/open_orders", params={"filter": list(filters)}).json()["rows"]
        return [row["order_id"] for row in rows]

    assert ids("order_id=3") == [3]
    assert ids("Total=9.50", "order_id=5") == [5]
    assert ids("order_id=4") == []
    assert ids("at=2026-11-16T12:00:00Z", "weight=1.5") == [1, 3, 5, 7, 9]
    problem(client.get("/views/open_orders?filter=order_id=x"), 400, "HW962")
    problem(client.get("/views/open_orders?filter=nothing=1"), 400, "HW962")
    problem(client.get("/views/open_orders?filter=nothing"), 400, "HW962")


def test_refusals(client: httpx.Client) -> None:
    assert problem(client.get("/views/open_ordres"), 404, "HW210")["hint"] == 'did you mean "open_orders"?'
    problem(client.get("/views/never"), 409, "HW821")
    problem(client.get("/views/statuses?max_staleness=0ms"), 409, "HW822")
    problem(client.get("/views/statuses?max_staleness=soon"), 422, "HW962")
    problem(client.get("/views/statuses?limit=0"), 422, "HW962")
    problem(client.get("/views/statuses?cursor=x"), 400, "HW963")
    problem(client.get("/nothing"), 404, "HW964")
    problem(client.post("/status"), 405, "HW964")
    problem(client.get("/bill?last=1h&since=2026-01-01T00:00:00Z"), 400, "HW962")
    problem(client.get("/staleness?last=9d"), 400, "HW962")
    problem(client.get("/pushes?view=nothing"), 404, "HW210")
    assert client.get("/views/statuses?max_staleness=1h").status_code == 200


def test_who_has_it_is_told_so(client: httpx.Client) -> None:
    first = client.get("/views/statuses?limit=2")
    again = client.get("/views/statuses?limit=2", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/views/statuses?limit=3").headers["etag"] != first.headers["etag"]


def test_large_answers_are_compressed(client: httpx.Client) -> None:
    with client.stream("GET", "/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(b"".join(response.iter_raw())))["openapi"].startswith("3.")


def test_every_answer_is_guarded(client: httpx.Client) -> None:
    for path in ("/status", "/nothing", "/views/never", "/healthz"):
        headers = client.get(path, headers={"Origin": "http://evil.example"}).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert not [name for name in headers if name.startswith("access-control")]
        assert "server" not in headers


def test_reports_are_those_of_the_commands(shop: Headwater, client: httpx.Client) -> None:
    """But for what changes by the moment."""

    def still(status: dict[str, Any]) -> dict[str, Any]:
        views = [view | {"staleness_s": 0} for view in status["views"]]
        sources = [source | {"lag_s": None} for source in status["sources"]]
        return status | {"views": views, "sources": sources, "at": "", "problem": ""}

    assert still(client.get("/status").json()) == still(json.loads(to_json(status_json(shop.status()))))
    assert client.get("/sources").json()["sources"][0]["rejected"] == 1
    [letter] = client.get("/dead-letters?table=ORDERS").json()["letters"]
    assert letter["table"] == "orders"
    assert client.get("/dead-letters?table=other").json() == {"letters": []}
    planned, of_command = client.get("/plan").json(), answer("plan", shop.project.folder)
    assert [view["name"] for view in planned["views"]] == [view["name"] for view in of_command["views"]]
    assert {node["name"] for node in planned["graph"]["nodes"]} >= {"orders", *KEPT}
    billed = client.get("/bill?last=1h&by=owner").json()
    assert {line["owner"] for line in billed["lines"]} == {"", "sales"}
    assert [view["name"] for view in client.get("/views").json()["views"]] == [*KEPT, "never"]


def test_history(client: httpx.Client) -> None:
    pushes = client.get("/pushes?view=statuses&limit=5").json()["pushes"]
    assert [push["view"] for push in pushes] == ["statuses"] * 5
    assert pushes == sorted(pushes, key=lambda push: push["at"])
    [curve] = client.get("/staleness?view=Statuses").json()["views"]
    assert max(seconds for seconds in curve["staleness_s"] if seconds is not None) == pytest.approx(
        9, abs=0.1
    )
    assert len(curve["violations"]) == 1
    [short] = client.get("/staleness?view=statuses&points=6").json()["views"]
    assert len(short["at"]) <= 12
    assert max(short["staleness_s"]) == max(curve["staleness_s"])
    assert [curve["view"] for curve in client.get("/staleness").json()["views"]] == [*KEPT, "never"]
    worst = {view["name"]: view for view in client.get("/periods?last=10m").json()["views"]}
    assert worst["statuses"]["violations"] == 1
    assert worst["never"]["worst_staleness_s"] is None
    assert client.get("/pushes?until=2020-01-01T00:00:00Z").json() == {"pushes": []}


def test_metrics(client: httpx.Client) -> None:
    response = client.get("/metrics")
    families = {family.name: family for family in text_string_to_metric_families(response.text)}
    promises = {
        sample.labels["view"]: sample.value for sample in families["headwater_view_promise_seconds"].samples
    }
    assert promises == {"open_orders": 20, "statuses": 60, "per_status": 20, "never": 3600}
    stale = {sample.labels["view"] for sample in families["headwater_view_staleness_seconds"].samples}
    assert stale == {*KEPT}
    [late] = [
        s.value for s in families["headwater_view_violations"].samples if s.labels["view"] == "statuses"
    ]
    assert late == 1
    assert families["headwater_source_rejected_rows"].samples[0].value == 1
    assert families["headwater_run_alive"].samples[0].value == 0


def test_every_answer_is_remembered_until_something_changes(shop: Headwater, client: httpx.Client) -> None:
    before = client.get("/views/per_status").json()
    shop.ingest("orders", [order(13, "new"), order(14, "new")])
    push(shop)
    after = client.get("/views/per_status").json()
    assert {row["status"] for row in after["rows"]} - {row["status"] for row in before["rows"]} == {"new"}
    time = push(shop)  # nothing changed but the time
    assert client.get("/views/per_status").json()["rows"] == after["rows"]
    assert time > 0


# Changes


def events(text: str) -> list[dict[str, str]]:
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_changes_as_events_can_be_resumed(shop: Headwater, client: httpx.Client) -> None:
    everything = events(client.get("/views/statuses/changes?since=beginning&follow=false").text)
    ids = [event["id"] for event in everything if "id" in event]
    assert ids == sorted(ids, key=int)
    assert {event["event"] for event in everything} == {"change", "time"}
    later = client.get("/views/statuses/changes?follow=false", headers={"Last-Event-ID": ids[0]})
    assert events(later.text) == everything[[event.get("id") for event in everything].index(ids[0]) + 1 :]
    assert events(client.get("/views/statuses/changes?follow=false").text) == []
    problem(client.get("/views/nothing/changes"), 404, "HW210")
    problem(client.get("/views/statuses/changes", headers={"Last-Event-ID": "x"}), 422, "HW962")


def test_changes_come_while_one_listens(shop: Headwater, client: httpx.Client) -> None:
    with client.stream("GET", "/views/statuses/changes") as response:
        lines = response.iter_lines()
        assert next(lines).startswith(":")
        shop.ingest("orders", [order(99, "late")])
        push(shop)
        data = next(line for line in lines if line.startswith("data: "))
    assert json.loads(data.removeprefix("data: "))["row"] == {"status": "late"}


def test_a_reader_that_does_not_read_is_told_and_cut_off(
    shop: Headwater, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's buffers are filled until the server has to wait; then the reader goes on, and learns why it ends."""
    monkeypatch.setattr(changes_route, "SLOW_S", 0.2)
    waited = threading.Event()
    endless = changes_route._text("change", {"row": {"status": "x" * 1000}, "weight": 1, "time": ""}) * 100
    pieces = [0]

    def texts(feed: object, timeline: object) -> Iterator[str]:
        while pieces[0] < 500:
            pieces[0] += 1
            yield endless

    monkeypatch.setattr(changes_route, "_texts", texts)
    address = (client.base_url.host, client.base_url.port or 0)
    with socket.create_connection(address) as reader:
        reader.sendall(b"GET /views/statuses/changes HTTP/1.1\r\nHost: localhost\r\n\r\n")
        before, quiet = -1, 0
        while quiet < 6:  # until nothing more is sent, for as long as a loaded machine may pause
            quiet = quiet + 1 if pieces[0] == before else 0
            before = pieces[0]
            waited.wait(0.5)
        received = b""
        while some := reader.recv(1 << 20):
            received = received[-4000:] + some
    assert pieces[0] < 500
    assert b"HW971" in received


# Who may ask


def test_a_request_for_another_host_is_refused(client: httpx.Client) -> None:
    problem(client.get("/status", headers={"Host": "evil.example"}), 421, "HW969")


def test_a_large_body_is_refused(client: httpx.Client) -> None:
    problem(client.request("GET", "/status", content=b"x" * 100_000), 413, "HW968")


def test_too_many_requests(shop: Headwater) -> None:
    with served(Path(shop.project.folder), Settings(rate=1)) as client:
        answers = [client.get("/healthz") for _ in range(10)]
    refused = [response for response in answers if response.status_code == 429]
    assert refused
    assert problem(refused[0], 429, "HW967")
    assert int(refused[0].headers["retry-after"]) >= 1


def test_keys_are_needed_once_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = make_shop(tmp_path / "shop", monkeypatch)
    shop.ingest("orders", [order(1), order(2, "paid")])
    push(shop)
    root = shop.warehouse.root
    with served(tmp_path / "shop") as client:
        assert client.get("/views/statuses").status_code == 200
        assert "security" not in client.get("/openapi.json").json()
        _, looking = add_key(root, "look", Rights(Role.LOOK), 1)
        _, reading = add_key(root, "read", Rights(Role.QUERY, ("statuses",), ()), 1)

        def get(path: str, token: str) -> httpx.Response:
            return client.get(path, headers={"Authorization": f"Bearer {token}"})

        refused = client.get("/status")
        problem(refused, 401, "HW965")
        assert refused.headers["www-authenticate"].startswith("Bearer")
        problem(get("/status", "hw_x_y"), 401, "HW965")
        assert client.get("/healthz").status_code == 200
        assert get("/status", looking).status_code == 200
        assert get("/openapi.json", looking).json()["security"] == [{"key": []}]
        problem(get("/views/statuses", looking), 403, "HW966")
        problem(get("/views/statuses/changes", looking), 403, "HW966")
        assert get("/views/statuses", reading).status_code == 200
        problem(get("/views/open_orders", reading), 403, "HW966")
        problem(get("/dead-letters", reading), 403, "HW966")
        problem(get("/views/open_orders/changes", reading), 403, "HW966")
        revoke_key(root, "read", 2)
        problem(get("/views/statuses", reading), 401, "HW965")


def test_changed_files_are_served_and_wrong_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path / "shop", monkeypatch)
    shop.ingest("orders", [order(1)])
    with served(tmp_path / "shop") as client:
        sql = tmp_path / "shop" / "all.sql"
        text = sql.read_text()
        more = "CREATE MATERIALIZED VIEW more FRESHNESS = INTERVAL '1' MINUTE AS SELECT total FROM orders;"
        sql.write_text(text + more)
        names: list[str] = []
        while "more" not in names:
            names = [view["name"] for view in client.get("/views").json()["views"]]
        assert "more" in client.get("/openapi.json").text
        sql.write_text("CREATE NONSENSE")
        while not (status := client.get("/status").json())["problem"]:
            pass
        assert "going on with what was declared" in status["problem"]
        assert [view["name"] for view in status["views"]] == [*KEPT, "never"]
