"""RETAIN INTERVAL ... KEEP DERIVED, as a user types it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.commands import answer, command

pytestmark = pytest.mark.spark

SQL = """
CREATE TABLE clicks (id BIGINT PRIMARY KEY, page STRING, at TIMESTAMP TEMPORAL) RETAIN INTERVAL '7' DAY KEEP DERIVED;
CREATE MATERIALIZED VIEW by_page FRESHNESS = INTERVAL '1' MINUTE AS
  SELECT page, count(*) AS n FROM clicks GROUP BY page;
CREATE MATERIALIZED VIEW most FRESHNESS = INTERVAL '1' MINUTE AS SELECT max(n) AS n FROM by_page;
"""


def ingest(folder: Path, *rows: dict[str, Any]) -> None:
    file = folder / "more.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert answer("ingest", folder, "clicks", file)["rejected"] == 0


def test_totals_go_on_counting_rows_that_are_gone(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    now = datetime.now(UTC).isoformat()
    ingest(tmp_path, *({"id": key, "page": "a", "at": "2020-01-01T00:00:00Z"} for key in range(3)))
    command("run", tmp_path, "--until-idle")
    ingest(tmp_path, {"id": 9, "page": "a", "at": now})
    command("run", tmp_path, "--until-idle")
    assert answer("sql", tmp_path, "SELECT id FROM clicks")["rows"] == [{"id": 9}]
    assert answer("read", tmp_path, "by_page")["rows"] == [{"page": "a", "n": 4}]
    assert answer("read", tmp_path, "most")["rows"] == [{"n": 4}]
    verified = {view["name"]: view["equal"] for view in answer("verify", tmp_path)["views"]}
    assert verified == {"by_page": None, "most": True}
    assert "not compared: clicks dropped old rows that it keeps" in command("verify", tmp_path).stdout
