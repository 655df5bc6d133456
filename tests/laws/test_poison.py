"""Views whose expressions fail for some rows: kept while their SQL succeeds, and by themselves once it does again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError

from headwater.bench.laws.worlds import poisoned_world
from headwater.engine.push import pusher
from headwater.engine.push.commit import Pushed
from support.cases import scaled
from support.poisoned_run import PoisonedRun
from support.without_spark import run_encoded

pytestmark = pytest.mark.slow

WORLDS, PARTS = 40, 2


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)  # what fails here fails on purpose
    yield
    logging.disable(logging.NOTSET)


def keep(seed: int, folder: Path) -> tuple[int, int]:
    """How many (view, changes) pairs the law was tried on, and for how many of them the SQL fails."""
    world = poisoned_world(seed)
    run = PoisonedRun(world, folder)
    tried = failing = 0
    for batch in (world.start, *world.batches):
        run.take(batch)
        run.settle()
        failing += run.check()
        tried += len(world.views)
    run.executor.close()
    return tried, failing


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_a_view_is_kept_while_its_sql_succeeds(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pusher, "run_action", run_encoded)
    size = WORLDS // PARTS
    counts = [keep(seed, tmp_path / str(seed)) for seed in range(part * size, (part + 1) * size)]
    assert sum(tried for tried, _ in counts) >= 3 * size
    assert sum(failing for _, failing in counts) >= size // 10


# The law is worth what it finds.


def without_net_changes(*arguments: Any) -> list[Pushed]:
    workplace, action, relations, hints, _ = arguments
    return run_encoded(workplace, action, relations, hints, False)


def without_spark_failing(*arguments: Any) -> list[Pushed]:
    """Every failure ends the push for all of its views."""
    try:
        return run_encoded(*arguments)
    except Py4JError as error:
        raise RuntimeError(str(error)) from error


@pytest.mark.parametrize("broken", [without_net_changes, without_spark_failing])
def test_the_law_finds_what_was_mended(broken: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", broken)
    with pytest.raises(AssertionError):
        _ = [keep(seed, tmp_path / str(seed)) for seed in range(30)]
