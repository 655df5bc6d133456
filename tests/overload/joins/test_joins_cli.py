"""The commands as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app

FIGURE_10: dict[str, Any] = {
    "tree": [["A", "B"], "C"],
    "streams": {"A": {"rate": 500}, "B": {"rate": 700}, "C": {"rate": 600}},
    "states": {
        "A": {"size": 5000, "selectivity": 0.001},
        "B": {"size": 500, "selectivity": 0.001},
        "AB": {"size": 200, "selectivity": 0.005},
        "C": {"size": 1000, "selectivity": 0.005},
    },
    "resources": 300,
}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(FIGURE_10))
    return file


def answer(file: Path, *options: str, status: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["simulate", "joins", str(file), "--json", *options])
    assert result.exit_code == status, result.output
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


@pytest.mark.parametrize(
    ("policy", "throughput"),
    [
        ("equal", 450.0),
        ("global-ratio", 678.26),
        ("equal-best", 750.0),
        ("selectivity-best", 1250.0),
        ("grepp", 1250.0),
        ("jaqpot", 1250.0),
        ("optimal", 1250.0),
    ],
)
def test_every_policy_answers_with_all_fields(plan: Path, policy: str, throughput: float) -> None:
    decided = answer(plan, "--policy", policy)
    assert decided["policy"] == policy
    assert decided["throughput"] == pytest.approx(throughput, abs=0.01)
    assert decided["feasible"] is True
    assert {"resources_for_freshness", "paths", "states"} <= set(decided)
    assert [path["stream"] for path in decided["paths"]] == ["A", "B", "C"]
    for path in decided["paths"]:
        assert {"stream", "productivity", "resources", "allowances"} <= set(path)
        assert sum(path["allowances"]) == pytest.approx(path["resources"])
    assert [sorted(state) for state in decided["states"]] == [["name", "refresh_given", "refresh_needed"]]


def test_optimal_is_the_default_and_keeps_a_refresh_rate(plan: Path) -> None:
    plan.write_text(json.dumps(FIGURE_10 | {"refresh": {"AB": 10.0}}))
    decided = answer(plan)
    assert decided["policy"] == "optimal"
    assert decided["resources_for_freshness"] == pytest.approx(12.0)
    assert decided["states"] == [
        {"name": "AB", "refresh_needed": 10.0, "refresh_given": pytest.approx(250.0)}
    ]


def test_infeasible_says_which_and_how_much_more_and_exits_1(plan: Path) -> None:
    plan.write_text(json.dumps(FIGURE_10 | {"tolerance": {"A": 10.5}}))
    refused = answer(plan, status=1)
    assert refused["feasible"] is False
    assert refused["infeasible"]["tolerances"] == ["A"]
    # 200 tuples in half a second: 400 ab a second, by 80 b and 400 ab.
    assert refused["infeasible"]["resources_needed"] == pytest.approx(480.0)
    assert refused["infeasible"]["more_resources"] == pytest.approx(180.0)
    assert refused["best_effort"]["given_up"] == ["AB"]
    enough = FIGURE_10 | {"tolerance": {"A": 10.5}, "resources": 480.0}
    plan.write_text(json.dumps(enough))
    assert answer(plan)["feasible"] is True


def test_tuples_are_counted(plan: Path) -> None:
    counted = answer(plan, "--tuples", "--for", "10", "--seed", "3")["tuples"]
    assert counted["seconds"] == pytest.approx(10)
    assert counted["results"] == pytest.approx(12_500, rel=0.1)
    assert counted["stale"] == 0
    assert counted == answer(plan, "--tuples", "--for", "10", "--seed", "3")["tuples"]


def test_the_drawing_is_svg_with_every_state_and_the_throughput(plan: Path, tmp_path: Path) -> None:
    answer(plan, "--svg", str(tmp_path / "plan.svg"))
    words = " ".join(ElementTree.parse(tmp_path / "plan.svg").getroot().itertext())
    assert "1,250 results/s" in words
    for state in ("A", "B", "AB", "C"):
        assert state in words.split()


def test_the_table_is_readable(plan: Path) -> None:
    plan.write_text(json.dumps(FIGURE_10 | {"refresh": {"AB": 1e5}}))
    result = CliRunner().invoke(app, ["simulate", "joins", str(plan), "--tuples", "--for", "1"])
    assert result.exit_code == 1
    for words in ("freshness is NOT kept", "Input paths", "fresh results a second"):
        assert words in result.stdout


def test_a_plan_may_come_from_standard_input() -> None:
    result = CliRunner().invoke(app, ["simulate", "joins", "-", "--json"], input=json.dumps(FIGURE_10))
    assert json.loads(result.stdout)["throughput"] == pytest.approx(1250)


@pytest.mark.cli
def test_wrong_input_exits_2_with_one_message_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"tree": [["A", "B"]')
    command = [
        str(Path(sys.executable).parent / "headwater"),
        "simulate",
        "joins",
        str(tmp_path / "plan.json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("HW702: ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.long
def test_the_bench_prints_its_table_and_writes_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # no recorded data here: the generator stands in
    monkeypatch.delenv("HEADWATER_DATA", raising=False)
    result = CliRunner().invoke(app, ["bench", "joins", "--quick", "--json", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout)
    assert measured["sensors"]["source"] == "generated"
    assert {row["what"].split()[0] for row in measured["summary"]} >= {
        "fig",
        "infeasible",
        "optimizer",
        "jaqpot",
    }
    for plot in measured["plots"]:
        assert Path(plot).stat().st_size > 1000
    for shape in measured["resources"]["shapes"].values():
        assert shape["stale"] == 0
        assert shape["jaqpot_gap"]["mean"] < 0.05
