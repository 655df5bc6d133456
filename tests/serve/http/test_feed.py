"""The change feed of a view: its rows at a time, plus its changes since, are its rows later; compaction changes nothing."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.api import Headwater
from headwater.clock import ManualClock
from headwater.engine.upkeep.compaction import compact
from headwater.serve.changes import Change, feed_of, step_changes
from headwater.storage.feed import Feed, FeedGoneError
from headwater.storage.timeline import Timeline
from support.cases import scaled
from support.commands import command
from support.serving import KEPT, make_shop, order, push


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    return make_shop(tmp_path / "shop", monkeypatch, ManualClock())


def some_orders(shop: Headwater, chance: random.Random) -> None:
    statuses = ("open", "paid", "sent")
    shop.ingest("orders", [order(chance.randrange(12), chance.choice(statuses)) for _ in range(3)])
    shop.clock.sleep(timedelta(seconds=1))


def rows(shop: Headwater, view: str) -> Counter[str]:
    return Counter(map(repr, shop.read(view).to_pylist()))


def applied(before: Counter[str], changes: list[Change]) -> Counter[str]:
    after = Counter(before)
    for change in changes:
        after[repr(change.row)] += change.weight
    return Counter({row: count for row, count in after.items() if count})


def taken(feed: Feed, timeline: Timeline) -> list[Change]:
    return [change for step in feed.steps() for some in step_changes(timeline, step) for change in some]


@pytest.mark.parametrize("seed", range(scaled(5)))
def test_rows_and_changes_are_later_rows(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of any view, who looks when it likes, while files are compacted: a copy kept by changes is exact."""
    chance = random.Random(seed)
    shop = make_shop(tmp_path / "shop", monkeypatch, ManualClock())
    shop.ingest("orders", [order(number, "open" if number % 2 else "paid") for number in range(20, 24)])
    push(shop)
    copies = {view: rows(shop, view) for view in KEPT}
    feeds = {view: feed_of(shop.catalog, shop.warehouse, view, shop.read(view).time) for view in KEPT}
    for _ in range(8):
        for _ in range(chance.randint(0, 2)):
            some_orders(shop, chance)
        push(shop)
        if chance.random() < 0.5:
            for view in KEPT:
                compact(shop.warehouse.stage(shop.catalog.folder(view)), shop.clock.now(), many=2)
        view = chance.choice(KEPT)
        copies[view] = applied(copies[view], taken(*feeds[view]))
        assert copies[view] == rows(shop, view)
    for view in KEPT:
        assert applied(copies[view], taken(*feeds[view])) == rows(shop, view)
        assert applied(Counter(), list(shop.changes(view))) == rows(shop, view)


def test_times_only_grow_and_are_those_of_pushes(shop: Headwater) -> None:
    times = []
    for number in range(4):
        shop.ingest("orders", [order(number)])
        shop.clock.sleep(timedelta(seconds=1))
        times.append(push(shop))
    assert [change.time for change in shop.changes("open_orders")] == times
    assert [change.time for change in shop.changes("Open_Orders", since=times[1])] == times[2:]


def test_history_that_is_gone_is_refused(shop: Headwater) -> None:
    times = []
    for number in range(4):
        shop.ingest("orders", [order(number)])
        shop.clock.sleep(timedelta(seconds=1))
        times.append(push(shop))
    compact(shop.warehouse.stage(shop.catalog.folder("open_orders")), shop.clock.now(), many=2)
    with pytest.raises(FeedGoneError, match="no longer stored"):
        shop.changes("open_orders", since=times[0])
    assert applied(Counter(), list(shop.changes("open_orders"))) == rows(shop, "open_orders")


def test_following_ends_when_asked_to(shop: Headwater) -> None:
    stop = threading.Event()
    feed = shop.changes("open_orders", follow=True, stop=stop)
    shop.ingest("orders", [order(1), order(2, "paid")])
    push(shop)
    assert next(feed).row["order_id"] == 1
    stop.set()
    assert list(feed) == []


def test_the_command_prints_a_line_for_each_change(shop: Headwater) -> None:
    shop.ingest("orders", [order(1), order(2)])
    push(shop)
    shop.clock.sleep(timedelta(seconds=1))
    shop.ingest("orders", [order(1, "paid")])
    push(shop)
    lines = command("changes", shop.project.folder, "open_orders").stdout.splitlines()
    shown = [json.loads(line) for line in lines]
    assert [(line["row"]["order_id"], line["weight"]) for line in shown[-1:]] == [(1, -1)]
    assert sorted((line["row"]["order_id"], line["weight"]) for line in shown) == [(1, -1), (1, 1), (2, 1)]
    later = command("changes", shop.project.folder, "open_orders", "--since", shown[0]["time"]).stdout
    assert len(later.splitlines()) == 1
    assert "HW210" in command("changes", shop.project.folder, "nothing", status=2).stderr
    assert "HW001" in command("changes", shop.project.folder, "open_orders", "--since", "x", status=2).stderr
