"""Pushes on Spark: how each kind of stage advances, what it costs, and what survives a crash."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.algebra.delta.derive import delta
from headwater.algebra.plans.nodes import Join
from headwater.algebra.plans.walks import nodes
from headwater.engine.push.action import push_stage
from headwater.engine.push.decide import decide
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.writer import QueryWriter
from headwater.planning.cost.refresh import Choice
from headwater.planning.stages.actions import Mode
from headwater.storage.timeline import WEIGHT
from support.spark.keeping import Keeping
from support.spark.shop import BY_CITY, CITIES, JOINED, ORDERS, SHOP, view

pytestmark = pytest.mark.spark


def filled(spark: SparkSession, folder: Path, ddl: str) -> Keeping:
    kept = Keeping(spark, folder, SHOP + ddl)
    kept.ingest("customers", CITIES)
    kept.ingest("orders", ORDERS)
    return kept


def test_an_empty_push_runs_no_spark_job(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, JOINED)
    (first,) = kept.push()
    assert first.mode == "initial"
    assert first.spark_jobs > 0
    before = kept.time_of("joined")
    (second,) = kept.push()
    assert (second.mode, second.spark_jobs) == ("empty", 0)
    assert kept.time_of("joined") > before
    assert len(kept.rows("joined")) == 3


def test_inserts_updates_and_deletes_reach_the_view(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, JOINED + BY_CITY)
    kept.push()
    kept.ingest(
        "orders",
        [
            {"op": "update", "row": {"oid": 1, "cid": 2, "amount": 50}},
            {"op": "delete", "row": {"oid": 3}},
            {"op": "insert", "row": {"oid": 4, "cid": 2, "amount": 3}},
        ],
    )
    kept.ingest("customers", [{"op": "update", "row": {"cid": 2, "city": "Oslo"}}])
    records = {record.stage: record for record in kept.push()}
    assert records["joined"].mode == records["by_city"].mode == "incremental"
    assert kept.rows("joined") == [(1, "Oslo", 50), (2, "Oslo", 7), (4, "Oslo", 3)]
    assert kept.rows("by_city") == [("Oslo", 3, 60)]
    assert all(kept.verify(name).equal for name in ("joined", "by_city"))


def test_a_group_goes_when_its_last_row_goes_and_comes_back(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, BY_CITY)
    kept.push()
    kept.ingest("orders", [{"op": "delete", "row": {"oid": 2}}])
    kept.push()
    assert kept.rows("by_city") == [("Bern", 2, 6)]
    kept.ingest("orders", [{"oid": 9, "cid": 2, "amount": 8}])
    kept.push()
    assert kept.rows("by_city") == [("Bern", 2, 6), ("Rome", 1, 8)]


def test_an_update_that_keeps_the_join_key_keeps_its_partner(spark: SparkSession, tmp_path: Path) -> None:
    """The keys of a delta are those it touches, also where the weights of a key cancel."""
    kept = filled(
        spark,
        tmp_path,
        view("outer_", "SELECT o.oid, o.amount, c.city FROM orders o LEFT JOIN customers c ON o.cid = c.cid"),
    )
    kept.push()
    kept.ingest("orders", [{"op": "update", "row": {"oid": 1, "cid": 1, "amount": 6}}])
    kept.push()
    assert kept.rows("outer_") == [(1, 6, "Bern"), (2, 7, "Rome"), (3, 1, "Bern")]


def test_full_refresh_keeps_what_has_no_delta_rule(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(
        spark,
        tmp_path,
        view(
            "top",
            "WITH RECURSIVE r(id) AS (SELECT 6 UNION ALL SELECT id + 1 FROM r WHERE id < 50)"
            " SELECT oid, amount FROM orders JOIN r ON r.id = amount",
            "AUTO",
        ),
    )
    kept.push()
    kept.ingest("orders", [{"oid": 4, "cid": 1, "amount": 6}])
    (record,) = kept.push()
    assert record.mode == "full"
    assert "RECURSIVE" in record.reason
    assert record.result_rows == 1  # the difference is what is stored
    assert kept.rows("top") == [(2, 7), (4, 6)]
    assert kept.verify("top").equal


def test_full_and_incremental_give_the_same(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, BY_CITY)
    kept.push()
    kept.ingest("orders", [{"op": "update", "row": {"oid": 1, "cid": 2, "amount": 50}}])
    kept.clock.advance(timedelta(seconds=1))
    one = kept.catalog.kept["by_city"]
    asked_for = Choice(True, "asked for")
    job = decide(kept.workplace, one, one.stages[-1], kept.clock.now(), lambda *_: asked_for)
    pushed = push_stage(kept.workplace, job)
    assert pushed.mode is Mode.FULL
    assert kept.verify("by_city").equal


def test_views_over_views_are_pushed_to_one_time(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, BY_CITY + view("large", "SELECT city, total FROM by_city WHERE total > 6"))
    kept.push("large")
    assert kept.time_of("large") == kept.time_of("by_city")
    kept.ingest("orders", [{"oid": 4, "cid": 3, "amount": 6}])
    kept.push("by_city")
    kept.push("large")
    assert kept.time_of("large") == kept.time_of("by_city")
    assert kept.rows("large") == [("Bern", 12), ("Rome", 7)]
    assert kept.verify("large").equal


def test_having_hides_rows_without_forgetting_them(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(
        spark,
        tmp_path,
        view("busy", "SELECT cid, avg(amount) AS mean FROM orders GROUP BY cid HAVING count(*) > 1")
        + view("above", "SELECT count(*) AS busy_ones FROM busy"),
    )
    kept.push()
    assert kept.rows("busy") == []
    assert kept.rows("above") == [(0,)]
    kept.ingest("orders", [{"oid": 4, "cid": 2, "amount": 8}])
    kept.push()
    assert kept.rows("busy") == [(2, 7.5)]
    assert kept.rows("above") == [(1,)]
    kept.ingest("orders", [{"op": "delete", "row": {"oid": 2}}])
    kept.push()
    assert kept.rows("busy") == []


def test_a_join_reads_only_the_files_its_delta_can_meet(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, SHOP + JOINED)
    for start in (0, 1000, 2000):
        kept.ingest("customers", [{"cid": start + number, "city": "x"} for number in range(100)])
    kept.ingest("orders", [{"oid": 1, "cid": 5, "amount": 1}])
    kept.push()
    kept.ingest("orders", [{"oid": 2, "cid": 2005, "amount": 1}, {"oid": 3, "cid": 2050, "amount": 2}])
    one = kept.catalog.kept["joined"]
    kept.clock.advance(timedelta(seconds=1))
    relations = kept.workplace.relations(one.stages[-1], kept.clock.now())
    plan = delta(one.stages[-1], frozenset({"orders"}))
    assert plan is not None
    with Inputs(spark) as opened:
        QueryWriter(relations, opened).query(plan)
    assert relations.scanned["customers new"] == 100  # of 300: one file of three


def test_deltas_are_broadcast_and_relations_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    """A join of relations is as large as the largest of them: who takes it for small broadcasts all there is."""
    chain = (
        "SELECT o.oid, c.city, p.oid AS other FROM orders o, orders p, customers c"
        " WHERE o.cid = c.cid AND p.cid = c.cid"
    )
    kept = filled(spark, tmp_path, view("chain", chain))
    kept.push()
    (stage,) = kept.catalog.kept["chain"].stages
    assert stage.plan is not None
    kept.ingest("orders", [{"oid": 9, "cid": 2, "amount": 1}])
    kept.clock.advance(timedelta(seconds=1))
    relations = kept.workplace.relations(stage, kept.clock.now())
    changed = delta(stage, frozenset({"orders"}))
    assert changed is not None
    with Inputs(spark) as opened:
        anew = QueryWriter(relations, opened).query(stage.plan).text
        assert "BROADCAST" not in anew
        assert "CROSS JOIN" not in anew, "orders with orders, which only customers connect"
        assert "BROADCAST" in QueryWriter(relations, opened).query(changed).text
    joins = [node for node in nodes(stage.plan) if isinstance(node, Join)]
    assert Estimates(relations).rows(joins[-1]) == kept.workplace.rows("orders")


def test_a_definition_that_changes_starts_anew(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, JOINED)
    kept.push()
    other = view(
        "joined", "SELECT o.oid, c.city FROM orders o JOIN customers c ON o.cid = c.cid WHERE o.oid > 1"
    )
    again = Keeping(spark, tmp_path, SHOP + other, kept.clock)
    assert again.push()[-1].mode == "initial"
    assert again.rows("joined") == [(2, "Rome"), (3, "Bern")]
    assert again.warehouse.published("joined").schema().names == ["oid", "city"]


def test_a_crash_between_a_hidden_stage_and_its_view_loses_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    ddl = view(
        "ranked",
        "SELECT c.city, t.total FROM customers c JOIN (SELECT cid, sum(amount) AS total FROM orders GROUP BY cid) t"
        " ON t.cid = c.cid",
    )
    kept = filled(spark, tmp_path, ddl)
    kept.push()
    kept.ingest("orders", [{"oid": 4, "cid": 1, "amount": 100}])
    kept.clock.advance(timedelta(seconds=1))
    one = kept.catalog.kept["ranked"]
    assert len(one.stages) == 2
    # The hidden stage commits, then the process dies.
    by_delta = Choice(False, "test")
    push_stage(
        kept.workplace, decide(kept.workplace, one, one.stages[0], kept.clock.now(), lambda *_: by_delta)
    )
    again = Keeping(spark, tmp_path, SHOP + ddl, kept.clock)
    again.ingest("orders", [{"oid": 5, "cid": 2, "amount": 1000}])
    again.push()
    assert again.rows("ranked") == [("Bern", 1), ("Bern", 105), ("Rome", 1007)]
    assert again.verify("ranked").equal


def test_verify_finds_a_row_too_many(spark: SparkSession, tmp_path: Path) -> None:
    kept = filled(spark, tmp_path, JOINED)
    kept.push()
    timeline = kept.workplace.timeline("joined")
    kept.clock.advance(timedelta(seconds=1))
    import pyarrow as pa

    wrong = pa.table({"oid": [77], "city": ["Nowhere"], "amount": [0], WEIGHT: pa.array([1], pa.int64())})
    timeline.append(wrong, kept.clock.now())
    found = kept.verify("joined")
    assert not found.equal
    assert [row["oid"] for row, _ in found.extra] == [77]
    assert not found.missing
