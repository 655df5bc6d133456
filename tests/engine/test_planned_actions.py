"""The actions that `headwater plan` lists are those that a run records, in order."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.api import Headwater
from headwater.bench.smile.workload.project import Shape, write_project
from headwater.bench.smile.workload.relations import Position, Slice, slices
from headwater.catalog import Catalog
from headwater.clock import ManualClock
from headwater.engine.push import pusher
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from headwater.planning.stages.actions import Mode
from headwater.serve.planning.shared_catalog import shared_catalog
from support.cases import scaled
from support.planned_actions import Listed, changing, planned, recorded
from support.random_projects import random_project, random_rows
from support.without_spark import run_without_spark, shown, workplace


def push(engine: Pusher, catalog: Catalog, views: list[str], until: int) -> Listed:
    """The actions of a push, as it records them."""
    steps = engine.push(catalog.levels(views), until, hints=True)
    return recorded(
        [(pushed.action, pushed.stage) for pushed, _ in steps if pushed.mode is not Mode.EMPTY], catalog
    )


def ingest(project: Headwater, chance: random.Random, start: int, batches: int) -> int:
    """New rows for every table, every ten seconds; returns a time by which all are captured."""
    for batch in range(batches):
        for table in project.project.tables:
            assert project.ingest(table, random_rows(chance, start + 100 * batch)).rejected == 0
        project.clock.sleep(timedelta(seconds=10))
    return project.clock.now() - 1


def kept_to_plan(project: Headwater, monkeypatch: pytest.MonkeyPatch) -> tuple[Pusher, Catalog]:
    """The plan of what is there now, made and remembered, and an engine that keeps to it."""
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    catalog = shared_catalog(project.catalog, project.warehouse)
    project._lay_out(catalog)
    place_of_work = workplace(project.warehouse, catalog)
    return Pusher(place_of_work, Forecaster(place_of_work)), catalog


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(50)))
def test_random_projects(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    project = random_project(tmp_path, seed)
    until = ingest(project, chance, 0, batches=4)
    engine, catalog = kept_to_plan(project, monkeypatch)
    for view in catalog.kept:
        push(engine, catalog, [view], until)
    until = ingest(project, chance, 1_000, batches=3)
    listed = planned(project.project.folder)
    done = push(engine, catalog, list(catalog.kept), until)
    assert sorted(stage for _, stages in listed for stage in stages) == sorted(
        stage.name for _, stage in catalog.stages()
    )
    assert changing(listed, done) == done
    engine.close()


@pytest.mark.slow
@pytest.mark.parametrize("sites", [1, 6])
def test_the_25_sharings_of_tweets(sites: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, Shape(sites=sites, preload=400, rate=4.0))
    project = headwater.open(str(tmp_path), ManualClock())
    first, second = slices(7, Position(), 800, 400)
    until = tweet(project, first)
    engine, catalog = kept_to_plan(project, monkeypatch)
    for view in catalog.kept:
        push(engine, catalog, [view], until)
    until = tweet(project, second)
    listed = planned(project.project.folder)
    done = push(engine, catalog, list(catalog.kept), until)
    assert len(listed) == (1 if sites == 1 else len(done))
    assert changing(listed, done) == done
    engine.close()


def tweet(project: Headwater, tweets: Slice) -> int:
    """Append a slice's rows; returns a time by which all are captured."""
    for table, rows in tweets.rows.items():
        assert project.ingest(table, rows).rejected == 0
    project.clock.sleep(timedelta(seconds=100))
    return project.clock.now() - 1


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_an_engine_without_spark_keeps_the_law(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tests above rest on: shared or not, every view holds the same."""
    chance = random.Random(seed)
    project = random_project(tmp_path, seed)
    until = ingest(project, chance, 0, batches=4)
    engine, catalog = kept_to_plan(project, monkeypatch)
    for view in catalog.kept:
        push(engine, catalog, [view], until)
    until = ingest(project, chance, 1_000, batches=3)
    push(engine, catalog, list(catalog.kept), until)
    kept = {view: shown(engine.workplace.timeline(view), until) for view in catalog.kept}
    alone = tmp_path / "alone"
    alone.mkdir()
    other = random_project(alone, seed)
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    unshared = workplace(other.warehouse, other.catalog)
    single = Pusher(unshared, Forecaster(unshared))
    chance = random.Random(seed)
    ingest(other, chance, 0, batches=4)
    until = ingest(other, chance, 1_000, batches=3)
    for view in other.catalog.kept:
        push(single, other.catalog, [view], until)
    assert kept == {view: shown(unshared.timeline(view), until) for view in other.catalog.kept}
    engine.close()
    single.close()
