"""A line through measurements: exact where they lie on one, never negative, and unmoved by single pauses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.planning.cost.fitting import Fit, Point, fit, medians
from headwater.planning.cost.measured import measured_operators
from headwater.planning.cost.operators import OPERATORS
from headwater.planning.graph.graph import EdgeKind
from support.cases import law

SIZES = [(tuples, scanned) for tuples in (1, 100, 10_000, 100_000) for scanned in (200_000, 2_000_000)]


def on_a_line(fixed: float, per_tuple: float, per_scanned: float) -> list[Point]:
    return [Point(t, s, fixed + per_tuple * t + per_scanned * s) for t, s in SIZES]


@law(50)
@given(st.floats(0.01, 5), st.floats(1e-7, 1e-4), st.floats(1e-8, 1e-6))
def test_points_on_a_line_give_the_line(fixed: float, per_tuple: float, per_scanned: float) -> None:
    line = fit(on_a_line(fixed, per_tuple, per_scanned))
    assert (line.fixed, line.per_tuple, line.per_scanned) == pytest.approx(
        (fixed, per_tuple, per_scanned), rel=1e-4
    )
    assert line.r_squared == pytest.approx(1.0, abs=1e-6)
    assert line.error < 1e-4


def test_one_pause_in_three_does_not_move_the_line() -> None:
    steady = on_a_line(0.3, 4e-6, 1e-7)
    paused = [Point(point.tuples, point.scanned, point.seconds + 9) for point in steady]
    assert fit([*steady, *paused, *steady]) == fit(steady)


def test_no_coefficient_is_negative() -> None:
    falling = [Point(tuples, 0, 1.0 - tuples / 20_000) for tuples in (1, 1_000, 10_000)]
    line = fit(falling)
    assert min(line.fixed, line.per_tuple, line.per_scanned) >= 0
    assert line.per_tuple == 0


def test_what_never_varied_is_not_fitted() -> None:
    line = fit([Point(tuples, 500, 0.1 + tuples * 1e-6) for tuples in (1, 1_000, 10_000)])
    assert line.per_scanned == 0
    assert line.fixed == pytest.approx(0.1)


def test_residuals_stand_beside_the_medians() -> None:
    points = [Point(1, 0, 0.1), Point(1, 0, 0.3), Point(1, 0, 0.2), Point(9, 0, 1.0)]
    assert medians(points) == (Point(1, 0, 0.2), Point(9, 0, 1.0))
    fitted = fit(points)
    assert fitted.residuals == pytest.approx((0.0, 0.0), abs=1e-9)


def test_an_action_is_paid_once_and_stages_cost_less_in_company() -> None:
    """By itself a join takes 0.3 s; eight of them in one action take 0.9, so each adds 0.1 to its 0.1."""
    line = Fit(0.3, 4e-6, 2e-7, 1.0, 0.0, ())
    fits = {"join": line, "aggregate": replace(line, fixed=0.5), "apply": replace(line, fixed=0.002)}
    action = Fit(0.1, 0.1, 0.0, 1.0, 0.0, ())
    operators = measured_operators({**fits, "action": action})
    assert operators.action == 0.1
    assert operators.models[EdgeKind.JOIN].fixed == pytest.approx(0.05)  # of each half
    assert operators.models[EdgeKind.AGGREGATE].fixed == pytest.approx(0.2)  # 0.4 alone, half in company
    assert operators.models[EdgeKind.APPLY].fixed == 0.002
    assert operators.models[EdgeKind.JOIN].per_scanned == 2e-7


def test_a_line_that_explains_nothing_is_not_used() -> None:
    noise = [
        Point(tuples, 0, seconds) for tuples, seconds in ((1, 0.9), (100, 0.2), (10_000, 0.8), (100_000, 0.3))
    ]
    line = fit(noise)
    assert not line.is_usable
    good = Fit(0.3, 4e-6, 2e-7, 1.0, 0.0, ())
    fits = {"join": good, "aggregate": line, "action": Fit(0.1, 0.1, 0.0, 1.0, 0.0, ())}
    operators = measured_operators(fits)
    assert operators.models[EdgeKind.AGGREGATE] == OPERATORS.models[EdgeKind.AGGREGATE]
    assert operators.models[EdgeKind.JOIN].per_tuple == 4e-6
    unusable = replace(fits["action"], r_squared=0.0)
    assert measured_operators({**fits, "action": unusable}).action == OPERATORS.action
    assert measured_operators({kind: replace(fit, r_squared=0.0) for kind, fit in fits.items()}) == OPERATORS
