"""Views that say now(): rows enter and leave as time passes, though nothing else changes.

A view at time t equals its SQL with now() = t: `verify` says so after every push.
"""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.engine.upkeep.verify import verify_all
from headwater.planning.stages.actions import Mode
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

HOUR = datetime.timedelta(hours=1)
START = datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.UTC)  # of a ManualClock

DDL = """
CREATE TABLE events (id BIGINT, kind STRING, v INT, at TIMESTAMP, day DATE, PRIMARY KEY (id));
CREATE TABLE kinds (kind STRING, since TIMESTAMP, PRIMARY KEY (kind));
CREATE MATERIALIZED VIEW recent REFRESH POLICY INCREMENTAL STRICT AS
  SELECT id, v FROM events WHERE at > now() - INTERVAL '1' HOUR;
CREATE MATERIALIZED VIEW totals REFRESH POLICY INCREMENTAL STRICT AS
  SELECT kind, count(*) AS n, sum(v) AS s, max(v) AS m FROM events
  WHERE at BETWEEN current_timestamp - INTERVAL 2 HOURS AND current_timestamp() GROUP BY kind;
CREATE MATERIALIZED VIEW coming REFRESH POLICY INCREMENTAL STRICT AS
  SELECT e.id, k.since FROM events e JOIN kinds k ON e.kind = k.kind AND k.since <= now()
  WHERE e.at + INTERVAL '90' MINUTE > now();
CREATE MATERIALIZED VIEW today REFRESH POLICY INCREMENTAL STRICT AS
  SELECT id, CASE WHEN at <= now() THEN 'past' ELSE 'future' END AS tense FROM events
  WHERE day >= current_date();
CREATE MATERIALIZED VIEW quiet REFRESH POLICY INCREMENTAL STRICT AS
  SELECT kind, max(at) AS last FROM events GROUP BY kind HAVING max(at) < now() - INTERVAL '1' HOUR;
CREATE MATERIALIZED VIEW ages REFRESH POLICY INCREMENTAL STRICT AS
  SELECT kind, count(*) FILTER (WHERE at > now()) AS coming,
    floor((unix_timestamp() - unix_timestamp(min(at))) / 3600) AS hours
  FROM events GROUP BY kind;
CREATE MATERIALIZED VIEW unmatched REFRESH POLICY INCREMENTAL STRICT AS
  SELECT k.kind FROM kinds k
  WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.kind = k.kind AND e.at > now() - INTERVAL 1 HOUR);
CREATE MATERIALIZED VIEW anew REFRESH POLICY FULL AS
  SELECT id FROM events WHERE at > now() - INTERVAL '1' HOUR;
CREATE MATERIALIZED VIEW above AS SELECT count(*) AS n FROM recent;
"""


def event(number: int, hours: float, kind: str = "a") -> dict[str, object]:
    at = START + hours * HOUR
    return {"id": number, "kind": kind, "v": number % 5, "at": at, "day": at.date()}


def ids(kept: Keeping) -> set[int]:
    return {row[0] for row in kept.rows("recent")}


def assert_equal(kept: Keeping) -> None:
    for verified in verify_all(kept.workplace, list(kept.catalog.kept.values())):
        assert verified.equal, f"{verified.view}: {verified.missing} {verified.extra}"


def test_rows_enter_and_leave_as_time_passes(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, DDL)
    kept.ingest("events", [event(number, number / 4 - 3, "abc"[number % 3]) for number in range(24)])
    kept.ingest(
        "kinds", [{"kind": kind, "since": START + hours * HOUR} for kind, hours in (("a", -1), ("b", 1))]
    )
    kept.push()
    assert ids(kept) == set(range(9, 24))
    assert_equal(kept)
    kept.clock.advance(2 * HOUR)
    modes = {record.stage: record.mode for record in kept.push()}
    assert modes["recent"] == Mode.INCREMENTAL.value
    assert modes["anew"] == Mode.FULL.value
    assert ids(kept) == set(range(17, 24))
    assert kept.rows("above") == [(7,)]
    assert_equal(kept)
    kept.ingest("events", [event(30, 2.5), {"op": "delete", "row": {"id": 20}}, event(21, 1)])
    kept.clock.advance(HOUR / 2)
    kept.push()
    assert_equal(kept)


def test_what_has_left_is_found_by_its_times(spark: SparkSession, tmp_path: Path) -> None:
    """A push reads the files whose times the border has passed, not the others."""
    kept = Keeping(
        spark,
        tmp_path,
        "CREATE TABLE events (id BIGINT, kind STRING, v INT, at TIMESTAMP, day DATE, PRIMARY KEY (id));"
        "CREATE MATERIALIZED VIEW recent AS SELECT id FROM events WHERE at > now() - INTERVAL '1' HOUR;"
        "CREATE MATERIALIZED VIEW daily AS SELECT id FROM events WHERE day = current_date();",
    )
    for hours in range(-3, 3):
        kept.ingest("events", [event(10 * hours + 100 + number, hours + number / 20) for number in range(10)])
    kept.push()
    kept.clock.advance(HOUR)
    records = {record.stage: record for record in kept.push()}
    assert records["recent"].scanned_rows <= 20  # two of six files
    assert records["daily"].mode == Mode.EMPTY.value  # it is the same day
    assert_equal(kept)
    kept.clock.advance(HOUR)
    assert {record.stage: record.mode for record in kept.push()}["daily"] == Mode.INCREMENTAL.value
    assert_equal(kept)
