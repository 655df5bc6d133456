"""`headwater bench laws`: the table, the JSON, and exit status 1 for a difference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.bench.laws import Failure, Outcome, running
from headwater.cli.app import app


def test_it_compares_and_writes_what_it_found(tmp_path: Path) -> None:
    arguments = ["bench", "laws", "--cases", "50", "--processes", "1", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["differences"] == 0
    assert answer["cases"] >= 50
    assert json.loads((tmp_path / "laws.json").read_text()) == answer


@pytest.mark.slow
def test_two_processes_try_the_same_cases_as_one() -> None:
    one = [running.try_seeds(0, 100), running.try_seeds(100, 100)]
    two = running.run(300, 0, processes=2)
    assert two.cases == sum(outcome.cases for outcome in one)
    assert two.worlds == 200


def test_a_difference_is_shown_with_its_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failed = Outcome(1, 1, 0.0, (Failure(3, "Difference: made up"),))
    monkeypatch.setattr(running, "run", lambda *_: failed)
    result = CliRunner().invoke(app, ["bench", "laws", "--quick", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "seed 3" in result.stdout
