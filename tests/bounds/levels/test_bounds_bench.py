"""`headwater bench scale --quick`: work on demand grows, work from the view does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app


@pytest.mark.slow
def test_only_the_read_on_demand_grows(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "scale", "--quick", "--json", "--out", str(tmp_path)])
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    rows = report["two_tags"]
    assert [row["operations_on_demand"] for row in rows] == [row["documents"] + 1 for row in rows]
    assert {row["operations_from_view"] for row in rows} == {1}
    assert all(row["operations_per_insert"] <= row["bound_per_insert"] == 22 for row in rows)
    assert report["checker"]["levels"]["unbounded"] > 0
    assert (tmp_path / "two_tags.svg").exists()
    assert (tmp_path / "results.json").exists()
