"""The Sparks of a level work side by side, and one's failure does not undo the others' work."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import cast

import pytest

from headwater.algebra.nodes import Scan
from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.engine import levels
from headwater.engine.foresight import Foresight
from headwater.engine.levels import Levels
from headwater.engine.metering import Meter
from headwater.engine.push import Job, Mode, Pushed, Pushing
from headwater.sharing.time_model import Effort


def job(name: str) -> Job:
    stage = Stage(name, StageKind.ROWS, ("a",), None, ("t",))
    kept = Kept(name, (stage,), Scan(name, name, ("a",)), ("a",), ("",), ("t",))
    return Job(kept, stage, 1, 2, Mode.INCREMENTAL, "", Effort(10, 10, 10))


class OneJobASpark:
    """An action whose jobs all belong to Sparks of their own; each waits until all are at work."""

    names: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()

    def __init__(self, *_: object) -> None:
        self.promised: dict[str, object] = {}
        self.meeting = threading.Barrier(len(self.names), timeout=20)

    def takes(self, jobs: object) -> bool:
        return True

    def add(self, jobs: object) -> None:
        pass

    def sparks(self) -> list[list[Job]]:
        return [[job(name)] for name in self.names]

    def run(self, jobs: list[Job]) -> list[Pushed]:
        self.meeting.wait()
        if jobs[0].stage.name in self.failing:
            raise RuntimeError(jobs[0].stage.name)
        return [
            Pushed(one, one.effort, timedelta(seconds=1), Meter(seconds=1.0), one.stage.name) for one in jobs
        ]


@pytest.fixture
def pushing(monkeypatch: pytest.MonkeyPatch) -> Levels:
    monkeypatch.setattr(levels, "Action", OneJobASpark)
    none = cast(Pushing, None)  # it is asked nothing here
    return Levels(none, Foresight(none))


def test_sparks_work_side_by_side(pushing: Levels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OneJobASpark, "names", ("here", "there", "elsewhere"))
    done = [pushed.stage for pushed, _ in pushing.push([], 2, True)]
    assert done == ["here", "there", "elsewhere"]
    assert frozenset({"there"}) in pushing.foresight.joint  # each one's work is a lesson of its own


@pytest.mark.parametrize("failing", ["here", "there"])
def test_what_others_did_is_told_before_a_failure(
    pushing: Levels, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    monkeypatch.setattr(OneJobASpark, "names", ("here", "there"))
    monkeypatch.setattr(OneJobASpark, "failing", (failing,))
    outcomes = pushing.push([], 2, True)
    told = [next(outcomes)[0].stage]
    with pytest.raises(RuntimeError, match=failing):
        next(outcomes)
    assert told == [name for name in ("here", "there") if name != failing]
