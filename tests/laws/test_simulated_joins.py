"""An adapted join whose load rises eightfold at once, without Spark: its promise is kept, and that beside it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from headwater.bench.simulation.overload.joins.run import simulate_join
from headwater.engine.push.choosing.granting.adapted_joins import AdaptedJoin
from support.cases import scaled

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


RISES = (2, 4, 6)  # seeds: eight times the load, which is 512 times the matches


@pytest.mark.parametrize("seed", RISES[: scaled(1)])
def test_promises_are_kept_when_the_load_rises(seed: int) -> None:
    run = simulate_join(seed)
    assert run.chose
    assert run.problem == ""


def test_they_are_broken_if_a_row_is_believed_to_find_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AdaptedJoin, "results", lambda self, budgets: sum(self.arrived.values()))
    assert "stale" in simulate_join(RISES[0]).problem
