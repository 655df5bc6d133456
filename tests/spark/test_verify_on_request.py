"""A view that was asked about from outside is verified in the run's own Spark, and what was found is told."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from headwater.capture.rejected import RejectedRows
from headwater.engine.upkeep.verify_on_request import Verifier
from headwater.storage.notices.verifications import ask_for, asked, read_outcome
from headwater.storage.timeline import WEIGHT
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEW = "CREATE MATERIALIZED VIEW cheap FRESHNESS = INTERVAL '9' SECOND AS SELECT oid, amount FROM orders;"


def test_asked_verified_and_told(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, SHOP + VIEW)
    root, busy = kept.warehouse.root, iter([True, True, False])
    verifier = Verifier(kept.workplace, kept.clock, lambda: next(busy, False), RejectedRows(kept.warehouse))

    def told(view: str) -> dict[str, object]:
        ask_for(root, view, kept.clock.now())
        verifier.look()
        assert asked(root) == []
        outcome = read_outcome(root, view)
        assert outcome is not None
        return outcome

    assert "never been computed" in str(told("cheap")["error"])
    kept.ingest("orders", [{"oid": 1, "cid": 1, "amount": 7}])
    kept.push()
    equal = told("cheap")
    assert (equal["state"], equal["equal"], equal["rows"]) == ("done", True, 1)
    timeline = kept.workplace.timeline("cheap")
    timeline.append(pa.table({"oid": [2], "amount": [9], WEIGHT: [1]}), timeline.time() + 1)
    different = told("cheap")
    assert (different["equal"], different["missing_rows"], different["extra_rows"]) == (False, 0, 1)
    assert told("gone")["state"] == "failed"
