"""The project of `headwater bench smile`, planned as a user would: from what its tables expect, with no data."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.bench.smile.experiments.plans import situation_of
from headwater.bench.smile.workload.project import Shape, write_project
from headwater.catalog import build
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.search.admission import admit
from headwater.project import load
from headwater.serve.planning.plan import plan_views
from headwater.serve.planning.situation import Survey, survey
from headwater.storage.warehouse import Warehouse

pytestmark = pytest.mark.slow

SHAPE = Shape(preload=7_000_000, rate=1_000.0)


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[GlobalPlan, Survey]:
    folder = tmp_path_factory.mktemp("smile")
    write_project(folder, SHAPE)
    return plan_views(build(load(folder)), Warehouse(str(folder / "warehouse")))


@pytest.mark.slow
def test_all_25_are_admitted_and_share(planned: tuple[GlobalPlan, Survey]) -> None:
    plan, _ = planned
    assert len(plan.sharings) == 25
    assert plan.before.size - plan.graph.size >= 80
    assert plan.resources <= 0.65 * plan.resources_alone


def test_a_promise_of_10_milliseconds_is_refused_with_its_path(planned: tuple[GlobalPlan, Survey]) -> None:
    _, given = planned
    hasty = replace(given.sharings["s02_twellow"], freshness=timedelta(milliseconds=10))
    found = admit(hasty, given.situation)
    assert not found.admitted
    assert [step.edge.kind.value for step in found.critical_path.steps if step.seconds > 0.1] == ["join"] * 2
    assert found.smallest is not None
    assert found.smallest.total_seconds() > 0.5


def test_what_the_tables_expect_is_what_the_generator_makes(tmp_path: Path) -> None:
    """The same joins are as large as in the experiment, which is told sizes by the generator."""
    write_project(tmp_path, SHAPE)
    project = load(tmp_path)
    given = survey(build(project), Warehouse(str(tmp_path / "warehouse")))
    told = situation_of(project, SHAPE)
    for sharing in given.sharings.values():
        found, expected = given.situation.size(sharing.core), told.size(sharing.core)
        assert (found.rows, found.rate) == pytest.approx((expected.rows, expected.rate)), sharing.view
