"""A line through measurements: exact where they lie on one, never negative, and unmoved by single pauses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.sharing.fitting import Point, fit, medians

SIZES = [(tuples, scanned) for tuples in (1, 100, 10_000, 100_000) for scanned in (200_000, 2_000_000)]


def on_a_line(fixed: float, per_tuple: float, per_scanned: float) -> list[Point]:
    return [Point(t, s, fixed + per_tuple * t + per_scanned * s) for t, s in SIZES]


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.floats(0.01, 5), st.floats(1e-7, 1e-4), st.floats(1e-8, 1e-6))
def test_points_on_a_line_give_the_line(fixed: float, per_tuple: float, per_scanned: float) -> None:
    found = fit(on_a_line(fixed, per_tuple, per_scanned))
    assert (found.fixed, found.per_tuple, found.per_scanned) == pytest.approx(
        (fixed, per_tuple, per_scanned), rel=1e-4
    )
    assert found.r_squared == pytest.approx(1.0, abs=1e-6)
    assert found.error < 1e-4


def test_one_pause_in_three_does_not_move_the_line() -> None:
    steady = on_a_line(0.3, 4e-6, 1e-7)
    paused = [Point(one.tuples, one.scanned, one.seconds + 9) for one in steady]
    assert fit([*steady, *paused, *steady]) == fit(steady)


def test_no_coefficient_is_negative() -> None:
    falling = [Point(tuples, 0, 1.0 - tuples / 20_000) for tuples in (1, 1_000, 10_000)]
    found = fit(falling)
    assert min(found.fixed, found.per_tuple, found.per_scanned) >= 0
    assert found.per_tuple == 0


def test_what_never_varied_is_not_fitted() -> None:
    found = fit([Point(tuples, 500, 0.1 + tuples * 1e-6) for tuples in (1, 1_000, 10_000)])
    assert found.per_scanned == 0
    assert found.fixed == pytest.approx(0.1)


def test_residuals_stand_beside_the_medians() -> None:
    points = [Point(1, 0, 0.1), Point(1, 0, 0.3), Point(1, 0, 0.2), Point(9, 0, 1.0)]
    assert medians(points) == (Point(1, 0, 0.2), Point(9, 0, 1.0))
    found = fit(points)
    assert found.residuals == pytest.approx((0.0, 0.0), abs=1e-9)
