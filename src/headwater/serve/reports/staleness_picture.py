"""The saw-tooth as a picture: a panel for each view, its promise as a line, violations as red marks."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, nan
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.serve.reports.staleness import Point, Staleness
from headwater.units import seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_staleness"]

HIGHEST = 3  # times the freshness: a night without a run must not flatten the days with one
CURVE, PROMISE, BROKEN = "#3b6fb6", "#6b7280", "#d1495b"


def draw_staleness(path: Path, project: str, views: Sequence[Staleness]) -> None:
    """Write an SVG, PNG or PDF, as the file's name says."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 1 if len(views) <= 3 else 2 if len(views) <= 12 else 4
    rows = ceil(len(views) / columns)
    figure = Figure(figsize=(max(10, 4 * columns), 0.9 + 1.9 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, sharex=True, squeeze=False).flatten()
    for axes, curve in zip(panels, views, strict=False):
        _panel(axes, curve)
    for axes in panels[len(views) :]:
        axes.set_visible(False)
    late = sum(len(curve.violations) for curve in views)
    figure.suptitle(
        f"{project}: staleness in seconds against the promise; {late} violations in"
        f" {sum(curve.pushes for curve in views):,} pushes",
        fontsize=12, fontweight="bold", x=0.01, ha="left",
    )  # fmt: skip
    figure.supxlabel("UTC", fontsize=9)
    figure.savefig(path)


def _panel(axes: Axes, curve: Staleness) -> None:
    times, seconds = _xy(curve.points)
    axes.plot(times, seconds, color=CURVE, linewidth=1.0)
    axes.fill_between(times, seconds, color=CURVE, alpha=0.12, linewidth=0)
    axes.axhline(curve.freshness_s, color=PROMISE, linewidth=1.0, linestyle="--")
    if curve.violations:
        axes.plot(*_xy(curve.violations), "x", color=BROKEN, markersize=6, markeredgewidth=1.6)
    highest = max(curve.freshness_s, min(curve.peak, HIGHEST * curve.freshness_s))
    axes.set_ylim(0, 1.12 * highest)
    beyond = ", beyond the picture" if curve.peak > highest else ""
    text = f"{curve.view}   freshness {seconds_text(curve.freshness_s)}, peak {curve.peak:,.1f} s{beyond}"
    axes.set_title(text, loc="left", fontsize=9, color=BROKEN if curve.violations else "black")
    axes.xaxis_date()
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#ececec", linewidth=0.7)
    axes.set_axisbelow(True)


def _xy(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Days since 1970, as matplotlib counts, and seconds."""
    return (
        [point.at / 8.64e10 for point in points],
        [nan if point.seconds is None else point.seconds for point in points],
    )
