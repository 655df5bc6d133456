"""As-of reads are exact, or refused; history is kept as long as the settings say."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import headwater
from headwater.api import Headwater
from headwater.cli.app import app
from headwater.clock import ManualClock, instant_text, micros
from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.history import history_since
from headwater.errors import HeadwaterError, InputError
from headwater.serve.read import NeverComputedError, TooStaleError
from headwater.serve.read_as_of import HistoryGoneError
from headwater.storage.timeline import COMPACTED, WEIGHT

pytestmark = pytest.mark.slow

SQL = """
CREATE TABLE t (a BIGINT PRIMARY KEY, n BIGINT) {retain};
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT a, n FROM t;
"""
HOUR = timedelta(hours=1)


def project(folder: Path, settings: str = "", retain: str = "") -> tuple[Headwater, ManualClock]:
    (folder / "headwater.yml").write_text(f"name: shop\n{settings}\n")
    (folder / "all.sql").write_text(SQL.format(retain=retain))
    clock = ManualClock()
    return headwater.open(str(folder), clock), clock


def updated(shop: Headwater, clock: ManualClock, times: int) -> list[int]:
    """One row, updated every hour; returns when."""
    instants = []
    for number in range(times):
        clock.advance(HOUR)
        instants.append(shop.ingest("t", [{"op": "upsert", "row": {"a": 1, "n": number}}]).time or 0)
    return instants


def test_a_source_as_of_each_of_its_times(tmp_path: Path) -> None:
    shop, clock = project(tmp_path)
    instants = updated(shop, clock, 5)
    clock.advance(HOUR)
    for number, at in enumerate(instants):
        for instant in (at, at + 1, at + micros(HOUR) - 1):
            rows = shop.read("T", as_of=instant)
            assert (rows.view, rows.time, rows.to_pylist()) == ("t", at, [{"a": 1, "n": number}])
    assert shop.read("t", as_of=instants[0] - 1).to_pylist() == []
    at = datetime.fromtimestamp(instants[2] / 1e6, UTC)
    assert shop.read("t", as_of=at + timedelta(minutes=1)).to_pylist() == [{"a": 1, "n": 2}]


def test_a_view_as_of_the_times_it_was_pushed_to(tmp_path: Path) -> None:
    shop, clock = project(tmp_path)
    with pytest.raises(NeverComputedError):
        shop.read("v", as_of=1)
    stage = shop.warehouse.stage(shop.catalog.folder("v"))
    stage.create(pa.schema([("a", pa.int64()), ("n", pa.int64())]))

    def push(time: int, *changes: tuple[int, int], first: bool = False) -> None:
        rows = {"a": [1] * len(changes), "n": [n for n, _ in changes], WEIGHT: [w for _, w in changes]}
        stage.append(pa.table(rows), time, transactions={COMPACTED: time} if first else None)

    push(100, (1, 1), first=True)
    push(200, (1, -1), (2, 1))
    push(300)
    push(400, (2, -1), (3, 1))
    for instant, time, n in ((100, 100, 1), (199, 100, 1), (200, 200, 2), (399, 200, 2), (450, 400, 3)):
        rows = shop.read("v", as_of=instant)
        assert (rows.time, rows.to_pylist()) == (time, [{"a": 1, "n": n}])
    with pytest.raises(HistoryGoneError, match="reaches back to"):
        shop.read("v", as_of=99)
    with pytest.raises(HistoryGoneError, match="future"):
        shop.read("v", as_of=clock.now() + 1)


def compacted(shop: Headwater, clock: ManualClock) -> None:
    """As if the view had read all, and compaction had run."""
    stage = shop.warehouse.stage(shop.catalog.folder("v"))
    stage.create(pa.schema([("a", pa.int64()), ("n", pa.int64())]))
    stage.commit(clock.now())
    shop.warehouse.published("v").create(pa.schema([("a", pa.int64()), ("n", pa.int64())]))
    shop.warehouse.published("v").commit(clock.now())
    Compactor(
        lambda: shop.catalog,
        shop.warehouse,
        keep_since=lambda catalog, relation: history_since(catalog, relation, clock.now()),
    ).compact()


@pytest.mark.parametrize(
    ("settings", "retain", "hours"),
    [
        ("", "", 0),
        ("retention: {history: 1 day}", "", 24),
        ("retention: {history: 1 day}", "RETAIN CURRENT", 0),
    ],
)
def test_history_is_kept_as_long_as_asked_for(tmp_path: Path, settings: str, retain: str, hours: int) -> None:
    shop, clock = project(tmp_path, settings, retain)
    instants = updated(shop, clock, 100)
    compacted(shop, clock)
    assert len(shop.warehouse.source("t").snapshot().files) < 60
    for number, at in enumerate(instants[-hours:] if hours else (), start=100 - hours):
        assert shop.read("t", as_of=at).to_pylist() == [{"a": 1, "n": number}]
    with pytest.raises(HistoryGoneError):
        shop.read("t", as_of=instants[10])
    assert shop.read("t", as_of=clock.now()).to_pylist() == [{"a": 1, "n": 99}]


def test_history_is_for_views_and_sources_only(tmp_path: Path) -> None:
    shop, _ = project(tmp_path, "retention: {history: 1 day}")
    day = micros(timedelta(days=1))
    assert history_since(shop.catalog, "t", day + 5) == 5
    assert history_since(shop.catalog, "v", day + 5) == 5
    assert history_since(shop.catalog, "v$1", day + 5) is None


def test_the_command(tmp_path: Path) -> None:
    shop, clock = project(tmp_path)
    instants = updated(shop, clock, 2)
    words = ["read", str(tmp_path), "t", "--as-of", instant_text(instants[0] + 1)]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert (answer["rows"], answer["time"]) == ([{"a": 1, "n": 0}], instant_text(instants[0]))
    for wrong in ([*words, "--max-staleness", "5s"], [*words[:-1], "yesterday"], [*words[:-1], "2999-01-01"]):
        assert isinstance(CliRunner().invoke(app, wrong).exception, HeadwaterError)


def test_staleness_as_text(tmp_path: Path) -> None:
    shop, clock = project(tmp_path)
    clock.advance(HOUR)
    compacted(shop, clock)
    clock.advance(timedelta(seconds=6))
    assert shop.read("v", max_staleness="7s").to_pandas().columns.tolist() == ["a", "n"]
    assert shop.read("v", max_staleness="1 minute 30 seconds").to_polars().height == 0
    for refused in ("5s", timedelta(seconds=5)):
        with pytest.raises(TooStaleError, match=r"6\.0 s stale, more than the 5 s asked for"):
            shop.read("v", max_staleness=refused)
    with pytest.raises(InputError, match="max_staleness: 'soon' is not an interval") as failed:
        shop.read("v", max_staleness="soon")
    assert failed.value.code == "HW001"
