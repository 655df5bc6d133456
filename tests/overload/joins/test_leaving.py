"""Results go as their oldest rows grow too old: over one window, and all of them."""

from __future__ import annotations

import pytest

from headwater.overload.joins.adaptation.leaving import leaving

SECOND = 1_000_000
MADE = [(100 * SECOND, 1_000.0)]


def going(after: float, until: float) -> float:
    return leaving(MADE, round(after * SECOND), round(until * SECOND), window=20.0, keep=30.0)


def test_they_go_evenly_over_a_window() -> None:
    assert going(100, 110) == 0
    assert going(110, 120) == pytest.approx(500)
    assert going(120, 200) == pytest.approx(500)
    assert going(130, 200) == 0


def test_none_is_counted_twice() -> None:
    assert sum(going(at, at + 3) for at in range(90, 150, 3)) == pytest.approx(1_000)
