"""The picture of `status --plot`: one pause does not flatten the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from headwater.serve.reports.staleness import Point, Staleness
from headwater.serve.reports.staleness_picture import HIGHEST, draw_staleness

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("peak", "highest", "beyond"),
    [(12.0, 20.0, False), (45.0, 45.0, False), (30_000.0, HIGHEST * 20.0, True)],
)
def test_what_is_far_beyond_the_freshness_is_named_and_not_drawn(
    peak: float, highest: float, beyond: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path: drawn.append(figure))
    points = tuple(Point(at * SECOND, seconds) for at, seconds in enumerate((2.0, peak, 1.0, None, 3.0)))
    draw_staleness(tmp_path / "stale.svg", "shop", [Staleness("v", 20.0, points, (), 3)])
    (axes,) = drawn[0].axes
    assert axes.get_ylim() == (0, pytest.approx(1.12 * highest))
    title = axes.get_title(loc="left")
    assert f"peak {peak:,.1f} s" in title
    assert ("beyond the picture" in title) is beyond
