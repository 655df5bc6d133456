"""The run's loop, housekeeping, reloading and audit: what fails is shown and stops nothing. No Spark here."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

import headwater
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor import spark_runner
from headwater.engine.executor.runner import PublishOrder
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.run.auditor import Auditor
from headwater.engine.run.housekeeping import Chore, Housekeeping
from headwater.engine.run.loop import Loop
from headwater.engine.run.reloading import Reloading
from headwater.model import Project
from headwater.planning.cost.learning.ways import Ways
from headwater.serve.reports.status import status
from headwater.storage.timeline import COMPACTED

SQL = """
CREATE TABLE t (a BIGINT);
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t WHERE a > 1;
CREATE MATERIALIZED VIEW w FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t WHERE a > 2;
"""


@pytest.fixture
def project(tmp_path: Path) -> headwater.api.Headwater:
    (tmp_path / "headwater.yml").write_text("name: t\nsites: {m1: {}, m2: {}}\n")
    (tmp_path / "t.sql").write_text(SQL)
    return headwater.open(str(tmp_path), ManualClock())


def store(project: headwater.api.Headwater, view: str, time: int) -> Path:
    """A view's timeline as of a time; its folder."""
    timeline = project.warehouse.stage(project.catalog.folder(view))
    timeline.create(pa.schema([("a", pa.int64())]))
    timeline.commit(time)
    return Path(timeline.path)


class Stepping:
    """An executor that fails every other step."""

    def __init__(self) -> None:
        self.steps = 0
        self.watermarks: dict[str, int] = {}

    def step(self) -> None:
        self.steps += 1
        if self.steps % 2:
            raise ValueError("half a commit\nand more")


def test_a_step_that_fails_does_not_end_the_loop() -> None:
    clock, executor, shown = ManualClock(), Stepping(), list[dict[str, str]]()
    loop = Loop(cast(Any, executor), [], clock)
    loop.keep(threading.Event(), timedelta(seconds=5), lambda: shown.append(dict(loop.guard.errors)))
    assert executor.steps == 100
    assert len(shown) == 5
    assert shown[0] == {"scheduling": "ValueError: half a commit"}


def test_a_loop_lasts_as_long_as_it_should_whatever_the_clock_says() -> None:
    clock, executor = ManualClock(), Stepping()

    def set_back() -> None:
        clock.step(timedelta(hours=-1))

    Loop(cast(Any, executor), [], clock, adopt=set_back).keep(threading.Event(), timedelta(seconds=1))
    assert executor.steps == 20


def test_housekeeping_goes_on_when_the_clock_is_set_back() -> None:
    clock, done = ManualClock(), list[int]()

    def fail() -> None:
        raise OSError("disk full")

    chores = {"sweep": Chore(timedelta(seconds=5), lambda: done.append(1)), "bad": Chore(timedelta(0), fail)}
    house = Housekeeping(chores, clock)
    for _ in range(30):
        clock.advance(timedelta(seconds=1))
        clock.step(timedelta(minutes=-7))
        house.turn()
    assert len(done) == 6
    assert house.guard.errors == {"bad": "OSError: disk full"}


# Reloading


def test_a_reload_that_is_refused_plans_nothing_and_moves_nothing(project: headwater.api.Headwater) -> None:
    made = list[Project]()

    def make(files: Project, current: Catalog) -> Catalog:
        made.append(files)
        return build(files)

    reloading = Reloading.of(project.catalog, make=make)
    before = dict(project.warehouse.roots)
    path = Path(project.project.folder) / "t.sql"
    path.write_text(SQL.replace("(a BIGINT)", "(a BIGINT) AT SITE m1"))
    reloading.look(project.catalog)
    assert reloading.problem == 'table "t" changed: restart to apply'
    assert (made, reloading.waiting) == ([], None)
    # What can be adopted moves nothing before it is.
    path.write_text(SQL.replace("CREATE MATERIALIZED VIEW w", "CREATE MATERIALIZED VIEW x"))
    reloading.look(project.catalog)
    assert len(made) == 1
    assert project.warehouse.roots == before
    refused = list[Catalog]()
    reloading.adopt_waiting(lambda catalog: bool(refused.append(catalog)))
    assert reloading.waiting is refused[0]
    assert reloading.taken != reloading.seen
    reloading.adopt_waiting(lambda catalog: True)
    assert reloading.waiting is None
    assert reloading.taken == reloading.seen


# The audit and the status


def test_a_view_with_a_truncated_commit_is_audited_like_the_others(project: headwater.api.Headwater) -> None:
    clock = cast(ManualClock, project.clock)
    started = clock.now()
    folders = {view: store(project, view, started) for view in ("v", "w")}
    auditor = Auditor(project.catalog, project.warehouse, clock, started, list)
    assert [seen.violated for seen in auditor.snapshot()] == [False, False]
    (folders["v"] / "_delta_log" / f"{2:020d}.json").write_text('{"commitInfo": {"times')
    clock.advance(timedelta(seconds=31))
    seen = {snapshot.view: snapshot for snapshot in auditor.snapshot()}
    assert (seen["v"].time, seen["v"].violated) == (started, True)
    assert (seen["w"].time, seen["w"].violated) == (started, True)


def test_a_view_that_was_added_is_stale_since_then(project: headwater.api.Headwater, tmp_path: Path) -> None:
    clock = cast(ManualClock, project.clock)
    auditor = Auditor(project.catalog, project.warehouse, clock, clock.now(), list)
    clock.advance(timedelta(hours=1))
    with open(tmp_path / "t.sql", "a") as file:
        file.write("CREATE MATERIALIZED VIEW x FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t;")
    auditor.adopt(headwater.open(str(tmp_path), clock).catalog)
    clock.advance(timedelta(seconds=40))
    seen = {snapshot.view: snapshot for snapshot in auditor.look()}
    assert (seen["x"].staleness_s, seen["x"].violated) == (40.0, False)
    assert seen["v"].staleness_s == 3640.0


def test_a_time_ahead_of_the_clock_is_shown(project: headwater.api.Headwater) -> None:
    clock = cast(ManualClock, project.clock)
    store(project, "v", clock.now())
    clock.step(timedelta(hours=-1))
    view = status(project.catalog, project.warehouse, clock).views[0]
    assert view.staleness_s == -3600.0


def test_no_view_is_pushed_to_a_time_before_the_horizon_of_its_source(
    project: headwater.api.Headwater,
) -> None:
    source = project.warehouse.source("t")
    source.create(pa.schema([("a", pa.int64())]))
    source.commit(50, transactions={COMPACTED: 40})
    workplace = Workplace(cast(Any, None), project.warehouse, project.catalog)
    runner = SparkRunner(workplace, Records(project.clock))
    assert runner.earliest("t") == 40


def test_what_publishing_takes_is_learnt_in_seconds(
    project: headwater.api.Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As microseconds it outweighed whatever the refreshes themselves took."""
    clock = cast(ManualClock, project.clock)
    workplace = Workplace(cast(Any, None), project.warehouse, project.catalog)
    runner = SparkRunner(workplace, Records(clock))
    monkeypatch.setattr(spark_runner, "publish_view", lambda *_: clock.advance(timedelta(seconds=2)))
    forecaster = runner.forecaster
    forecaster.predictor = replace(forecaster.predictor, ways={"v": Ways()})
    runner.publish(PublishOrder("v", rewrite=False)).result()
    assert forecaster.predictor.ways["v"].delta.publishing == 2.0
