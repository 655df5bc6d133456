"""A view that is recomputed as a whole: what is stored of it, and who keeps its changes from being given up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.engine.push import pusher
from headwater.engine.push.whole import may_be_whole
from headwater.storage.feed import Feed, FeedGoneError
from headwater.storage.timeline import Timeline
from support.hidden_stages import HIDDEN, answer, hidden_stages
from support.without_spark import run_without_spark, shown

ONE, TWO = [1, 2, 3], [4, 5, 6]


class World:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pusher, "run_action", run_without_spark)
        self.engine, self.change = hidden_stages(folder)
        self.until = 0
        self.recompute = False
        answer(monkeypatch, lambda: self.recompute)

    def push(self, ids: list[int]) -> dict[str, str]:
        """Insert rows and push all views; how each stage was brought up to date."""
        size = len(ids)
        rows = pa.table({"id": ids, "k": [1] * size, "n": ids, "_weight": [1] * size})
        self.until = self.change(rows)
        return self.again()

    def again(self) -> dict[str, str]:
        """Push all views to the last time."""
        catalog = self.engine.workplace.catalog
        steps = self.engine.push(catalog.levels(list(catalog.kept)), self.until, hints=True)
        return {pushed.stage: pushed.mode.value for pushed, _ in steps}

    def rows(self, *views: str) -> dict[str, set[tuple[object, ...]]]:
        timelines = {view: self.timeline(view) for view in views}
        return {view: set(shown(timeline, timeline.time())[1]) for view, timeline in timelines.items()}

    def timeline(self, stage: str) -> Timeline:
        return self.engine.workplace.timeline(stage)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_what_nobody_follows_is_replaced_and_its_hidden_stages_are_emptied(world: World) -> None:
    world.push(ONE)
    world.recompute = True
    modes = world.push(TWO)
    assert modes["often"] == "full"
    assert "often$1" not in modes
    kept, hidden = world.timeline("often"), world.timeline("often$1")
    assert kept.horizon() == kept.time() == hidden.time()
    assert hidden.hollow()
    assert not hidden.snapshot().files
    world.recompute = False
    assert world.push([7])["often$1"] == "initial"
    assert not hidden.hollow()
    assert shown(kept, kept.time())[1] == {(7, 1): 1}


def test_the_changes_of_a_view_that_is_followed_are_stored(world: World) -> None:
    world.push(ONE)
    feed = Feed(world.timeline("above_all"), "above_all")
    assert not list(feed.steps())
    world.recompute = True
    world.push(TWO)
    (step,) = feed.steps()
    assert step.files
    assert world.timeline("above_all").horizon() < step.time


def test_who_asks_for_changes_that_are_gone_has_them_from_then_on(world: World) -> None:
    world.push(ONE)
    view = world.timeline("above_all")
    read_at, world.recompute = view.time(), True
    world.push(TWO)
    with pytest.raises(FeedGoneError):
        Feed(view, "above_all", since=read_at)
    read_at = view.time()
    world.push([7])
    assert [step.time for step in Feed(view, "above_all", since=read_at).steps() if step.files] == [
        view.time()
    ]


def test_a_view_that_another_reads_is_compared_with_what_is_stored(world: World) -> None:
    world.push(ONE)
    world.recompute = True
    modes = world.push(TWO)
    assert modes["top_keys"] == "full"
    assert modes["over_a_view"] == "incremental"  # it was told what changed
    assert world.timeline("top_keys").horizon() < world.timeline("top_keys").time()


def test_while_nothing_changes_emptied_stages_stay_empty(world: World) -> None:
    world.push(ONE)
    world.recompute = True
    world.push(TWO)
    world.recompute = False
    modes = world.push([])
    assert modes["often"] == "empty"
    assert world.timeline("often$1").hollow()
    assert world.timeline("often$1").time() == world.timeline("often").time()


@pytest.mark.parametrize(("view", "may"), [("over_a_view", False), *((name, True) for name in HIDDEN if name != "over_a_view")])  # fmt: skip
def test_who_may_be_recomputed_as_a_whole(world: World, view: str, may: bool) -> None:
    catalog = world.engine.workplace.catalog
    assert (may_be_whole(catalog, catalog.kept[view]) is not None) == may


@pytest.mark.parametrize("view", ["above", "often", "largest"])
@pytest.mark.parametrize("later", [None, [], [7]])
def test_killed_after_its_hidden_stages_were_emptied_it_is_recomputed(
    world: World, view: str, later: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its delta it would read nothing of them."""
    world.push(ONE)
    world.recompute = True
    with monkeypatch.context() as patch:
        patch.setattr(Timeline, "replace", killed_at(view))
        with pytest.raises(InterruptedError):
            world.push(TWO)
    world.recompute = False
    assert world.timeline(f"{view}$1").hollow()
    if later is None:
        world.again()
    else:
        world.push(later)
    ids = [*ONE, *TWO, *(later or ())]
    assert world.rows("often", "largest", "above") == rows_of(ids)
    world.push([8, 9])
    assert world.rows("often", "largest", "above") == rows_of([*ids, 8, 9])


def rows_of(ids: list[int]) -> dict[str, set[tuple[object, ...]]]:
    """What the views hold."""
    above = {(number, number) for number in ids if number > sum(ids) / len(ids)}
    return {"often": {(len(ids), 1)}, "largest": {(sum(ids),)}, "above": above}


def killed_at(view: str) -> Callable[..., bool]:
    """In place of Timeline.replace."""
    replace = Timeline.replace

    def replaced(self: Timeline, *arguments: Any) -> bool:
        if f"/{view}@" in self.path:
            raise InterruptedError
        return replace(self, *arguments)

    return replaced
