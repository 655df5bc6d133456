"""The Sparks of a step work side by side, and one's failure does not undo the others' work."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push import pusher
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.failures.rescue import FailedStages
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.metering import Meter
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Action, Level, Mode

EFFORT = Effort(10, 10, 10)


def kept_stage(name: str) -> tuple[Kept, Stage]:
    stage = Stage(name, StageKind.ROWS, ("a",), Scan("t", "t", ("a",)), ("t",))
    return Kept(name, (stage,), Scan(name, name, ("a",)), ("a",), ("",), ("t",)), stage


class OneSparkAStage:
    """Every stage is small and has a Spark of its own."""

    def __init__(self, *_: object) -> None:
        self.relations: dict[str, object] = {}
        self.failed = FailedStages()

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[Job]:
        return [
            Job(kept, stage, 1, 2, Mode.INCREMENTAL, "", EFFORT, spark=stage.name) for kept, stage in level
        ]

    def anew(self, job: Job) -> Job:
        return job

    def hold(self, works: object) -> dict[str, int]:
        return {}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Pusher:
    monkeypatch.setattr(pusher, "Deciding", OneSparkAStage)
    catalog = SimpleNamespace(stages=lambda: iter(()), site_of=lambda _: "default")
    workplace = cast(Workplace, SimpleNamespace(catalog=catalog))
    return Pusher(workplace, Forecaster(workplace))


def at_work(monkeypatch: pytest.MonkeyPatch, count: int, failing: str = "") -> None:
    """Each action waits until all are at work; one may fail then."""
    meeting = threading.Barrier(count, timeout=120)

    def run(_: Workplace, action: Action[Job], *__: object) -> list[Pushed]:
        meeting.wait()
        if action.spark == failing:
            raise RuntimeError(action.spark)
        meter = Meter(seconds=1.0, cpu_seconds=0.5)
        return [Pushed(job, job.effort, timedelta(seconds=1), meter, action.spark) for job in action.works]

    monkeypatch.setattr(pusher, "run_action", run)


def test_sparks_work_side_by_side(engine: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work(monkeypatch, 3)
    level = [kept_stage(name) for name in ("here", "there", "elsewhere")]
    done = list(engine.push([level], 2, True))
    assert [pushed.stage for pushed, _ in done] == ["here", "there", "elsewhere"]
    again = list(engine.push([level], 2, True))
    before = [pushed.actions_before for pushed, _ in (*done, *again)]
    assert before[3:] == [count + 1 for count in before[:3]]  # each Spark's actions are counted
    assert all(pushed.meter.cpu_seconds == pytest.approx(0.5) for pushed, _ in done)


@pytest.mark.parametrize("failing", ["here", "there"])
def test_what_others_did_is_told_before_a_failure(
    engine: Pusher, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    at_work(monkeypatch, 2, failing)
    outcomes = engine.push([[kept_stage("here"), kept_stage("there")]], 2, True)
    told = [next(outcomes)[0].stage]
    with pytest.raises(RuntimeError, match=failing):
        next(outcomes)
    assert told == [name for name in ("here", "there") if name != failing]
