"""Declared queries over HTTP: one route for each that is bounded, typed, counted against its bound."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from headwater.clock import ManualClock, SystemClock, micros
from headwater.serve.access.key_file import add_key
from headwater.serve.access.keys import Rights, Role
from support.commands import answer
from support.serving import served
from support.store.projects import StoreProject

SQL = """
CREATE TABLE items (id BIGINT PRIMARY KEY, name STRING, price DECIMAL(10, 2), sold BOOLEAN, on_day DATE);
CREATE QUERY item AS SELECT id, name, price FROM items WHERE id = :id;
-- param: ids <= 100
CREATE QUERY some_items AS SELECT id, name FROM items WHERE id IN (:ids);
CREATE QUERY like_items AS SELECT id FROM items WHERE name LIKE :pattern;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queries") / "shop"
    shop = StoreProject(folder, SQL)
    shop.clock = shop.project.clock = ManualClock(SystemClock().now() - micros(timedelta(seconds=5)))
    rows = [
        {"id": n, "name": f"item {n}", "price": "1.50", "sold": n % 2 == 0, "on_day": "2026-01-31"}
        for n in range(20)
    ]
    shop.append("items", rows)
    shop.keep()
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx.Client]:
    with served(folder) as client:
        yield client


def test_an_answer_is_that_of_the_command(folder: Path, client: httpx.Client) -> None:
    given, of_command = client.get("/queries/item?id=7").json(), answer("query", folder, "item", "id=7")
    assert given | {"staleness_s": 0} == of_command | {"staleness_s": 0}
    assert given["rows"] == [{"id": 7, "name": "item 7", "price": "1.50"}]
    assert given["operations"] <= given["bound"]


def test_lists_are_repeated_and_null_is_named(client: httpx.Client) -> None:
    rows = client.get("/queries/item?null=id").json()["rows"]
    assert rows == []
    listed = next(
        query for query in client.get("/queries").json()["queries"] if query["name"] == "some_items"
    )
    if listed["route"] is not None:
        rows = client.get("/queries/some_items?ids=3&ids=5").json()["rows"]
        assert sorted(row["id"] for row in rows) == [3, 5]


def test_what_is_listed_and_what_has_a_route(client: httpx.Client) -> None:
    queries = {query["name"]: query for query in client.get("/queries").json()["queries"]}
    assert queries["item"]["route"] == "/queries/item"
    assert queries["item"]["parameters"] == [{"name": "id", "type": "bigint", "list": False}]
    assert queries["like_items"]["route"] is None
    assert queries["like_items"]["reasons"]
    assert client.get("/queries/like_items?pattern=x").status_code == 404
    described = client.get("/openapi.json").json()["paths"]
    assert "/queries/like_items" not in described
    [parameter] = [each for each in described["/queries/item"]["get"]["parameters"] if each["name"] == "id"]
    assert {"type": "integer"} in parameter["schema"]["anyOf"]


def test_wrong_parameters(client: httpx.Client) -> None:
    for path, status, code in (
        ("/queries/item?id=x", 422, "HW962"),
        ("/queries/item", 400, "HW431"),
        ("/queries/item?id=7&other=1", 400, "HW962"),
        ("/queries/item?id=7&max_staleness=1ms", 409, "HW436"),
        ("/queries/item?id=99999999999999999999999", 400, "HW433"),
        ("/queries/nothing", 404, "HW964"),
    ):
        response = client.get(path)
        assert (response.status_code, response.json()["code"]) == (status, code), (path, response.text)
        assert response.headers["content-type"] == "application/problem+json"


def test_who_has_the_answer_is_told_so(client: httpx.Client) -> None:
    first = client.get("/queries/item?id=1")
    again = client.get("/queries/item?id=1", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/queries/item?id=2").headers["etag"] != first.headers["etag"]


def test_operations_are_counted(client: httpx.Client) -> None:
    client.get("/queries/item?id=1")
    samples = {
        (sample.name, sample.labels.get("query")): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").text)
        for sample in family.samples
    }
    assert samples["headwater_store_operations_total", "item"] >= 1
    assert samples["headwater_query_answers_total", "item"] >= 1
    assert ("headwater_query_bound_exceeded_total", "item") not in samples


def test_a_key_for_one_query(tmp_path: Path) -> None:
    shop = StoreProject(tmp_path / "shop", SQL)
    shop.append("items", [{"id": 1, "name": "a", "price": "1.00", "sold": True, "on_day": "2026-01-31"}])
    shop.keep()
    _, token = add_key(shop.project.warehouse.root, "web", Rights(Role.QUERY, (), ("item",)), 1)
    with served(tmp_path / "shop", headers={"Authorization": f"Bearer {token}"}) as client:
        assert client.get("/queries/item?id=1").status_code == 200
        assert client.get("/queries").status_code == 200
        assert client.get("/queries/some_items?ids=1").status_code == 403
