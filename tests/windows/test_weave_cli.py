"""`headwater simulate weave` and `headwater bench weave`, as a user runs them."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import headwater.planning.windows
from headwater.cli.app import app
from headwater.errors import InputError
from headwater.planning.windows import OPTIMIZER_NAMES

WORKLOAD: dict[str, Any] = {
    "rate": 100,
    "nodes": 2,
    "queries": [
        {"id": "a", "range": 6, "slide": 2},
        {"id": "b", "range": 8, "slide": 4},
        {"id": "c", "range": 7, "slide": 3},
    ],
}


def run(tmp_path: Path, raw: object, *options: str) -> dict[str, Any]:
    path = tmp_path / "workload.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
    result = CliRunner().invoke(app, ["simulate", "weave", str(path), "--json", *options])
    if result.exception is not None:
        raise result.exception
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


@pytest.mark.parametrize("optimizer", OPTIMIZER_NAMES)
def test_the_fields_of_the_answer(tmp_path: Path, optimizer: str) -> None:
    answer = run(tmp_path, WORKLOAD, "--optimizer", optimizer, "--seed", "4")
    assert {"optimizer", "total_cost", "max_cost", "seconds", "nodes"} <= set(answer)
    assert answer["optimizer"] == optimizer
    assert [node["name"] for node in answer["nodes"]] == ["n1", "n2"]
    assert answer["total_cost"] == pytest.approx(sum(node["cost"] for node in answer["nodes"]))
    assert answer["max_cost"] == max(node["cost"] for node in answer["nodes"])
    trees = [tree for node in answer["nodes"] for tree in node["trees"]]
    assert sorted(name for tree in trees for name in tree["queries"]) == ["a", "b", "c"]
    for tree in trees:
        assert tree["cost"] == pytest.approx(100 + tree["edge_rate"] * tree["overlap"])


def test_example_1_through_the_command(tmp_path: Path) -> None:
    pair = WORKLOAD | {"nodes": 1, "queries": WORKLOAD["queries"][:2]}
    answer = run(tmp_path, pair, "--objective", "total")
    assert answer["nodes"][0]["trees"] == [
        {"queries": ["a", "b"], "edge_rate": 0.5, "overlap": 5, "cost": 102.5}
    ]


def test_intervals_are_seconds(tmp_path: Path) -> None:
    queries = [
        {"id": "a", "range": "1500 ms", "slide": "500 milliseconds"},
        {"id": "b", "range": "INTERVAL '2' SECOND", "slide": 1},
        {"id": "c", "range": "1 minute 30 seconds", "slide": "0.25 seconds"},
    ]
    answer = run(tmp_path, WORKLOAD | {"queries": queries, "nodes": 1}, "--optimizer", "g-tl")
    rates = {tree["queries"][0]: (tree["edge_rate"], tree["overlap"]) for tree in answer["nodes"][0]["trees"]}
    assert rates == {"a": (2.0, 3), "b": (1.0, 2), "c": (4.0, 360)}


def test_named_nodes_with_capacities(tmp_path: Path) -> None:
    answer = run(tmp_path, WORKLOAD | {"nodes": [{"name": "x", "capacity": 2.0}, {"name": "y"}]})
    assert [(node["name"], node["capacity"]) for node in answer["nodes"]] == [("x", 2.0), ("y", 1.0)]


def test_a_range_below_its_slide_is_planned_and_explained(tmp_path: Path) -> None:
    answer = run(tmp_path, WORKLOAD | {"nodes": 1, "queries": [{"id": "gap", "range": 2, "slide": 5}]})
    (tree,) = answer["nodes"][0]["trees"]
    assert (tree["edge_rate"], tree["overlap"]) == (pytest.approx(0.4), 1)
    assert "range below slide in gap" in answer["notes"][0]


def query(**fields: object) -> dict[str, Any]:
    return WORKLOAD | {"queries": [{"id": "a", "range": 6, "slide": 2} | fields]}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{broken", "not JSON"),
        ("[1]", "JSON object"),
        ({"nodes": 1, "queries": []}, 'no "rate"'),
        (query(slide=0), "slide of query"),
        (query(slide=-3), "slide of query"),
        (query(slide=2.5), "slide of query"),
        (query(slide="soon"), "slide of query"),
        (query(slide=True), "slide of query"),
        (query(range=0), "range of query"),
        (query(id=None), '"id"'),
        (WORKLOAD | {"queries": [WORKLOAD["queries"][0]] * 2}, '"a"'),
        (WORKLOAD | {"queries": 3}, "must be a list"),
        (WORKLOAD | {"nodes": 0}, "no nodes"),
        (WORKLOAD | {"nodes": []}, "no nodes"),
        (WORKLOAD | {"nodes": -1}, "nodes cannot be read"),
        (WORKLOAD | {"nodes": [{"name": "x", "capacity": 0}]}, "capacity"),
        (WORKLOAD | {"nodes": [{"name": "x"}, {"name": "x"}]}, '"x"'),
        (WORKLOAD | {"rate": -1}, "rate must be"),
        (WORKLOAD | {"rate": "fast"}, "rate must be"),
    ],
)
def test_wrong_input_gets_one_clear_message(tmp_path: Path, raw: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        run(tmp_path, raw)
    assert caught.value.code.startswith("HW5")
    assert caught.value.exit_status == 2


def test_misspelt_names(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, WORKLOAD, "--optimizer", "wgtn")
    assert "wg-tn" in caught.value.hint
    with pytest.raises(InputError, match="objective"):
        run(tmp_path, WORKLOAD, "--objective", "cheap")


@pytest.mark.cli
def test_the_installed_command_says_what_is_wrong_and_exits_2(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(query(slide=0)))
    command = [str(Path(sys.executable).parent / "headwater"), "simulate", "weave", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("HW501")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    path, svg = tmp_path / "w.json", tmp_path / "trees.svg"
    path.write_text(json.dumps(WORKLOAD))
    result = CliRunner().invoke(app, ["simulate", "weave", str(path), "--svg", str(svg)])
    assert result.exit_code == 0
    assert "total cost" in result.stdout
    assert svg.read_text().startswith("<svg")
    assert "shared edges" in svg.read_text()


@pytest.mark.slow
def test_the_quick_bench(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "weave", "--quick", "--json", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert set(answer["table_4"]) == {*OPTIMIZER_NAMES[:-1], "best-total", "best-balanced"}
    assert answer["bars"]["best_total_lowest_total"] == 1
    assert answer["table_3"]["wg-tn"]["total_wins"] >= 0.85
    assert all(len(costs) == 4 for costs in answer["figure_3"].values())
    assert {path.name for path in tmp_path.iterdir()} == {
        "figure-2-plan-quality.svg", "figure-2-plan-quality.png",
        "figure-3-node-costs.svg", "figure-3-node-costs.png", "results.json",
    }  # fmt: skip


def test_the_package_example_runs() -> None:
    assert doctest.testmod(headwater.planning.windows).failed == 0
    assert doctest.testmod(headwater.planning.windows).attempted > 3


def test_some_pushes_must_be_left_to_count(tmp_path: Path) -> None:
    asked = "bench weave --execute --rate 10 --pushes 4 --warm 4 --out"
    result = CliRunner().invoke(app, [*asked.split(), str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert "--warm 4 of --pushes 4 leaves none to count" in str(result.exception)
