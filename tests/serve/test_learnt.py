"""A run starts from what earlier runs measured, as if they had never ended."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.engine import learnt as module
from headwater.engine.learnt import Learnt, learnt, lessons, of_stages
from headwater.sharing.time_model import Effort, Observation, TimeModel
from headwater.storage.journal import PUSHES, append_rows
from headwater.storage.warehouse import Warehouse


def push(at: int, stage: str, seconds: float, mode: str = "incremental", **more: object) -> dict[str, object]:
    row = {
        "at": at, "view": stage, "stage": stage, "mode": mode, "reason": "", "after": 0, "until": at,
        "changed_rows": 10, "scanned_rows": 100, "result_rows": 10, "seconds": seconds, "predicted_seconds": 0.0,
        "cpu_seconds": 1.0, "spark_jobs": 1, "attempt": 1, "error": "", "action": "",
    }  # fmt: skip
    return row | more


def written(folder: Path, rows: list[dict[str, object]]) -> Warehouse:
    warehouse = Warehouse(str(folder))
    append_rows(warehouse.system("pushes"), PUSHES, rows, 1)
    return warehouse


def test_nothing_is_learnt_from_nothing(tmp_path: Path) -> None:
    assert learnt(Warehouse(str(tmp_path))) == Learnt()


def test_stages_of_one_action_are_one_lesson(tmp_path: Path) -> None:
    rows = [
        push(at, stage, 2.0, action=f"a{at}", cpu_seconds=cpu)
        for at in (1, 2)
        for stage, cpu in (("v", 3.0), ("w", 1.0))
    ]
    rows += [
        push(3, "v", 9.0, "initial"),
        push(4, "w", 0.1, "empty"),
        push(5, "w", 50.0, "failed", error="x"),
    ]
    found = written(tmp_path, rows)
    assert [(sorted(one.efforts), one.seconds) for one in lessons(found)] == [(["v", "w"], 2.0)] * 2 + [
        (["v"], 9.0)
    ]
    known = learnt(found)
    assert set(known.joint) == {frozenset({"v", "w"})}
    assert [one.effort.stages for one in known.joint[frozenset({"v", "w"})].observations] == [2, 2]
    assert set(known.full) == {"v"}
    # By itself, a stage took the part of the time that its CPU did.
    delta, anew = of_stages(lessons(found))["v"]
    assert [one.seconds for one in delta.observations] == [1.5, 1.5]
    assert [one.seconds for one in anew.observations] == [9.0]


efforts = st.builds(Effort, st.integers(0, 10**6), st.integers(0, 10**7), st.integers(0, 10**6))


@given(st.lists(st.tuples(efforts, st.floats(0.01, 100)), min_size=1, max_size=60))
@settings(deadline=None, derandomize=True, database=None, max_examples=40)
def test_one_fit_is_as_good_as_learning_one_by_one(seen: list[tuple[Effort, float]]) -> None:
    start = TimeModel((), (1.0, 0.0, 0.0, 0.0), prior=(1.0, 0.0, 0.0, 0.0))
    slowly = start
    for effort, seconds in seen:
        slowly = slowly.learn(effort, timedelta(seconds=seconds))
    quickly = module._taught(start, [Observation(*one) for one in seen])
    assert quickly.coefficients == pytest.approx(slowly.coefficients)
    assert len(quickly.observations) == len(slowly.observations)
    assert quickly.spread == pytest.approx(slowly.spread)
