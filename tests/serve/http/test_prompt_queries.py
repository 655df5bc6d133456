"""The short way to a query and its described route give the same answer, whatever is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from headwater.clock import ManualClock, SystemClock, micros
from headwater.serve.access.key_file import add_key
from headwater.serve.access.keys import Rights, Role
from headwater.serve.http.queries.asked_query import AskedQuery
from support.serving import served
from support.store.projects import StoreProject

SQL = """
CREATE TABLE items (id BIGINT, small TINYINT NOT NULL, name STRING NOT NULL, sold BOOLEAN NOT NULL, on_day DATE NOT NULL,
  price DOUBLE NOT NULL, PRIMARY KEY (id), UNIQUE (name), UNIQUE (small), UNIQUE (price));
CREATE QUERY item AS SELECT id, name, sold, on_day, price FROM items WHERE id = :id;
CREATE QUERY small AS SELECT id FROM items WHERE small = :small;
CREATE QUERY named AS SELECT id, name || :suffix AS name FROM items WHERE name = :name;
CREATE QUERY of_day AS SELECT id FROM items WHERE id = :id AND sold = :sold AND on_day <= :day;
CREATE QUERY priced AS SELECT id FROM items WHERE price = :price;
CREATE QUERY reserved AS SELECT id FROM items WHERE name = :null;
-- param: ids <= 50
CREATE QUERY some_items AS SELECT id, name FROM items WHERE id IN (:ids);
"""
NAMES = ("id", "small", "name", "suffix", "sold", "day", "price", "ids", "null", "max_staleness", "other", "")
TEXTS = (
    "1", "7", " 7", "+7", "-3", "007", "7.0", "1_0", "٣", "300", "99999999999999999999", "", "null", "true", "false",
    "True", "1e1", "yes", "item 7", "häuser", "\x00", "a&b", "%", "2026-01-31", "2026-13-01", "20260131", "10s", "1ms", "5",
    "id", "nan", "Infinity",
)  # fmt: skip
QUERIES = ("item", "small", "named", "of_day", "priced", "reserved", "some_items")
USUAL = {
    "item": "id", "small": "small", "named": "name suffix", "of_day": "id sold day", "priced": "price",
    "reserved": "null", "some_items": "ids ids ids",
}  # fmt: skip
FITTING = {
    "id": "7",
    "ids": "3",
    "small": "5",
    "sold": "true",
    "day": "2026-02-01",
    "max_staleness": "1ms",
    "price": "1",
}
CASES = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prompt") / "shop"
    shop = StoreProject(folder, SQL)
    shop.clock = shop.project.clock = ManualClock(SystemClock().now() - micros(timedelta(seconds=5)))
    rows = [
        {"id": n, "small": n, "name": f"item {n}" * (80 if n == 1 else 1), "sold": n % 2 == 0, "on_day": "2026-01-31",
         "price": n / 4}
        for n in range(20)
    ]  # fmt: skip
    shop.append("items", rows)
    shop.keep()
    return folder


@pytest.fixture(scope="module")
def short(folder: Path) -> Iterator[httpx.Client]:
    with served(folder) as client:
        yield client


@pytest.fixture(scope="module")
def described(folder: Path) -> Iterator[httpx.Client]:
    """A server that has no short way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AskedQuery, "is_short", False)
        with served(folder) as client:
            yield client


def asked(chance: random.Random) -> str:
    query = chance.choice(QUERIES)
    names = USUAL[query].split()
    if chance.random() < 0.3:
        names = [*names, *chance.choices(NAMES, k=chance.choice([1, 1, 2]))]
        chance.shuffle(names)
    texts = [
        FITTING[name] if name in FITTING and chance.random() < 0.5 else chance.choice(TEXTS) for name in names
    ]
    return f"/queries/{query}?" + "&".join(
        f"{name}={quote(text)}" for name, text in zip(names, texts, strict=True)
    )


def shown(response: httpx.Response) -> tuple[int, Any, dict[str, str]]:
    body = response.json() if response.content else None
    if isinstance(body, dict):
        body.pop("staleness_s", None)
        if body.get("code") == "HW436":  # says how stale
            body = body["code"]
    headers = {
        name: value for name, value in response.headers.items() if name not in ("date", "content-length")
    }
    return response.status_code, body, headers


def test_both_ways_answer_alike(short: httpx.Client, described: httpx.Client) -> None:
    chance, statuses = random.Random(1), dict[int, int]()
    for _ in range(CASES):
        path, encoding = asked(chance), chance.choice(["gzip", "identity"])
        ours, theirs = (
            shown(client.get(path, headers={"accept-encoding": encoding})) for client in (short, described)
        )
        assert ours == theirs, path
        statuses[ours[0]] = statuses.get(ours[0], 0) + 1
    assert set(statuses) >= {200, 400, 409, 422}, statuses
    assert statuses[200] > CASES / 10


def test_who_has_the_answer_is_told_so_by_both(short: httpx.Client, described: httpx.Client) -> None:
    etag = short.get("/queries/item?id=1").headers["etag"]
    for client in (short, described):
        for known in (etag, f'"other", {etag}', "*"):
            again = client.get("/queries/item?id=1", headers={"If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
        assert client.get("/queries/item?id=1", headers={"If-None-Match": '"other"'}).status_code == 200


def test_other_methods_are_refused(short: httpx.Client) -> None:
    assert [
        short.request(method, "/queries/item?id=1").status_code for method in ("POST", "PUT", "HEAD")
    ] == [405] * 3


def test_the_short_way_asks_for_rights_and_rates(tmp_path: Path) -> None:
    shop = StoreProject(tmp_path / "shop", SQL)
    shop.append(
        "items", [{"id": 1, "small": 1, "name": "a", "sold": True, "on_day": "2026-01-31", "price": 1}]
    )
    shop.keep()
    root = shop.project.warehouse.root
    tokens = [
        add_key(root, str(number), rights, 1)[1]
        for number, rights in enumerate((Rights(Role.QUERY, (), ("item",)), Rights(Role.LOOK)))
    ]
    with served(tmp_path / "shop") as client:
        headers = [{"Authorization": f"Bearer {token}"} for token in (*tokens, "hw_x_y")]
        item = [client.get("/queries/item?id=1", headers=each).status_code for each in (*headers, {})]
        assert item == [200, 403, 401, 401]
        assert client.get("/queries/small?small=1", headers=headers[0]).status_code == 403
        assert (
            client.get("/queries/item?id=1", headers=headers[0] | {"Host": "evil.example"}).status_code == 421
        )


def test_a_query_that_comes_is_served_also_if_only_queries_are_asked(tmp_path: Path) -> None:
    shop = StoreProject(tmp_path / "shop", SQL)
    shop.keep()
    with served(tmp_path / "shop") as client:
        assert client.get("/queries/newcomer?id=1").status_code == 404
        file = next((tmp_path / "shop").glob("*.sql"))
        file.write_text(file.read_text() + "CREATE QUERY newcomer AS SELECT id FROM items WHERE id = :id;\n")
        SystemClock().sleep(timedelta(seconds=1.1))
        for _ in range(50):
            if (status := client.get("/queries/newcomer?id=1").status_code) != 404:
                break
            SystemClock().sleep(timedelta(seconds=0.1))
        assert status == 200
