"""What `bench crash` and `bench soak` conclude from what they saw."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

import headwater
from headwater.bench.crash import run as crash_run
from headwater.bench.crash.checks import Sources, differing
from headwater.bench.crash.faults import KINDS
from headwater.bench.crash.laboratory import set_up
from headwater.bench.crash.processes import Processes
from headwater.bench.crash.project import write_project
from headwater.bench.crash.run import Crash
from headwater.bench.crash.writers import told
from headwater.bench.soak.figure import draw
from headwater.bench.soak.samples import Sample, verdicts
from headwater.engine.push import pusher
from support.crashes.processes import Run
from support.without_spark import run_without_spark


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
    fine = Crash(1, "run", "run", 1.0, 0.1, Sources(untold=20, rows=100), (), False, False, "")
    assert fine.well
    assert not replace(fine, sources=Sources(rows=100) + Sources(**{wrong: 1})).well
    assert not replace(fine, stuck=True).well
    assert not replace(fine, differing=("joined",)).well
    assert fine.as_json()["untold"] == 20


def test_spark_verifies_after_the_last_fault_of_each_kind() -> None:
    kinds = ["run", "writer", "run", "jvm"]
    verified = [number for number in range(1, 10) if crash_run._is_last(number, kinds, 9)]
    assert verified == [6, 8, 9]


NESTED = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '9' SECOND AS
  SELECT customer % 3 AS part, sum(amount) AS total FROM orders GROUP BY customer % 3;
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '9' SECOND AS SELECT part, total FROM totals WHERE total > 3;
"""


def test_a_view_that_does_not_show_its_sql_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "headwater.yml").write_text("name: nested\n")
    (tmp_path / "all.sql").write_text(NESTED)
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    project = headwater.open(str(tmp_path))
    project.ingest("orders", [{"id": n, "customer": n, "amount": n} for n in range(9)])
    run = Run.after_a_crash(project.catalog, project.warehouse, project.clock)
    run.push()
    project.ingest("orders", [{"op": "delete", "row": {"id": 3}}, {"id": 10, "customer": 1, "amount": 1}])
    assert differing(project) == []  # as of their time, not as of now
    run.push()
    run.close()
    assert differing(project) == []
    timeline = project.warehouse.stage(project.catalog.folder("large"))
    again = timeline.read(timeline.as_of(timeline.time())).slice(0, 1)
    timeline.append(again, timeline.time() + 1)
    assert differing(project) == ["large"]


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


def test_who_was_stopped_goes_on_after_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.bench.crash.processes.WRITER", "import time; time.sleep(60)")
    processes = Processes(tmp_path, tmp_path, {"orders": "", "items": ""})
    monkeypatch.setattr(Processes, "start_run", lambda _: None)
    monkeypatch.setattr(Processes, "_runs", lambda self, name: name == "run" or name in self.running)
    processes.start_missing()
    try:
        processes.stop("writer of orders", 0.5)
        victim = psutil.Process(processes.running["writer of orders"].pid)
        assert _becomes(victim, stopped=True)
        processes.wait_for_stopped()
        assert _becomes(victim, stopped=False)
        processes.stop("writer of items", 60)
        processes.kill("writer of items")
        assert not processes.stopped  # its successor goes on
    finally:
        processes.close()


def _becomes(process: psutil.Process, stopped: bool) -> bool:
    for _ in range(100):
        if (process.status() == psutil.STATUS_STOPPED) is stopped:
            return True
        time.sleep(0.05)
    return False
