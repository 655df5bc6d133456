"""The Grafana dashboard and the alert rules of the docs load, and ask for metrics that the server has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater.storage.records.run_lock import run_lock
from support.serving import make_shop, order, push, served

FOLDER = Path(__file__).parents[3] / "docs" / "monitoring"
METRIC = re.compile(r"\bheadwater_\w+")


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    with pytest.MonkeyPatch.context() as patch:
        shop = make_shop(tmp_path_factory.mktemp("metrics") / "shop", patch)
        shop.ingest("orders", [order(1)])
        push(shop)
        with served(Path(shop.project.folder)) as client:
            text = client.get("/metrics").text
        yield set(re.findall(r"^# TYPE (\w+) (?:gauge|counter)", text, re.MULTILINE))


def expressions(panels: list[dict[str, Any]]) -> Iterator[str]:
    for panel in panels:
        yield from (target["expr"] for target in panel["targets"])


def test_the_dashboard_asks_for_what_there_is(metrics: set[str]) -> None:
    dashboard = json.loads((FOLDER / "headwater-dashboard.json").read_text())
    asked = {name for text in expressions(dashboard["panels"]) for name in METRIC.findall(text)}
    assert len(asked) > 10
    assert asked <= metrics
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))


def test_the_alerts_ask_for_what_there_is(metrics: set[str]) -> None:
    rules = yaml.safe_load((FOLDER / "headwater-alerts.yml").read_text())["groups"][0]["rules"]
    asked = {name for rule in rules for name in METRIC.findall(rule["expr"])}
    assert len(asked) > 5
    assert asked <= metrics
    assert all({"alert", "expr", "labels", "annotations"} <= rule.keys() for rule in rules)


def test_metrics_while_a_run_keeps_the_views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = make_shop(tmp_path / "shop", monkeypatch)
    shop.ingest("orders", [order(1)])
    push(shop)
    with run_lock(shop.warehouse.root, shop.clock.now()), served(Path(shop.project.folder)) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "headwater_run_alive 1.0" in answer.text
    assert 'view="open_orders"' in answer.text
