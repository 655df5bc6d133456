"""Random projects through all commands that need no Spark; `headwater bench fuzz` takes many through the others too."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from headwater.bench.fuzz.projects import random_project
from headwater.bench.fuzz.steps import Ended, go_through
from headwater.cli.in_process import command_in_process
from support.cases import scaled


@pytest.mark.parametrize("seed", range(scaled(8)))
def test_a_random_project(seed: int, tmp_path: Path) -> None:
    """No traceback, no hang, exit statuses as promised."""
    findings = go_through(
        random_project(seed), tmp_path, partial(command_in_process, seconds=300), spark=False
    )
    assert findings == []


def test_the_same_seed_is_the_same_project() -> None:
    assert random_project(7) == random_project(7)
    assert len({str(random_project(seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize(
    ("ended", "wrong"),
    [
        (Ended(None, "", ""), "does not end"),
        (Ended(70, "", "Traceback (most recent call last):\n"), "a traceback"),
        (Ended(1, "", ""), "exit status 1 instead of 0"),
        (Ended(2, "", "no"), "exit status 2"),
    ],
    ids=["a hang", "a traceback", "another status", "no message"],
)
def test_what_must_not_be_is_found(ended: Ended, wrong: str, tmp_path: Path) -> None:
    """Commands that misbehave at their first step: making the project."""

    def misbehave(words: list[str]) -> Ended:
        Path(words[1]).mkdir(exist_ok=True)
        return ended

    findings = go_through(random_project(3), tmp_path, misbehave, spark=False)
    assert findings[0].words[0] == "init"
    assert wrong in findings[0].wrong
