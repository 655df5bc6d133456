"""Levels in one action: views over views stay right, and what is said of a pending delta holds of what is written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

from headwater.algebra.plans.nodes import Version
from headwater.algebra.plans.walks import scan_rows
from headwater.engine.push import pusher
from headwater.engine.push.decide import Job
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Deciding
from headwater.engine.push.together.pending_deltas import path_of
from headwater.engine.query.pruning import range_of
from headwater.planning.stages import actions
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.timeline import TIME, WEIGHT
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

ROUNDS = 3
TABLES = """
CREATE TABLE customers (cid BIGINT PRIMARY KEY, city STRING);
CREATE TABLE orders (oid BIGINT PRIMARY KEY, cid BIGINT, amount BIGINT);
CREATE TABLE items (iid BIGINT PRIMARY KEY, oid BIGINT, price BIGINT);
"""
VIEWS = {
    "placed": "SELECT o.oid, o.amount, c.city FROM orders o JOIN customers c ON o.cid = c.cid",
    "sold": "SELECT p.oid, p.city, i.iid, i.price FROM placed p JOIN items i ON i.oid = p.oid WHERE i.price > 2",
    "by_city": "SELECT city, count(*) AS n, sum(price) AS total FROM sold GROUP BY city HAVING count(*) > 1",
    "dear": "SELECT city, max(price) AS most FROM sold GROUP BY city",
    "idle": "SELECT p.oid, s.iid FROM placed p LEFT JOIN sold s ON s.oid = p.oid",
    "rich": "SELECT b.city, d.most, b.total FROM by_city b JOIN dear d ON d.city = b.city",
}
CHAIN = TABLES + "".join(
    f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY INCREMENTAL AS {sql};\n"
    for name, sql in VIEWS.items()
)


class Changes:
    """Random rows that come, change and go."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.next = 1
        self.rows: dict[str, dict[int, dict[str, Any]]] = {"customers": {}, "orders": {}, "items": {}}

    def _row(self, table: str, key: int) -> dict[str, Any]:
        some = self.chance.randint
        match table:
            case "customers":
                return {"cid": key, "city": self.chance.choice(["Bern", "Rome", "Oslo", None])}
            case "orders":
                return {"oid": key, "cid": self._any("customers"), "amount": some(1, 9)}
            case _:
                return {"iid": key, "oid": self._any("orders"), "price": some(1, 9)}

    def _any(self, table: str) -> int | None:
        known = list(self.rows[table])
        return self.chance.choice(known) if known and self.chance.random() < 0.95 else None

    def some(self, table: str, insertions: int, others: int) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = []
        for _ in range(insertions):
            self.next += 1
            self.rows[table][self.next] = self._row(table, self.next)
            records.append(self.rows[table][self.next])
        for key in self.chance.sample(sorted(self.rows[table]), min(others, len(self.rows[table]))):
            if self.chance.random() < 0.5:
                self.rows[table][key] = self._row(table, key)
                records.append({"op": "update", "row": self.rows[table][key]})
            else:
                gone = self.rows[table].pop(key)
                records.append({"op": "delete", "row": {next(iter(gone)): key}})
        return records


def assert_right(kept: Keeping, changes: Changes) -> None:
    """Every view holds what DuckDB says of the rows as they are."""
    with duckdb.connect() as base:
        base.execute(TABLES.replace("STRING", "VARCHAR"))
        for table, rows in changes.rows.items():
            for row in rows.values():
                base.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row.values()))
        for name, sql in VIEWS.items():
            base.execute(f"CREATE VIEW {name} AS {sql}")
            expected = sorted(base.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            assert kept.rows(name) == expected, name


def test_views_over_views_are_one_action_and_right(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending: dict[str, DataFile] = {}

    class Seen(Deciding):
        def hold(self, works: Sequence[Job]) -> dict[str, int]:
            held = super().hold(works)
            pending.update(self.pending)
            return held

    monkeypatch.setattr(pusher, "Deciding", Seen)
    changes, kept = Changes(1), Keeping(spark, tmp_path, CHAIN)
    for turn in range(ROUNDS):
        # Insertions alone, then with updates and deletions: what is said of weights differs.
        for table in ("customers", "orders", "items"):
            kept.ingest(table, changes.some(table, 6, 4 if turn % 2 == 0 and turn else 0))
        pending.clear()
        records = kept.push()
        assert_right(kept, changes)
        if turn:
            working = [record for record in records if record.mode == "incremental"]
            assert len({record.action for record in working}) == 1
            assert {"placed", "sold"} <= pending.keys()
            for name, file in pending.items():
                check(kept, name, file)


def check(kept: Keeping, stage: str, pending: DataFile) -> None:
    """Every row that was written lies within what was said of it before."""
    assert pending.path == path_of(stage)
    time = pending.minimum[TIME]
    for file in kept.workplace.timeline(stage).delta(time - 1, time).files:
        for name, low in pending.minimum.items():
            if name == WEIGHT:
                assert file.minimum[WEIGHT] >= low, stage
            elif file.minimum.get(name) is not None:
                assert low <= file.minimum[name], (stage, name)
                assert file.maximum[name] <= pending.maximum[name], (stage, name)


def test_a_delta_of_a_later_level_skips_as_if_the_earlier_was_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Keys that grow: what is known of new orders keeps old items unread."""
    kept = Keeping(spark, tmp_path, CHAIN)
    for start in (0, 1000):
        span = range(start, start + 50)
        kept.ingest("customers", [{"cid": number, "city": "Bern"} for number in span])
        kept.ingest("orders", [{"oid": number, "cid": number, "amount": 5} for number in span])
        kept.ingest("items", [{"iid": number, "oid": number, "price": 5} for number in span])
        kept.push()
    span = range(3000, 3010)
    kept.ingest("customers", [{"cid": number, "city": "Rome"} for number in span])
    kept.ingest("orders", [{"oid": number, "cid": number, "amount": 5} for number in span])
    kept.ingest("items", [{"iid": number, "oid": number, "price": 5} for number in span])
    deciding = Deciding(kept.workplace, Forecaster(kept.workplace), kept.clock.now())
    assert len(list(actions.actions(kept.catalog.levels(["sold"]), deciding))) == 1
    placed, sold = deciding.pending["placed"], deciding.pending["sold"]
    assert (placed.minimum["oid"], placed.maximum["oid"]) == (3000, 3009)
    assert (sold.minimum["oid"], sold.maximum["oid"]) == (3000, 3009)
    assert sold.rows == 10  # of each join one term is left, and it reads new rows only
    assert sold.minimum[WEIGHT] == 1


def test_what_would_hold_much_in_memory_is_written_between_levels(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, changes = Keeping(spark, tmp_path, CHAIN), Changes(11)
    for _ in range(2):
        for table in ("customers", "orders", "items"):
            kept.ingest(table, changes.some(table, 6, 0))
        monkeypatch.setattr(actions, "MOST_HELD", 3)
        records = kept.push()
        assert_right(kept, changes)
    done_in = [record.action for record in records if record.mode == "incremental"]
    assert 1 < len(set(done_in)) < len(done_in)


def test_what_failed_is_pushed_level_by_level(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, CHAIN)
    changes = Changes(7)
    for table in ("customers", "orders", "items"):
        kept.ingest(table, changes.some(table, 5, 0))
    kept.push()
    for table in ("customers", "orders", "items"):
        kept.ingest(table, changes.some(table, 5, 0))
    kept.executor.watermarks = dict.fromkeys(kept.project.tables, kept.clock.now())
    kept.executor.push_now(kept.project.views, kept.clock.now(), hints=False)
    done_in = {record.action for record in kept.records.drain() if record.mode == "incremental"}
    assert len(done_in) > 1
    assert_right(kept, changes)


def test_what_a_view_remembers_is_not_taken_for_what_it_shows(spark: SparkSession, tmp_path: Path) -> None:
    """Groups are remembered by `cid`; another column is shown under that name."""
    shifted = "SELECT cid + 1000 AS cid, count(*) AS n FROM orders GROUP BY cid"
    ddl = f"CREATE MATERIALIZED VIEW shifted FRESHNESS = INTERVAL '9' SECOND AS {shifted};\n"
    kept = Keeping(spark, tmp_path, TABLES + ddl)
    kept.ingest("orders", [{"oid": number, "cid": number, "amount": 1} for number in (1, 2, 3)])
    kept.push()
    stage = kept.catalog.kept["shifted"].stages[-1]
    relations = kept.workplace.relations(stage, kept.clock.now())
    own = scan_rows(stage.name, stage.columns, Version.NEW)
    key = next(name for name in own.columns if name.endswith("cid"))
    assert range_of(relations, own, key, within={}) == (1, 3)
