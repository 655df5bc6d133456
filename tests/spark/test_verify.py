"""`verify` compares every row, forgives the last digits of a sum, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from headwater.engine.query.inputs import Inputs
from headwater.engine.upkeep import differences as module
from headwater.engine.upkeep.compaction import compact
from headwater.engine.upkeep.differences import Differences, differences
from headwater.engine.upkeep.verify import verify_all
from headwater.storage.timeline import WEIGHT
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW cheap FRESHNESS = INTERVAL '9' SECOND AS SELECT oid, amount FROM orders;"


def compared(spark: SparkSession, expected: str, stored: str) -> Differences:
    """The difference of two VALUES lists, each row once."""
    with Inputs(spark) as inputs:
        sides = [
            inputs.frame(spark.sql(f"SELECT *, 1L AS {WEIGHT} FROM {rows}")) for rows in (expected, stored)
        ]
        return differences(inputs, *sides)


@pytest.mark.parametrize(
    ("expected", "stored", "missing", "extra"),
    [
        ("VALUES (1, 0.1D), (2, 5D) AS t(k, x)", "VALUES (1, 0.1D), (2, 5D) AS t(k, x)", 0, 0),
        ("VALUES (1, 0.3D) AS t(k, x)", "VALUES (1, 0.30000000000000004D) AS t(k, x)", 0, 0),
        ("VALUES (1, 1e-12D) AS t(k, x)", "VALUES (1, 3e-12D) AS t(k, x)", 1, 1),  # small, and different
        ("VALUES (1, 1e12D) AS t(k, x)", "VALUES (1, 1000000000000.1D) AS t(k, x)", 0, 0),  # large, and alike
        ("VALUES (1, 1e6D), (2, 0D) AS t(k, x)", "VALUES (1, 1e6D), (2, 1e-10D) AS t(k, x)", 0, 0),
        ("VALUES (1, 1D), (2, 0D) AS t(k, x)", "VALUES (1, 1D), (2, 1e-10D) AS t(k, x)", 1, 1),
        ("VALUES (double('infinity')) AS t(x)", "VALUES (5D) AS t(x)", 1, 1),
        ("VALUES (double('nan')), (1D) AS t(x)", "VALUES (1D), (double('nan')) AS t(x)", 0, 0),
        ("VALUES (double('nan')) AS t(x)", "VALUES (1D) AS t(x)", 1, 1),
        ("VALUES (1, null) AS t(k, x)", "VALUES (1, 1D) AS t(k, x)", 1, 1),
        ("VALUES (1, 1D), (1, 1D) AS t(k, x)", "VALUES (1, 1D) AS t(k, x)", 1, 0),
        ("VALUES (1, float(0.1)) AS t(k, x)", "VALUES (1, float(0.10000001)) AS t(k, x)", 0, 0),
        ("VALUES (1, 'a'), (2, 'b') AS t(k, s)", "VALUES (1, 'a'), (2, 'c'), (3, 'd') AS t(k, s)", 1, 2),
        # Rounding changes the order of the rows, so that they do not meet where they are counted.
        (
            "VALUES (1, 1.0D, 5D), (1, 1.0000000000001D, 9D) AS t(k, x, y)",
            "VALUES (1, 1.0000000000002D, 5D), (1, 1.0D, 9D) AS t(k, x, y)",
            0,
            0,
        ),
        (
            "VALUES (1, array(0.3D), named_struct('a', 0.1D)) AS t(k, xs, s)",
            "VALUES (1, array(0.30000000000000004D), named_struct('a', 0.1D)) AS t(k, xs, s)",
            0,
            0,
        ),
    ],
)
def test_what_counts_as_different(
    expected: str, stored: str, missing: int, extra: int, spark: SparkSession
) -> None:
    found = compared(spark, expected, stored)
    assert (found.missing_rows, found.extra_rows) == (missing, extra), found


def test_a_difference_beyond_what_comes_to_python_is_seen_and_counted(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5,000 sums that differ in the last digit, and behind them one row that is wrong."""
    monkeypatch.setattr(module, "LEFT", 10)
    sums = "(SELECT id AS k, {x} AS x FROM range(5000)) AS t"
    right = sums.format(x="id / 3D")
    wrong = sums.format(x="CASE WHEN id = 4999 THEN -1D ELSE id / 3D + id / 3D * 1e-15D END")
    found = compared(spark, right, wrong)
    assert (found.missing_rows, found.extra_rows) == (1, 1)
    assert [row for row, _ in found.extra] == [(4999, -1.0)]
    many = compared(spark, right, sums.format(x="id / 3D + 1"))
    assert (many.missing_rows, many.extra_rows) == (5_000, 5_000)
    assert len(many.missing) == len(many.extra) == module.SHOWN


def test_a_view_with_thousands_of_wrong_rows(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, SHOP + VIEW)
    kept.ingest("orders", [{"oid": n, "cid": 1, "amount": n} for n in range(10)])
    kept.push()
    rows = range(1_000, 4_000)
    wrong = {"oid": list(rows), "amount": [0] * len(rows), WEIGHT: [1] * len(rows)}
    timeline = kept.workplace.timeline("cheap")
    timeline.append(pa.table(wrong), timeline.time() + 1)
    verified = kept.verify("cheap")
    assert (verified.equal, verified.missing_rows, verified.extra_rows) == (False, 0, 3_000)


def test_far_years_are_pushed_published_and_verified(spark: SparkSession, tmp_path: Path) -> None:
    ddl = """
    CREATE TABLE events (k BIGINT PRIMARY KEY, at TIMESTAMP, day DATE);
    CREATE MATERIALIZED VIEW latest FRESHNESS = INTERVAL '9' SECOND AS
      SELECT day, max(at) AS at, count(*) AS n FROM events GROUP BY day;
    """
    kept = Keeping(spark, tmp_path, ddl)
    far = pa.table(
        {
            "k": pa.array([1, 2], pa.int64()),
            "at": pa.array([253_402_300_800_000_000, 0], pa.timestamp("us", "UTC")),
            "day": pa.array([2_932_897, 0], pa.date32()),
        }
    )
    kept.ingest("events", far)  # type: ignore[arg-type]
    kept.push()
    kept.ingest("events", [{"op": "delete", "row": {"k": 2}}])
    kept.push()
    assert kept.rows("latest") == [("10000-01-01", "10000-01-01 00:00:00.000000Z", 1)]
    assert kept.verify("latest").equal
    timeline = kept.workplace.timeline("latest")
    wrong = timeline.read(timeline.as_of(timeline.time())).slice(0, 1)
    timeline.append(wrong, timeline.time() + 1)
    assert not kept.verify("latest").equal


def test_views_of_one_time_are_verified_together_and_each_has_its_own_answer(
    spark: SparkSession, tmp_path: Path
) -> None:
    more = """
    CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '9' SECOND AS SELECT oid FROM orders WHERE amount > 3;
    CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '9' SECOND AS SELECT count(*) AS n FROM dear;
    """
    kept = Keeping(spark, tmp_path, SHOP + VIEW + more)
    kept.ingest("orders", [{"oid": n, "cid": 1, "amount": n} for n in range(10)])
    kept.push()
    views = [kept.catalog.kept[name] for name in ("cheap", "dear", "few")]
    assert [(view.view, view.equal, view.rows) for view in verify_all(kept.workplace, views)] == [
        ("cheap", True, 10),
        ("dear", True, 6),
        ("few", True, 1),
    ]
    timeline = kept.workplace.timeline("dear")
    timeline.append(pa.table({"oid": [77], WEIGHT: [1]}), timeline.time() + 1)
    assert [(view.equal, view.extra_rows) for view in verify_all(kept.workplace, views)] == [
        (True, 0),
        (False, 1),
        (True, 0),
    ]


def test_a_view_behind_the_views_that_it_reads(spark: SparkSession, tmp_path: Path) -> None:
    """Its source was compacted for those that read it, which are further."""
    few = "CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '9' SECOND AS SELECT count(*) AS n FROM cheap;"
    kept = Keeping(spark, tmp_path, SHOP + VIEW + few)
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 1}])
    kept.push()
    time = kept.time_of("few")
    for number in range(2, 5):
        kept.ingest("orders", [{"oid": number, "cid": 1, "amount": 1}])
        kept.push("cheap")
    source = kept.warehouse.source("orders")
    assert compact(source, kept.time_of("cheap"), many=2)
    assert kept.time_of("few") == time < source.horizon()
    assert [(view.view, view.equal, view.not_compared) for view in kept.verify_all()] == [
        ("cheap", True, ""), ("few", True, ""),
    ]  # fmt: skip
    timeline = kept.workplace.timeline("few")
    timeline.append(timeline.read(timeline.as_of(time)).slice(0, 1), time + 1)
    assert not kept.verify("few").equal


def test_a_view_whose_own_source_has_forgotten_its_time(spark: SparkSession, tmp_path: Path) -> None:
    """As beside stages that it shares, while it waits to be pushed."""
    kept = Keeping(spark, tmp_path, SHOP + VIEW)
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 1}])
    kept.push()
    for number in range(2, 5):
        kept.ingest("orders", [{"oid": number, "cid": 1, "amount": 1}])
    source = kept.warehouse.source("orders")
    assert compact(source, source.time(), many=2)
    verified = kept.verify("cheap")
    assert verified.equal
    assert "orders no longer has its rows" in verified.not_compared
    kept.push()
    assert kept.verify("cheap").equal
    assert not kept.verify("cheap").not_compared
