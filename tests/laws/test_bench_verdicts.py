"""What `bench crash` and `bench soak` conclude from what they saw."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import headwater
from headwater.bench.crash import run as crash_run
from headwater.bench.crash.faults import KINDS
from headwater.bench.crash.laboratory import set_up
from headwater.bench.crash.project import write_project
from headwater.bench.crash.run import Crash
from headwater.bench.crash.writers import told
from headwater.bench.soak.figure import draw
from headwater.bench.soak.samples import Sample, verdicts


def taken(at_s: float, memory: float, push_s: float | None = 1.0) -> Sample:
    return Sample(at_s, memory, 500.0, 10.0, 5.0, 100, 0.1, push_s, push_s, 60.0, 3.0, 1, 0)


def test_growth_is_between_the_second_and_the_last_quarter() -> None:
    samples = [taken(at, 900.0 if at <= 25 else 100.0 if at <= 75 else 115.0) for at in range(1, 101)]
    judged = {verdict.measure: verdict for verdict in verdicts(samples)}
    assert judged["python_mb"].growth == pytest.approx(0.15)
    assert not judged["python_mb"].flat
    assert judged["jvm_mb"].flat
    assert judged["push_s"].flat


def test_no_verdict_without_values() -> None:
    assert [verdict.measure for verdict in verdicts([taken(at, 1.0, None) for at in range(1, 9)])] == [
        "python_mb",
        "jvm_mb",
    ]
    assert verdicts([]) == []


@pytest.mark.slow
def test_a_soak_is_drawn_even_without_pushes(tmp_path: Path) -> None:
    draw([taken(at, 1.0, None) for at in range(3)], tmp_path)
    assert (tmp_path / "soak.svg").stat().st_size > 0


def test_what_writers_were_told(tmp_path: Path) -> None:
    log = tmp_path / "orders.jsonl"
    answers = [
        {"accepted": [1, 2], "stored before": 0},
        {"error": "the disk is full"},
        {"accepted": [3], "stored before": 1},
    ]
    log.write_text("".join(json.dumps(answer) + "\n" for answer in answers) + '{"accepted": [4')
    heard = told([log, tmp_path / "nobody.jsonl"])
    assert heard.accepted == {1, 2, 3}
    assert heard.errors == ("the disk is full",)
    assert heard.wrong_errors == 1


def test_a_kind_that_cannot_be_tried_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("headwater.bench.crash.laboratory.FAKETIME", str(tmp_path / "*.so"))
    with set_up(tmp_path / "laboratory") as laboratory:
        targets = write_project(tmp_path / "project", laboratory)
    assert laboratory.missing.keys() - {"full disk"} == {"postgres", "connect", "clock"}
    assert laboratory.missing.keys() < set(KINDS)
    assert "grpc" in laboratory.missing["connect"]
    assert targets.keys() == {"orders", "items"}
    assert headwater.open(str(tmp_path / "project")).catalog.kept.keys() == {"joined", "by_customer", "heavy"}


@pytest.mark.parametrize("wrong", ["lost", "doubled", "wrong_errors"])
def test_a_crash_is_well_only_if_nothing_is_wrong(wrong: str) -> None:
    fine = {"lost": 0, "doubled": 0, "untold": 20, "wrong_errors": 0, "rows": 100, "stuck": False}
    assert Crash(1, "run", "run", 1.0, views_equal=True, said="", **fine).well  # type: ignore[arg-type]
    assert not Crash(1, "run", "run", 1.0, views_equal=True, said="", **(fine | {wrong: 1})).well  # type: ignore[arg-type]


class FakeProcesses:
    """A run that can be ended."""

    def __init__(self) -> None:
        self.killed: list[str] = []

    def start_missing(self) -> list[str]:
        return []

    def kill(self, name: str) -> None:
        self.killed.append(name)


@pytest.mark.parametrize(("slow", "stuck"), [(100.0, False), (200.0, True)])
def test_a_run_is_stuck_if_no_view_moves_on(
    slow: float, stuck: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three views, pushed one after the other, each after a while: on a slow machine that is no fault."""
    seconds = [0.0]
    clock = SimpleNamespace(
        monotonic=lambda: seconds[0],
        sleep=lambda duration: seconds.__setitem__(0, seconds[0] + duration),
    )
    monkeypatch.setattr(crash_run, "time", clock)
    monkeypatch.setattr(
        crash_run, "_times", lambda _: {view: 9 if seconds[0] > slow * (view + 1) else 1 for view in range(3)}
    )
    processes = FakeProcesses()
    alone = crash_run._pushed_since(cast(Any, None), cast(Any, processes), dict.fromkeys(range(3), 5))
    assert alone is not stuck
    assert processes.killed == (["run"] if stuck else [])
