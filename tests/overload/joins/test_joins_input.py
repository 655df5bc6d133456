"""Wrong input: one clear message each, exit status 2, no traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.errors import InputError
from headwater.overload.joins import parse_problem, read_problem

GOOD: dict[str, Any] = {
    "tree": [["A", "B"], "C"],
    "streams": {"A": {"rate": 500}, "B": {"rate": 700}, "C": {"rate": None}},
    "states": {
        "A": {"size": 5000, "selectivity": 0.001},
        "B": {"size": 500, "selectivity": 0.005},
        "AB": {"size": 200, "selectivity": 0.005},
        "C": {"size": 1000, "selectivity": 0.005},
    },
    "resources": 300,
    "refresh": {"AB": 10.0},
}

Change = Callable[[dict[str, Any]], object]

WRONG: list[tuple[str, Change, str, str]] = [
    ("stream without state", lambda d: d["states"].pop("C"), "HW712", 'stream "C" has no state'),
    ("join without state", lambda d: d["states"].pop("AB"), "HW712", 'join "AB" has no state'),
    ("repeated stream", lambda d: d.update(tree=[["A", "B"], "A"]), "HW706", 'stream "A" twice'),
    ("tolerance below window", lambda d: d.update(tolerance={"A": 9.0}), "HW717", "below its window of 10 s"),
    ("zero resources", lambda d: d.update(resources=0), "HW704", "resources are 0"),
    ("negative resources", lambda d: d.update(resources=-5), "HW704", "nothing could be processed"),
    ("unknown stream", lambda d: d["streams"].update(Z={"rate": 1}), "HW719", 'unknown stream "Z"'),
    ("unknown state", lambda d: d["states"].update(BA={"size": 1}), "HW719", 'unknown state "BA"'),
    ("unknown refresh", lambda d: d.update(refresh={"AC": 1}), "HW719", 'unknown state "AC"'),
    ("unknown tolerance", lambda d: d.update(tolerance={"AB": 1}), "HW719", 'unknown stream "AB"'),
    ("unknown key", lambda d: d.update(resource=3), "HW719", 'unknown key "resource"'),
    ("missing tree", lambda d: d.pop("tree"), "HW703", '"tree" is missing'),
    ("missing resources", lambda d: d.pop("resources"), "HW703", '"resources" is missing'),
    ("stream not declared", lambda d: d["streams"].pop("B"), "HW709", 'stream "B"'),
    ("three inputs", lambda d: d.update(tree=["A", "B", "C"]), "HW708", "3 inputs"),
    ("one stream", lambda d: d.update(tree="A"), "HW705", "single stream"),
    ("number in tree", lambda d: d.update(tree=[["A", 3], "C"]), "HW708", "3 is neither"),
    ("no rate", lambda d: d["streams"].update(A={}), "HW711", "has no rate"),
    ("negative rate", lambda d: d["streams"].update(A={"rate": -1}), "HW721", "below zero"),
    ("rate as text", lambda d: d["streams"].update(A={"rate": "fast"}), "HW720", "must be a number"),
    ("true as rate", lambda d: d["streams"].update(A={"rate": True}), "HW720", "must be a number"),
    ("selectivity above one", lambda d: d["states"]["A"].update(selectivity=1.5), "HW714", "above 1"),
    ("no selectivity", lambda d: d["states"]["A"].pop("selectivity"), "HW713", "no selectivity"),
    ("no size", lambda d: d["states"]["A"].pop("size"), "HW715", "a size in tuples or a window"),
    ("size and window", lambda d: d["states"]["A"].update(window=3), "HW715", "not both"),
    ("size zero", lambda d: d["states"]["A"].update(size=0), "HW721", "above zero"),
    (
        "window, no rate",
        lambda d: d["states"].update(C={"window": 3, "selectivity": 0.1}),
        "HW716",
        "no rate",
    ),
    ("states as list", lambda d: d.update(states=[]), "HW718", "must be an object"),
    ("copy of nothing", lambda d: d["streams"].update(C={"copy_of": "Z"}), "HW710", 'copy of "Z"'),
    ("negative refresh", lambda d: d.update(refresh={"AB": -1}), "HW721", "below zero"),
]


def changed(change: Change) -> dict[str, Any]:
    data = copy.deepcopy(GOOD)
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "code", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_wrong_input_gets_its_message(change: Change, code: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_problem(changed(change))
    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.exit_status == 2


def test_good_input_is_read() -> None:
    problem = parse_problem(json.dumps(GOOD))
    assert problem.plan.rates == {"A": 500.0, "B": 700.0, "C": None}
    assert problem.needed == {"AB": 10.0}


def test_broken_json_shows_the_place() -> None:
    with pytest.raises(InputError) as caught:
        parse_problem('{"tree": [["A", "B"],\n "C"', "plan.json")
    assert "plan.json:2" in str(caught.value)


def test_names_that_collide_are_refused() -> None:
    with pytest.raises(InputError, match='both be called "ABC"'):
        read_problem(GOOD | {"tree": [["A", "BC"], ["AB", "C"]]})


def test_a_state_given_for_the_root_is_not_looked_at() -> None:
    data = copy.deepcopy(GOOD)
    data["states"]["ABC"] = {"size": 1, "selectivity": 1}
    assert "ABC" not in read_problem(data).plan.states


@pytest.mark.parametrize("text", ["", "[]", "3", "null", '{"tree": ' + "[" * 300 + "]" * 300 + "}"])
def test_other_json_is_refused_by_the_command(tmp_path: Path, text: str) -> None:
    from headwater.cli.app import app

    file = tmp_path / "plan.json"
    file.write_text(text)
    result = CliRunner().invoke(app, ["simulate", "joins", str(file)])
    assert isinstance(result.exception, InputError)


def test_a_missing_file_and_a_wrong_policy_are_refused(tmp_path: Path) -> None:
    from headwater.cli.app import app

    result = CliRunner().invoke(app, ["simulate", "joins", str(tmp_path / "none.json")])
    assert isinstance(result.exception, InputError)
    assert "cannot read" in result.exception.message
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(GOOD))
    result = CliRunner().invoke(app, ["simulate", "joins", str(file), "--policy", "optimum"])
    assert isinstance(result.exception, InputError)
    assert "optimal" in result.exception.hint
