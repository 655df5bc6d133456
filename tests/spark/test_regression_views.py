"""The views of views/regressions.sql on Spark: run through changes and through time, and verified."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.engine.upkeep.verify import verify_all
from support.spark.keeping import Keeping
from support.sql.suite import FOLDER

pytestmark = [pytest.mark.spark, pytest.mark.long]

PARTS = 4
START = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)  # of a ManualClock


def row(chance: random.Random, table: str, number: int) -> dict[str, object]:
    at = START + timedelta(minutes=chance.randint(-120, 30))
    match table:
        case "t":
            return {"i": number, "j": number % 3 or None, "v": ("a", "ab", "b", None)[number % 4]}
        case "a":
            return {"i": number % 5, "j": chance.randint(0, 4)}
        case "b":
            return {"i": number % 4, "k": chance.randint(0, 4)}
        case "emp":
            return {
                "id": number, "name": f"n{number % 5}", "dept": number % 3 or None, "manager": number // 2 or None,
                "salary": Decimal(chance.randint(1, 200)), "hired": date(2024, 1, 1 + number % 5),
            }  # fmt: skip
        case "dept":
            return {"id": number, "name": f"d{number}", "budget": Decimal(3 * number)}
        case "evr":
            return {
                "id": number, "usr": ("ann", "bob_x", "cy", None)[number % 4], "ts": at, "lat": number % 5 * 0.75,
                "kind": ("x", "y", "z", None)[number % 4], "amount": chance.randint(0, 5) if number % 6 else None,
                "tag_list": ("x,y", "y", "x,x,z", None)[number % 4], "payload": f'{{"a":{{"b":{number}}}}}',
            }  # fmt: skip
        case "ord":
            return {
                "id": number, "cust": number % 4 or None, "status": chance.choice(("open", "paid", "void", " Open ")),
                "total": Decimal(chance.randint(0, 30)), "ts": at,
                "d": date(2024, 1, 1 + number % 9) if number % 3 else START.date() - timedelta(days=number),
            }  # fmt: skip
        case _:
            return {
                "ord": number % 6 + 1, "line": number, "sku": ("s", "u", None)[number % 3], "qty": number % 4,
                "price": Decimal(number % 7),
            }  # fmt: skip


@pytest.mark.parametrize("part", range(PARTS))
def test_views_stay_equal_to_their_sql(spark: SparkSession, tmp_path: Path, part: int) -> None:
    statements = (FOLDER / "regressions.sql").read_text().split(";\n")
    views = [text for text in statements if text.startswith("CREATE MATERIALIZED")][part::PARTS]
    others = [text for text in statements if text.strip() and not text.startswith("CREATE MATERIALIZED")]
    kept = Keeping(spark, tmp_path, "".join(f"{text};\n" for text in (*others, *views)))
    chance = random.Random(part)
    for table in kept.project.tables:
        kept.ingest(table, [row(chance, table, number) for number in range(1, 15)])
    kept.push()
    for name, table in kept.project.tables.items():
        changes = [row(chance, name, number) for number in (20, 21)]
        if table.key:
            changes += [{"op": "upsert", "row": row(chance, name, number)} for number in (2, 5)]
            gone = row(chance, name, 3)
            changes.append({"op": "delete", "row": {column: gone[column] for column in table.key}})
        kept.ingest(name, changes)
    kept.clock.advance(timedelta(minutes=40))
    kept.push()
    kept.clock.advance(timedelta(hours=30))
    kept.push()
    for verified in verify_all(kept.workplace, list(kept.catalog.kept.values())):
        assert verified.equal, f"{verified.view}: {verified.missing} {verified.extra}"
