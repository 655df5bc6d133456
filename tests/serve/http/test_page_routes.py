"""The routes that the page needs: its files, what is live, views priced, added and dropped, rows put back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from headwater.api import Headwater
from headwater.serve.access.key_file import add_key
from headwater.serve.access.keys import Rights, Role
from support.serving import filled_shop, make_shop, push, served

NEW = "CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '30' SECOND AS SELECT order_id FROM orders WHERE total > 5"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    return filled_shop(tmp_path / "shop", monkeypatch)


@pytest.fixture
def client(shop: Headwater) -> Iterator[httpx.Client]:
    with served(Path(shop.project.folder)) as client:
        yield client


def test_the_page_and_its_files(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert client.get("/", headers={"If-None-Match": page.headers["etag"]}).status_code == 304
    script = page.text.split('src="')[1].split('"')[0]
    answer = client.get(script)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    for name in ("index.js", "..%2findex.html", "%2e%2e/sources.sha256"):
        assert client.get(f"/assets/{name}").status_code == 404


def test_the_page_needs_no_key_and_shows_nothing_without(shop: Headwater) -> None:
    _, token = add_key(shop.warehouse.root, "screen", Rights(Role.LOOK), 0)
    with served(Path(shop.project.folder)) as client:
        assert client.get("/").status_code == 200
        for path in ("/session", "/live/changes", "/checked-queries", "/views/open_orders/explain"):
            assert client.get(path).status_code == 401
        looking = {"Authorization": f"Bearer {token}"}
        assert client.get("/session", headers=looking).json()["role"] == "look"
        refused = client.post("/views", json={"sql": NEW}, headers=looking)
        assert (refused.status_code, refused.json()["code"]) == (403, "HW966")
        assert client.post("/plan/draft", json={"sql": NEW}, headers=looking).status_code == 200


def test_a_key_for_some_views_changes_nothing(shop: Headwater) -> None:
    _, token = add_key(shop.warehouse.root, "some", Rights(Role.CHANGE, views=("open_orders",)), 0)
    with served(Path(shop.project.folder), headers={"Authorization": f"Bearer {token}"}) as client:
        assert client.request("DELETE", "/views/never", json={}).json()["code"] == "HW966"


def test_what_is_live_says_as_of_when_every_view_is(shop: Headwater, client: httpx.Client) -> None:
    with client.stream("GET", "/live/changes") as stream:
        events = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        first = next(events)
        assert first["running"] is False
        assert first["times"]["never"] is None
        until = push(shop)
        second = next(events)
        assert second["times"]["open_orders"] == until / 1e6
        shop.ingest("orders", [{"op": "upsert", "row": {"order_id": "x"}}])  # a dead letter is recorded
        assert next(events)["state"] != second["state"]
    once = client.get("/live/changes", params={"follow": False})
    assert once.text.count("data: ") == 1


def test_a_draft_is_priced_and_not_written(shop: Headwater, client: httpx.Client) -> None:
    files = sorted(Path(shop.project.folder).glob("*.sql"))
    answer = client.post("/plan/draft", json={"sql": NEW}).json()
    assert [view["name"] for view in answer["views"] if view["asked"]] == ["big"]
    assert {"orders", "open_orders"} <= {node["name"] for node in answer["graph"]["nodes"]}
    assert sorted(Path(shop.project.folder).glob("*.sql")) == files


@pytest.mark.parametrize(
    ("sql", "line", "said"),
    [
        (
            "CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '30' SECOND AS\nSELECT totl FROM orders",
            2,
            "totl",
        ),
        ("CREATE TABLE t (a BIGINT)", None, "HW891"),
        ("SELECT 1", None, "HW"),
        ("CREATE MATERIALIZED", 1, "HW"),
    ],
)
def test_a_wrong_draft_is_answered_with_its_place(
    client: httpx.Client, sql: str, line: int | None, said: str
) -> None:
    answer = client.post("/plan/draft", json={"sql": sql})
    assert answer.status_code == 400
    problem = answer.json()
    assert said in answer.text
    if line is not None:
        assert (problem["place"]["path"], problem["place"]["line"]) == ("draft.sql", line)
    assert "/tmp" not in answer.text


def test_a_view_is_added_and_dropped(shop: Headwater, client: httpx.Client) -> None:
    added = client.post("/views", json={"sql": NEW}).json()
    assert (added["added"], added["running"]) == (True, False)
    assert (Path(shop.project.folder) / "big.sql").exists()
    dropped = client.request("DELETE", "/views/big", json={})
    while dropped.status_code == 404:  # the server looks at the files once a second
        dropped = client.request("DELETE", "/views/big", json={})
    assert dropped.json()["file_deleted"] is True
    assert not (Path(shop.project.folder) / "big.sql").exists()


OTHERS = (
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
    JSON | {"Origin": "http://elsewhere.example"},
    JSON | {"Origin": "null"},
    JSON | {"Sec-Fetch-Site": "cross-site"},
    JSON | {"Sec-Fetch-Site": "same-site"},
)
CHANGES = (
    ("POST", "/views"),
    ("POST", "/plan/draft"),
    ("POST", "/dead-letters/retry"),
    ("POST", "/sources/orders/records"),
    ("DELETE", "/views/never"),
)


def test_no_other_site_changes_anything(client: httpx.Client) -> None:
    body = json.dumps({"sql": NEW, "table": "orders", "records": [{}]})
    for method, path in CHANGES:
        for headers in OTHERS:
            answer = client.request(method, path, content=body, headers=headers)
            assert answer.json()["code"] == "HW976", (path, headers)
        assert client.request(method, path, content="[", headers=JSON).status_code in (200, 422)


def test_a_mended_row_is_put_back(shop: Headwater, client: httpx.Client) -> None:
    shop.ingest("orders", [{"op": "upsert", "row": {"order_id": "x"}}])
    wrong = client.post("/sources/orders/records", json={"records": [{"order_id": "x"}]})
    assert wrong.status_code == 400
    right = client.post("/sources/ORDERS/records", json={"records": [{"order_id": 3, "status": "open"}]})
    assert right.json() == {"table": "orders", "accepted": 1}
    again = client.post("/dead-letters/retry", json={"table": "orders"})
    assert again.json() == {"table": "orders", "accepted": 0, "rejected": 1, "next_run": False}
    assert client.post("/dead-letters/retry", json={"table": "nosuch"}).status_code == 404


def test_queries_are_shown_with_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = """
    CREATE TABLE t (a BIGINT PRIMARY KEY, b STRING);
    CREATE QUERY by_key AS SELECT b FROM t WHERE a = :a;
    CREATE QUERY everything AS SELECT b FROM t WHERE b <> :b;
    """
    shop = make_shop(tmp_path / "shop", monkeypatch, sql=sql)
    with served(Path(shop.project.folder)) as client:
        by_key, everything = client.get("/checked-queries").json()["queries"]
    assert (by_key["bounded"], by_key["operations"]) == (True, 1)
    assert everything["bounded"] is False
    assert everything["reasons"]


def test_how_a_view_is_kept(client: httpx.Client) -> None:
    answer = client.get("/views/PER_STATUS/explain").json()
    assert answer["view"] == "per_status"
    assert "orders" in {push["changed"] for push in answer["pushes"]}
    assert "per_status" in answer["stages"]
    assert any("Scan orders" in text for text in answer["stages"].values())
