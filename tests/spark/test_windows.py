"""Windows on Spark: a window as the only key, before another key and after it, pushed and verified."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from headwater.algebra.expressions.build import concat
from headwater.algebra.expressions.tree import AggregateCall, Column
from headwater.algebra.plans.nodes import Aggregate, Project, Scan, Version, Windows
from headwater.engine.query.operators import aggregate_weighted
from headwater.engine.query.query import Query
from headwater.engine.query.windowed import aggregate_in_windows, windows, worth_panes
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

DDL = """
CREATE TABLE e (id BIGINT PRIMARY KEY, k STRING, ts TIMESTAMP, x BIGINT);
CREATE MATERIALIZED VIEW alone AS
  SELECT window(ts, '6 seconds', '3 seconds').start AS since, count(*) AS n FROM e GROUP BY window(ts, '6 seconds', '3 seconds');
CREATE MATERIALIZED VIEW first AS
  SELECT k, window(ts, '6 seconds') AS w, sum(x) AS total FROM e GROUP BY window(ts, '6 seconds'), k;
CREATE MATERIALIZED VIEW last AS
  SELECT k, window(ts, '6 seconds') AS w, sum(x) AS total FROM e GROUP BY k, window(ts, '6 seconds');
"""


def events(*times: int) -> list[dict[str, object]]:
    return [{"id": at, "k": "ab"[at % 2], "ts": f"2026-01-01T00:00:{at:02}Z", "x": at} for at in times]


def test_a_window_may_be_any_key(spark: SparkSession, tmp_path: Path) -> None:
    keeping = Keeping(spark, tmp_path, DDL)
    for times in ((0, 1, 2, 7), (3, 8, 20)):
        assert keeping.ingest("e", events(*times)).accepted == len(times)
        keeping.push()
        assert [verified.view for verified in keeping.verify_all() if not verified.equal] == []
    assert [n for _, n in sorted(keeping.rows("alone"))] == [3, 4, 3, 2, 1, 1]
    assert keeping.rows("first") == keeping.rows("last") != []


@pytest.mark.parametrize("column", ["at", "local"])
def test_windows_of_many_slides_are_those_of_spark(spark: SparkSession, column: str) -> None:
    """With a time zone and without, paired windows and offsets, around a change of the clock; NULL lies in none."""
    random = Random(1)
    moments = [
        datetime(2026, 3, 8, random.randint(0, 5), random.randint(0, 59), random.randint(0, 59))
        for _ in range(60)
    ]
    rows = [(number, None if number % 9 == 0 else moment, 1) for number, moment in enumerate(moments)]
    spark.createDataFrame(rows, "id long, at timestamp, _weight long").createOrReplaceTempView("moments")
    text = "(SELECT id, at, CAST(at AS TIMESTAMP_NTZ) AS local, _weight FROM moments)"
    for size, slide, offset in ((61, 7, 3), (3600, 100, -17)):
        lengths = (timedelta(seconds=seconds) for seconds in (size, slide, offset))
        node = Windows(Scan("moments", "m", ("id",)), "w", Column(column), *lengths)
        own = windows(
            Query(text, ("m.id",)), replace(node, child=Project(node.child, (("id", Column("m.id")),)))
        )
        sparks = f"window({column}, '{size} seconds', '{slide} seconds', '{offset} seconds')"
        ours, expected = (
            spark.sql(f"SELECT id, w FROM {own.text}"),
            spark.sql(f"SELECT id, {sparks} AS w FROM {text}"),
        )
        assert ours.schema.simpleString() == expected.schema.simpleString()
        assert sorted(map(repr, ours.collect())) == sorted(map(repr, expected.collect()))


def test_rows_that_are_added_up_before_they_go_into_windows(spark: SparkSession) -> None:
    """Windows of several lengths at once, rows that come, go and come twice: as if each were put into its windows."""
    random = Random(1)
    rows = [
        (
            None
            if random.random() < 0.05
            else datetime(2026, 3, 8, 2, random.randint(0, 1), random.randint(0, 59)),
            random.choice("ab"),
            Decimal(random.randint(0, 99)),
            random.choice((1, 1, -1, 2)),
        )
        for _ in range(150)
    ]
    schema = "at timestamp, k string, x decimal(12,4), _weight long"
    spark.createDataFrame(rows, schema).createOrReplaceTempView("changes")
    names = ("m.at", "m.k", "m.x")
    query = Query("(SELECT at AS `m.at`, k AS `m.k`, x AS `m.x`, _weight FROM changes)", names)
    lengths = [
        tuple(timedelta(seconds=part) for part in parts)
        for parts in ((60, 2, 0), (30, 3, 1), (7, 3, -1), (2, 5, 0))
    ]
    scan = Scan("changes", "m", ("at", "k", "x"), Version.DELTA)
    node = Windows(scan, "w", Column("m.at"), *lengths[0]).of_many(lengths, "$member")
    calls = (
        AggregateCall("n", "count", (), "count(1)"),
        *(
            AggregateCall(name, name, (Column("m.x"),), f"{name}({{0}})", type="decimal(38,4)")
            for name in ("sum", "gained_max", "lost_min")
        ),
    )
    keys = (("k", Column("m.k")), ("w", Column("w")), ("$member", Column("$member")))
    plan = Aggregate(node, keys, calls)
    assert worth_panes(plan)
    own = spark.sql(f"SELECT * FROM {aggregate_in_windows(query, plan).text}")
    expected = spark.sql(f"SELECT * FROM {aggregate_weighted(windows(query, node), keys, calls).text}")
    assert own.schema.simpleString() == expected.schema.simpleString()
    assert sorted(map(repr, own.collect())) == sorted(map(repr, expected.collect())) != []


def test_windows_that_hold_few_rows_twice_are_not_worth_it() -> None:
    lengths = (timedelta(seconds=4), timedelta(seconds=2), timedelta())
    scan = Scan("changes", "m", ("at", "k"), Version.DELTA)
    one = Windows(scan, "w", Column("m.at"), *lengths)
    count = (AggregateCall("n", "count", (), "count(1)"),)
    for node in (one, one.of_many([lengths, lengths], "$member")):
        assert not worth_panes(Aggregate(node, (("w", Column("w")),), count))
    many = one.of_many([(timedelta(seconds=20), *lengths[1:])] * 2, "$member")
    assert worth_panes(Aggregate(many, (("w", Column("w")),), count))
    mixed = (("k", concat(Column("m.k"), Column("$member"))),)
    assert not worth_panes(Aggregate(many, mixed, count)), "a key of both cannot be made before"
