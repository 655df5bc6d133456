"""One controller for all stages that choose: what fits is taken, and it does not flap."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from headwater.overload.budget import Budget, Load, allowed_time, by_forecast, by_rate, overloaded

SECOND = timedelta(seconds=1)


def linear(fixed: float, each: float):  # type: ignore[no-untyped-def]
    return lambda units: timedelta(seconds=fixed + each * units)


def test_everything_is_taken_if_it_fits() -> None:
    assert by_forecast(Load(1_000), 3 * SECOND, linear(1.0, 0.002)).units is None


@pytest.mark.parametrize("seed", range(50))
def test_what_is_taken_fits_and_hardly_more_would(seed: int) -> None:
    chance = random.Random(seed)
    fixed, each = chance.uniform(0.1, 2.0), chance.uniform(1e-5, 1e-2)
    load, allowed = chance.randint(10, 2_000_000), timedelta(seconds=chance.uniform(2.5, 20.0))
    forecast = linear(fixed, each)
    budget = by_forecast(Load(load), allowed, forecast)
    if budget.units is None:
        assert forecast(load) <= allowed
        return
    assert forecast(load) > allowed >= forecast(budget.units)
    assert forecast(round(budget.units * 1.05) + 2) > allowed
    assert budget.cost == pytest.approx(allowed.total_seconds() / budget.units)


def test_something_is_taken_even_if_nothing_fits() -> None:
    """The fixed costs are longer than the promise allows: a quarter of them is spent on top."""
    assert by_forecast(Load(1_000), SECOND, linear(5.0, 0.1)).units == 13
    assert by_forecast(Load(1_000), SECOND, linear(5.0, 0.001)).units == 1_000


def test_a_push_that_need_not_choose_is_judged_as_such() -> None:
    """To choose costs more than to take all; that is no reason to begin with it."""
    forecast = linear(5.0, 0.01)
    assert by_forecast(Load(100), 3 * SECOND, forecast, all_at_once=2 * SECOND).units is None
    assert by_forecast(Load(1_000), 3 * SECOND, forecast, all_at_once=4 * SECOND).units is None


@pytest.mark.parametrize("waiting", [50, 9_000, 400_000])
def test_what_waits_is_shown_in_some_pushes_once_the_load_is_gone(waiting: int) -> None:
    """Even where a push that shows next to nothing takes longer than it may."""
    left, pushes = waiting, 0
    while left:
        budget = by_forecast(Load(left, choosing=True), SECOND, linear(5.0, 0.0006))
        left -= left if budget.units is None else min(left, budget.units)
        pushes += 1
        assert pushes <= 250


def test_a_rate_by_hand() -> None:
    assert by_rate(Load(100), 50.0, 2.0) == Budget(reason=by_rate(Load(100), 50.0, 2.0).reason)
    assert by_rate(Load(101), 50.0, 2.0).units == 100
    assert by_rate(Load(101), 50.0, 2.0).cost == 0.02
    assert by_rate(Load(80, choosing=True), 50.0, 2.0).units == 100
    assert by_rate(Load(70, choosing=True), 50.0, 2.0).units is None


def test_a_late_view_gets_less_time_but_some() -> None:
    freshness = timedelta(seconds=10)
    assert allowed_time(freshness, timedelta()) == timedelta(seconds=3.5)
    assert allowed_time(freshness, timedelta(seconds=6.5)) == timedelta(seconds=2)
    assert allowed_time(freshness, timedelta(seconds=60)) == timedelta(seconds=1)


def test_overload_begins_and_ends_once_while_the_load_wavers_around_what_fits() -> None:
    chance, choosing, changes = random.Random(3), False, 0
    for step in range(400):
        usual = 1_000 if 100 <= step < 300 else 300
        waiting = round(usual * chance.uniform(0.85, 1.15))
        budget = by_forecast(Load(waiting, choosing), 2 * SECOND, linear(0.0, 0.002))
        now = overloaded(budget, waiting, choosing)
        changes += now != choosing
        choosing = now
    assert changes == 2
    assert not choosing
