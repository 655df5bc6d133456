"""However a view is refreshed, push by push by its delta or recomputed as a whole, it holds the same rows."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.api import Headwater
from headwater.engine.push import pusher
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from laws.test_crash_points import crash_everywhere, folder, soon
from support.cases import scaled
from support.hidden_stages import HIDDEN, answer, hidden_stages, random_changes
from support.random_projects import random_project, random_rows
from support.without_spark import run_without_spark, shown, workplace

__all__ = ["folder", "soon"]  # fixtures

ROUNDS = 6


class Kept:
    """A random project, all of whose views are pushed in the ways that `whole` says."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir()
        self.project: Headwater = random_project(folder, seed)
        place = workplace(self.project.warehouse, self.project.catalog)
        self.pusher = Pusher(place, Forecaster(place))

    def push(self, chance: random.Random, start: int) -> list[str]:
        """What was done for views that were recomputed as a whole."""
        for table in self.project.project.tables:
            assert self.project.ingest(table, random_rows(chance, start)).rejected == 0
        self.project.clock.sleep(timedelta(seconds=10))
        catalog, until = self.project.catalog, self.project.clock.now() - 1
        steps = self.pusher.push(catalog.levels(list(catalog.kept)), until, hints=True)
        return [pushed.stage for pushed, _ in steps if pushed.job.whole]

    def views(self) -> dict[str, object]:
        timelines = {view: self.pusher.workplace.timeline(view) for view in self.project.catalog.kept}
        return {view: shown(timeline, timeline.time()) for view, timeline in timelines.items()}


@pytest.mark.parametrize("part", range(4))
def test_random_ways(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    ways = random.Random(part)
    wholes = 0
    seeds = range(part, scaled(8), 4)
    for seed in seeds:
        one, other = Kept(tmp_path / f"one{seed}", seed), Kept(tmp_path / f"other{seed}", seed)
        for turn in range(ROUNDS):
            answer(monkeypatch, lambda: False)
            one.push(random.Random(turn), 100 * turn)
            answer(monkeypatch, lambda: ways.random() < 0.5)
            wholes += len(other.push(random.Random(turn), 100 * turn))
            assert other.views() == one.views()
    assert wholes >= 3 * len(seeds)


@pytest.mark.parametrize("seed", range(scaled(4)))
def test_hidden_stages_are_emptied_and_come_back(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    chance, ways = random.Random(seed), random.Random(seed + 100)
    there: dict[int, tuple[int, int]] = {}
    kept = [hidden_stages(tmp_path / name) for name in ("by_delta", "either_way")]
    emptied: set[bool] = set()
    for turn in range(8):
        rows = (
            random_changes(chance, there)
            if turn % 4
            else pa.table({"id": [0], "k": [0], "n": [0], "_weight": [0]})[:0]
        )
        shown_by = []
        for (engine, change), answers in zip(kept, (lambda: False, lambda: ways.random() < 0.5), strict=True):
            answer(monkeypatch, answers)
            catalog, until = engine.workplace.catalog, change(rows)
            list(engine.push(catalog.levels(list(catalog.kept)), until, hints=True))
            shown_by.append({view: shown(engine.workplace.timeline(view), until) for view in HIDDEN})
        assert shown_by[0] == shown_by[1]
        emptied.add(kept[1][0].workplace.timeline("top_keys$1").hollow())
    assert emptied == {False, True}


@pytest.mark.slow
def test_every_crash_point_of_random_ways(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    answer(monkeypatch, lambda: chance.random() < 0.5)
    points = 0
    for seed in range(scaled(2)):
        points += crash_everywhere(folder / str(seed), seed, steps=8)
    assert points > 100
