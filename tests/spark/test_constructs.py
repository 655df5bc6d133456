"""Every construct of docs/supported-sql.md, as a view: declared, planned, run through changes and verified.

One project holds them all.  Verifying runs each view's own text, so what is listed as kept is kept by Spark.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.engine.upkeep.verify import verify_all
from support.spark.keeping import Keeping
from support.sql.constructs import CONSTRUCTS, FULL, KEPT, REFUSED, TABLES, Construct

pytestmark = [pytest.mark.spark, pytest.mark.long]

D, T = datetime.date, datetime.datetime


def order(number: int, **given: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": number, "customer": number % 4 or None, "total": Decimal(number * 7 % 30), "quantity": number % 5,
        "at": T(2024, 1, 1, number % 7, 5 * number % 60), "status": ("a", "b", "a,b", None)[number % 4],
        "paid": (True, False, None)[number % 3], "day": D(2024, 1, 1 + number % 3), "weight": number % 6 + 0.5,
    }  # fmt: skip
    return row | given


def item(number: int, **given: object) -> dict[str, object]:
    row: dict[str, object] = {
        "item": number, "order_id": number % 9 + 1, "price": number % 5 + 0.25, "sku": ("a", "b", None)[number % 3],
    }  # fmt: skip
    return row | given


def customer(number: int, **given: object) -> dict[str, object]:
    return {"customer": number, "name": f"n{number}", "city": ("Rome", "Oslo")[number % 2]} | given


def gone(key: str, number: int) -> dict[str, object]:
    return {"op": "delete", "row": {key: number}}


def fill(kept: Keeping) -> None:
    kept.ingest("orders", [order(number) for number in range(1, 13)])
    kept.ingest("items", [item(number) for number in range(1, 11)])
    kept.ingest("customers", [customer(number) for number in range(1, 5)])


def change(kept: Keeping) -> None:
    """Rows come, go and change: a new largest, a lost partner, a group that vanishes."""
    kept.ingest("orders", [
        order(20, total=Decimal(99), status="b"), order(21, customer=1),
        gone("id", 3), order(5, total=Decimal(1), status="b", quantity=4),
    ])  # fmt: skip
    kept.ingest("items", [item(30, order_id=20), gone("item", 4), item(7, price=9.75)])
    kept.ingest("customers", [customer(9), gone("customer", 2)])


def constructs(part: int, parts: int) -> list[Construct]:
    runs = [construct for construct in CONSTRUCTS if construct.outcome != REFUSED]
    return runs[part::parts]


@pytest.mark.parametrize("part", range(4))
def test_what_is_listed_runs_and_is_verified(spark: SparkSession, tmp_path: Path, part: int) -> None:
    chosen = {f"v{number}": construct for number, construct in enumerate(constructs(part, 4))}
    ddl = TABLES + "".join(
        f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY {'INCREMENTAL' if view.outcome == KEPT else 'AUTO'}"
        f" AS {view.sql};\n"
        for name, view in chosen.items()
    )
    kept = Keeping(spark, tmp_path, ddl)
    fill(kept)
    kept.push()
    change(kept)
    kept.push()
    for verified in verify_all(kept.workplace, list(kept.catalog.kept.values())):
        assert verified.equal, f"{chosen[verified.view].sql}: {verified.missing} {verified.extra}"
    for name, view in chosen.items():
        assert bool(kept.catalog.kept[name].obstacles) == (view.outcome == FULL)
