"""A view whose sources lag behind what it shares waits for them: no change ends up before its time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.errors import HeadwaterError
from headwater.storage.timeline import WEIGHT
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW {} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY INCREMENTAL AS {};\n"
DDL = (
    SHOP
    + "CREATE TABLE notes (oid BIGINT, note STRING);\n"
    + VIEW.format("joined", "SELECT o.oid, c.city FROM orders o JOIN customers c ON o.cid = c.cid")
    + VIEW.format("noted", "SELECT j.oid, j.city, n.note FROM joined j JOIN notes n ON n.oid = j.oid")
)


def test_a_change_that_is_still_being_committed_is_not_lost(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, DDL)
    kept.ingest("customers", [{"cid": 1, "city": "Bern"}])
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 5}, {"oid": 2, "cid": 1, "amount": 5}])
    kept.ingest("notes", [{"oid": 1, "note": "a"}])
    kept.push()
    stuck = kept.clock.now()
    # Somebody holds the notes while the others go on: their watermark stays.
    kept.ingest("orders", [{"oid": 3, "cid": 1, "amount": 5}])
    kept.clock.advance(timedelta(seconds=1))
    ahead = kept.clock.now()
    kept.executor.watermarks |= {"orders": ahead, "customers": ahead, "notes": stuck}
    kept.executor.push_now(["joined"])
    assert kept.time_of("joined") == ahead
    with pytest.raises(
        HeadwaterError, match=r"waiting for its sources: captured up to \d\d:\d\d:\d\d, needed"
    ):
        kept.executor.push_now(["noted"])
    # A look at the views, as a run takes it, just waits.
    kept.clock.advance(timedelta(seconds=20))
    failures = kept.executor.states["noted"].failures
    kept.executor.step()
    assert kept.executor.states["noted"].failures == failures
    assert kept.time_of("noted") == stuck
    # It lets go: the note counts from before the time that `joined` has reached.
    late = pa.table({"oid": [2], "note": ["late"], WEIGHT: pa.array([1], pa.int64())})
    kept.warehouse.source("notes").append(late, ahead - 500_000)
    kept.push()
    assert kept.rows("noted") == [(1, "Bern", "a"), (2, "Bern", "late")]
    assert kept.verify("noted").equal


def computed(spark: SparkSession, folder: Path) -> Keeping:
    """Views with promises of 400 s, computed once."""
    kept = Keeping(spark, folder, DDL.replace("'9' SECOND", "'400' SECOND"))
    kept.ingest("customers", [{"cid": 1, "city": "Bern"}])
    kept.ingest("notes", [{"oid": 1, "note": "a"}])
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 5}])
    kept.push()
    return kept


def test_looks_become_denser_until_a_push_is_due(spark: SparkSession, tmp_path: Path) -> None:
    kept = computed(spark, tmp_path)
    kept.ingest("orders", [{"oid": 3, "cid": 1, "amount": 5}])
    kept.push()  # the first of a run that changes something does not wait
    pushed = kept.time_of("noted")
    kept.ingest("orders", [{"oid": 2, "cid": 1, "amount": 5}])
    looks = []
    forecast = Forecaster.forecast
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Forecaster, "forecast", lambda *a: looks.append(kept.clock.now()) or forecast(*a))
        while kept.time_of("noted") == pushed:
            assert kept.clock.now() - pushed < 400_000_000, "the promise is broken"
            kept.clock.advance(timedelta(seconds=1))
            kept.executor.watermarks = dict.fromkeys(kept.project.tables, kept.clock.now())
            kept.executor.step()
            if any(state.running for state in kept.executor.states.values()):
                kept.executor.close()
    assert kept.clock.now() - pushed > 300_000_000  # as late as SLACK says, but for the push itself
    assert len(set(looks)) < 50  # and not one every second


def test_the_first_push_of_a_run_does_not_wait(spark: SparkSession, tmp_path: Path) -> None:
    kept = computed(spark, tmp_path)
    started = spark_executor(kept.workplace, kept.clock)

    def look() -> bool:
        kept.clock.advance(timedelta(seconds=2))
        started.watermarks = dict.fromkeys(kept.project.tables, kept.clock.now())
        started.step()
        return any(state.running for state in started.states.values())

    assert not look()  # nothing to push
    kept.ingest("orders", [{"oid": 2, "cid": 1, "amount": 5}])
    assert look()
    started.close()
    assert kept.verify("noted").equal
    assert kept.time_of("joined") == kept.clock.now()
