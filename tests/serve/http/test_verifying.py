"""A view is verified by the run that is alive, if somebody who may change the project asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from headwater.api import Headwater
from headwater.serve.access.key_file import add_key
from headwater.serve.access.keys import Rights, Role
from headwater.storage.notices.under_way import UnderWay
from headwater.storage.notices.verifications import asked, take_up, write_outcome
from headwater.storage.records.run_lock import run_lock
from support.serving import filled_shop, push, served

PATH = "/views/open_orders/verification"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    return filled_shop(tmp_path / "shop", monkeypatch)


@pytest.fixture
def client(shop: Headwater) -> Iterator[httpx.Client]:
    with served(Path(shop.project.folder)) as client:
        yield client


def test_without_a_run_nobody_verifies(shop: Headwater, client: httpx.Client) -> None:
    refused = client.post(PATH, json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "HW979")
    assert "headwater verify" in refused.json()["hint"]
    assert client.get(PATH).json()["state"] == "never"
    assert client.post("/views/nope/verification", json={}).status_code == 404


def test_from_asked_to_done(shop: Headwater, client: httpx.Client) -> None:
    root = shop.warehouse.root
    with run_lock(root, shop.clock.now()):
        begun = client.post("/views/OPEN_ORDERS/verification", json={})
        assert (begun.status_code, begun.json()["state"]) == (202, "asked")
        (request,) = asked(root)
        assert request.view == "open_orders"
        take_up(root, request)
        write_outcome(root, "open_orders", {"view": "open_orders", "state": "running", "begun_at": "9999"})
        assert client.get(PATH).json()["state"] == "running"
        write_outcome(root, "open_orders", {"view": "open_orders", "state": "running", "begun_at": "2000"})
        assert client.get(PATH).json()["state"] == "interrupted"  # by an earlier run
        write_outcome(root, "open_orders", {"view": "open_orders", "state": "done", "equal": True})
        assert client.get(PATH).json()["equal"] is True
    assert client.get(PATH).json()["state"] == "done"


def test_who_may_ask(shop: Headwater) -> None:
    tokens = {
        name: add_key(shop.warehouse.root, name, rights, 0)[1]
        for name, rights in {
            "look": Rights(Role.LOOK),
            "query": Rights(Role.QUERY),
            "other": Rights(Role.QUERY, views=("statuses",)),
            "some": Rights(Role.CHANGE, views=("open_orders",)),
            "all": Rights(Role.CHANGE),
        }.items()
    }
    with served(Path(shop.project.folder)) as client, run_lock(shop.warehouse.root, shop.clock.now()):
        headers = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
        read = {name: client.get(PATH, headers=header).status_code for name, header in headers.items()}
        assert read == {"look": 403, "query": 200, "other": 403, "some": 200, "all": 200}
        sent = {
            name: client.post(PATH, json={}, headers=header).status_code for name, header in headers.items()
        }
        assert sent == {"look": 403, "query": 403, "other": 403, "some": 403, "all": 202}
        foreign = headers["all"] | {"Origin": "http://elsewhere.example"}
        assert client.post(PATH, json={}, headers=foreign).status_code == 403


def test_what_is_being_pushed_is_an_event(shop: Headwater, client: httpx.Client) -> None:
    under_way = UnderWay(shop.warehouse.root)
    with run_lock(shop.warehouse.root, shop.clock.now()), client.stream("GET", "/live/changes") as stream:
        events = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert next(events)["pushing"] == {"views": [], "stages": []}
        with under_way.push({"open_orders"}), under_way.action(["open_orders"]):
            assert next(events)["pushing"] == {"views": ["open_orders"], "stages": ["open_orders"]}
        assert next(events)["pushing"] == {"views": [], "stages": []}


def test_all_who_listen_are_told(shop: Headwater, client: httpx.Client) -> None:
    address = str(client.base_url)
    with (
        httpx.Client(base_url=address, timeout=60) as other,
        client.stream("GET", "/live/changes") as first,
        other.stream("GET", "/live/changes") as second,
    ):
        readers = [
            (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            for stream in (first, second)
        ]
        before = [next(reader)["times"] for reader in readers]
        until = push(shop)
        after = [next(reader)["times"] for reader in readers]
    assert before[0] == before[1]
    assert after[0] == after[1]
    assert after[0]["open_orders"] == until / 1e6
