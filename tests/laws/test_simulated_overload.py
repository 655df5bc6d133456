"""Update streams fed faster than their views can take, without Spark: promises are kept, and what waits follows."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from headwater.bench.simulation.overload.run import (
    simulate_cold_start,
    simulate_overload,
    simulate_overloads,
)
from headwater.engine.push.forecasting import forecaster
from headwater.overload import budget
from headwater.planning.cost import correction
from support.cases import scaled

HOURS = 2

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_promises_are_kept_under_overload() -> None:
    outcomes, _ = simulate_overloads(scaled(HOURS))
    assert [(run.seed, run.problem) for run in outcomes if run.problem] == []
    assert sum(run.chose for run in outcomes) >= len(outcomes) // 3


def test_a_seed_repeats_itself() -> None:
    assert simulate_overload(4) == simulate_overload(4)


# A seed that has to choose. Each mend is taken out, and it must fail.
OVERLOADED = 33


def test_a_run_that_has_to_choose_keeps_its_promise() -> None:
    outcome = simulate_overload(OVERLOADED)
    assert outcome.chose
    assert outcome.problem == ""


def test_without_choosing_the_promise_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "by_forecast", lambda *_, **__: budget.EVERYTHING)
    assert "stale" in simulate_overload(OVERLOADED).problem


def test_a_budget_that_leaves_no_room_breaks_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "SHARE", 0.9)
    monkeypatch.setattr(budget, "SAFE", 1.5)
    monkeypatch.setattr(forecaster, "OVERRUN", 1.0)
    assert "stale" in simulate_overload(OVERLOADED).problem


def late_at_first(seeds: range | tuple[int, ...]) -> list[int]:
    """Runs that begin cold and break a promise in their first minutes."""
    return [seed for seed in seeds if (run := simulate_cold_start(seed)).first_s > run.promise_s]


def test_a_cold_run_hardly_breaks_a_promise() -> None:
    assert len(late_at_first(range(scaled(12)))) <= scaled(12) // 10


def test_a_cold_run_is_late_if_it_trusts_what_it_never_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second push has fifty times the rows of the first."""
    trusting = (5, 10)
    assert late_at_first(trusting) == []
    monkeypatch.setattr(correction, "LEAST_KNOWN", 0.25)
    assert late_at_first(trusting) == list(trusting)
