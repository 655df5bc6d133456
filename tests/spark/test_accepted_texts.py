"""What is accepted runs: random texts of everything that SQL has, declared, and kept by Spark over tables without rows.

A view that is accepted and that Spark does not take would fail at its first push.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.catalog import build
from headwater.errors import InputError
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.spark.keeping import Keeping
from support.sql.constructs import TABLES
from support.sql.odd_queries import OddMaker

pytestmark = [pytest.mark.spark, pytest.mark.long]


def is_accepted(text: str) -> bool:
    try:
        declared = resolve(parse_statements(f"{TABLES} CREATE MATERIALIZED VIEW v AS {text};"))
        tables = {table.name: table for table in declared.tables}
        kept = build(
            Project("odd", "", "", tables, {view.name: view for view in declared.views}, {}, {})
        ).kept
    except InputError:
        return False
    return not kept["v"].obstacles


@pytest.mark.parametrize("seed", range(4))
def test_what_is_accepted_runs(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    texts = [OddMaker(random.Random(70_000 + 1_000 * seed + number)).view() for number in range(60)]
    accepted = [text for text in texts if is_accepted(text)]
    views = "".join(
        f"CREATE MATERIALIZED VIEW v{number} REFRESH POLICY INCREMENTAL AS {text};\n"
        for number, text in enumerate(accepted)
    )
    kept = Keeping(spark, tmp_path, TABLES + views)
    failed = {record.view: record.error for record in kept.push() if record.error}
    assert {accepted[int(view[1:])]: error for view, error in failed.items()} == {}
    assert len(accepted) > 10
