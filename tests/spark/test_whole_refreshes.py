"""Views that are recomputed as a whole on Spark, over tables whose rows came and went, and back by their deltas."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.planning.cost.refresh import Choice
from support.spark.keeping import Keeping
from support.spark.shop import CITIES, ORDERS, SHOP, view

pytestmark = pytest.mark.spark

VIEWS = {
    # Windows rank what is left of rows that changed.
    "newest": "SELECT oid, cid, amount FROM orders QUALIFY row_number() OVER (PARTITION BY cid ORDER BY oid DESC) = 1",
    # Hidden stages: a sum for each customer, then a rank; a left join with an average.
    "top": "SELECT cid, sum(amount) AS s FROM orders GROUP BY cid ORDER BY s DESC, cid LIMIT 2",
    "above": "SELECT oid FROM orders o WHERE amount > (SELECT avg(amount) FROM orders p WHERE p.cid = o.cid)",
    # As many rows as there are orders.
    "joined": "SELECT o.oid, c.city, o.amount FROM orders o LEFT JOIN customers c ON o.cid = c.cid",
}
CHANGES = [
    [
        {"op": "update", "row": {"oid": 1, "cid": 2, "amount": 50}},
        {"op": "delete", "row": {"oid": 3}},
        {"op": "insert", "row": {"oid": 4, "cid": 2, "amount": 3}},
    ],
    [
        {"op": "update", "row": {"oid": 1, "cid": 1, "amount": 5}},  # as it was
        {"op": "insert", "row": {"oid": 3, "cid": 2, "amount": 9}},
        {"op": "delete", "row": {"oid": 4}},
    ],
    [{"op": "insert", "row": {"oid": 5, "cid": 3, "amount": 2}}],
]


def test_either_way_a_view_equals_its_sql(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = True
    monkeypatch.setattr(Forecaster, "choose_way", lambda *_: Choice(whole, "asked for"))
    views = "".join(view(name, sql, "AUTO") for name, sql in VIEWS.items())
    kept = Keeping(spark, tmp_path, SHOP + views)
    kept.ingest("customers", CITIES)
    kept.ingest("orders", ORDERS)
    kept.push()
    for whole, changes in zip((True, True, False), CHANGES, strict=True):
        kept.ingest("orders", changes)
        modes = {record.stage: record.mode for record in kept.push() if record.mode != "empty"}
        assert (set(modes) == set(VIEWS)) == whole, "hidden stages are not pushed"
        assert all(kept.verify(name).equal for name in VIEWS)
    assert modes["newest"] == modes["joined"] == "incremental"
    assert modes["top$1"] == "initial"
