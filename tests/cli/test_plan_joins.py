"""`headwater plan` of window joins: tolerances that cannot be kept are refused, and shares are foretold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app

TABLES = """
CREATE TABLE fast (id BIGINT PRIMARY KEY, k BIGINT, at TIMESTAMP TEMPORAL) EXPECT ROWS 1000000 RATE {fast} PER SECOND;
CREATE TABLE slow (id BIGINT PRIMARY KEY, k BIGINT, at TIMESTAMP TEMPORAL) EXPECT ROWS 100000 RATE {slow} PER SECOND;
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '5' SECOND WINDOW = INTERVAL '1' MINUTE {clauses}
  AS SELECT f.id, s.id AS other FROM fast f JOIN slow s ON f.k = s.k;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))  # the machine may be calibrated
    (tmp_path / "headwater.yml").write_text("name: joins\n")
    return tmp_path


def planned(folder: Path, clauses: str, fast: int = 100, slow: int = 10) -> tuple[int, dict[str, Any]]:
    (folder / "all.sql").write_text(TABLES.format(clauses=clauses, fast=fast, slow=slow))
    result = CliRunner().invoke(app, ["plan", str(folder), "--json"])
    return result.exit_code, json.loads(result.stdout)["views"][0]


def test_a_tolerance_that_a_push_exceeds_is_refused(folder: Path) -> None:
    code, view = planned(folder, "TOLERANCE (f = INTERVAL '60.01' SECOND, s = INTERVAL '2' MINUTE)")
    assert (code, view["admitted"]) == (1, False)
    assert "the tolerance of f cannot be kept" in view["reason"]
    assert "no CPU would do" in view["reason"]
    assert view["join"]["more_cpu"] is None
    assert [path["kept"] for path in view["join"]["paths"]] == [False, True]


def test_more_cpu_would_do_if_it_is_not_the_fixed_costs(folder: Path) -> None:
    code, view = planned(folder, "TOLERANCE (f = INTERVAL '60.5' SECOND)", fast=300_000, slow=30_000)
    assert (code, view["admitted"]) == (1, False)
    assert view["join"]["more_cpu"] > 1
    assert "times as much CPU would do" in view["reason"]


def test_tolerances_that_can_be_kept_are_admitted(folder: Path) -> None:
    code, view = planned(folder, "TOLERANCE (f = INTERVAL '62' SECOND, s = INTERVAL '62' SECOND)")
    assert (code, view["admitted"]) == (0, True)
    assert view["join"]["tree"] == "(f ⋈ s)"
    assert view["join"]["share_of_matches"] == 1.0


def test_an_adapted_join_that_is_overloaded_is_admitted_with_its_share(folder: Path) -> None:
    (folder / "headwater.yml").write_text("name: joins\noverload: {probes_per_second: 1000}\n")
    code, view = planned(folder, "ON OVERLOAD ADAPT JOINS", fast=2_000, slow=500)
    assert (code, view["admitted"]) == (0, True)
    join = view["join"]
    assert (join["probes_per_second"], join["adapted"], join["policy"]) == (1000, True, "optimal")
    assert 0 < join["share_of_matches"] < 1
    probing = {path["stream"]: path["half_way_joins"][0] for path in join["paths"]}
    assert probing["s"] == {"partner": "f", "probes_per_second": pytest.approx(500)}  # the slow one first
    assert probing["f"]["probes_per_second"] == pytest.approx(500)
    explained = CliRunner().invoke(app, ["plan", str(folder), "--explain"]).stdout
    assert "(f ⋈ s) within 60 s" in " ".join(explained.split())
    assert "500/s probe f" in explained


def test_the_picture_shows_the_tree_with_its_allowances(folder: Path) -> None:
    (folder / "headwater.yml").write_text("name: joins\noverload: {probes_per_second: 1000}\n")
    planned(folder, "ON OVERLOAD ADAPT JOINS", fast=2_000, slow=500)
    assert CliRunner().invoke(app, ["plan", str(folder), "--svg", str(folder / "plan.svg")]).exit_code == 0
    root = ElementTree.parse(folder / "plan.svg").getroot()
    drawn = [text.text for text in root.iter() if text.tag.endswith("text")]
    assert "500/s" in drawn
    assert any((text or "").startswith("v, optimal: 1,000 probes/s") for text in drawn)
    assert {"f", "s"} <= set(drawn)


def test_a_window_of_rows_is_as_long_as_its_stream_is_slow(folder: Path) -> None:
    tolerances = "TOLERANCE (f = INTERVAL '1' MINUTE, s = INTERVAL '1' MINUTE) ON OVERLOAD ADAPT JOINS"
    (folder / "all.sql").write_text(
        TABLES.format(clauses=tolerances, fast=100, slow=10).replace(
            "INTERVAL '1' MINUTE T", "1000 ROWS T", 1
        )
    )
    result = CliRunner().invoke(app, ["plan", str(folder), "--json"])
    (view,) = json.loads(result.stdout)["views"]
    assert (view["join"]["window_s"], view["join"]["window_rows"]) == (None, 1000)
    fast, slow = view["join"]["paths"]
    assert 10 < fast["oldest_s"] < 60 < 100 < slow["oldest_s"]
    assert (fast["kept"], slow["kept"], view["admitted"]) == (True, False, False)
    assert "the tolerance of s cannot be kept" in view["reason"]


def test_a_wrong_join_policy_is_refused(folder: Path) -> None:
    (folder / "headwater.yml").write_text("name: joins\noverload: {join_policy: best}\n")
    (folder / "all.sql").write_text(TABLES.format(clauses="", fast=1, slow=1))
    error = CliRunner().invoke(app, ["plan", str(folder)]).exception
    assert "overload.join_policy is optimal, jaqpot" in str(error)
