"""CARDINALITY LIMIT n (): a table that stays small may be read as a whole."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from headwater.cli.app import app

COUNTRIES = """
CREATE TABLE countries (code STRING PRIMARY KEY, name STRING, continent STRING{limit});
-- name: of_continent
SELECT code FROM countries WHERE continent = :continent ORDER BY name;
"""


def levels(path: Path, limit: str) -> list[tuple[str, int | None]]:
    path.write_text(COUNTRIES.format(limit=limit))
    done = CliRunner().invoke(app, ["check", str(path), "--json"])
    return [(query["level"], query["results"]) for query in json.loads(done.stdout)["queries"]]


def test_a_limit_on_the_whole_table_bounds_a_scan_of_it(tmp_path: Path) -> None:
    assert levels(tmp_path / "q.sql", ", CARDINALITY LIMIT 300 ()") == [("SI-0", 300)]
    assert levels(tmp_path / "q.sql", "") == [("unbounded", None)]
