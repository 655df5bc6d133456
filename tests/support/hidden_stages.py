"""A table whose views remember more than they show, kept without Spark, each refreshed as a test says."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from headwater.model import Column, Project, SqlText, Table, View
from headwater.planning.cost.refresh import Choice
from headwater.storage.delta.types import arrow_schema
from headwater.storage.warehouse import Warehouse
from support.without_spark import workplace


def answer(monkeypatch: pytest.MonkeyPatch, whole: Callable[[], bool]) -> None:
    """Whether views that may choose are recomputed as a whole."""
    monkeypatch.setattr(Forecaster, "choose_way", lambda *_: Choice(whole(), "by chance"))


HIDDEN = {
    "top_keys": "SELECT k, sum(n) AS s FROM facts GROUP BY k ORDER BY s DESC, k LIMIT 3",
    "above": "SELECT id, n FROM facts f WHERE n > (SELECT avg(n) FROM facts g WHERE g.k = f.k)",
    "above_all": "SELECT id FROM facts WHERE n > (SELECT avg(n) FROM facts)",
    "often": "SELECT c, count(*) AS keys FROM (SELECT k, count(*) AS c FROM facts GROUP BY k) GROUP BY c",
    "largest": "SELECT max(s) AS most FROM (SELECT k, sum(n) AS s FROM facts GROUP BY k)",
    "newest": "SELECT id, k FROM facts QUALIFY row_number() OVER (PARTITION BY k ORDER BY id DESC) = 1",
    "over_a_view": "SELECT count(*) AS n, min(k) AS least FROM top_keys",
}
FACTS = Table("facts", tuple(Column(name, "bigint") for name in ("id", "k", "n")), key=("id",))


def hidden_stages(folder: Path) -> tuple[Pusher, Callable[[pa.Table], int]]:
    """Views that remember more than they show, and how rows of their table are changed."""
    views = {name: View(name, SqlText(text), timedelta(seconds=9)) for name, text in HIDDEN.items()}
    catalog = build(Project("hidden", str(folder), str(folder), {"facts": FACTS}, views, {}, {}))
    place = workplace(Warehouse(str(folder)), catalog)
    source, clock = place.warehouse.source("facts"), ManualClock()
    source.create(arrow_schema(FACTS.columns))

    def change(rows: pa.Table) -> int:
        clock.advance(timedelta(seconds=1))
        source.append(rows, clock.now())
        return clock.now()

    return Pusher(place, Forecaster(place)), change


def random_changes(chance: random.Random, there: dict[int, tuple[int, int]]) -> pa.Table:
    """Of the rows `there`, some change, some go, and others come."""
    changes: list[tuple[int, int, int, int]] = []
    for _ in range(chance.randrange(1, 8)):
        key = chance.randrange(12)
        if (old := there.pop(key, None)) is not None:
            changes.append((key, *old, -1))
        if old is None or chance.random() < 0.6:
            there[key] = chance.randrange(3), chance.randrange(5)
            changes.append((key, *there[key], 1))
    return pa.table(
        dict(zip(("id", "k", "n", "_weight"), map(list, zip(*changes, strict=True)), strict=True))
    )
