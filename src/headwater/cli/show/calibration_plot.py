"""The counterpart of the paper's Figure 5: seconds of each kind of edge against the number of tuples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.input.files import unwritable
from headwater.planning.cost.fitting import Fit, Point, medians

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_calibration"]

INK, SOFT, SHADES = "#1f2933", "#8a97a3", ("#0b6e99", "#d9822b", "#2f9e6e")
TITLES = {
    "apply": "apply: commit to a timeline and its table",
    "copy": "copy: from site to site",
    "join": "join: a delta against a relation",
    "union": "union: what merging halves adds",
    "aggregate": "aggregate: counts and sums of groups",
    "compute": "compute: the delta of an outer join",
    "action": "action: joins of small deltas at once",
}
WIDEST = 10_000  # the paper's; what lies beyond is measured and fitted, but not drawn


def draw_calibration(path: Path, points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit]) -> None:
    """A panel per kind: every measurement, the medians, and the fitted line per size of the relation."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 7), layout="constrained")
    FigureCanvasAgg(figure)
    panels = iter(figure.subplots(2, 4).flat)
    for axes, (kind, measured) in zip(panels, points.items(), strict=False):
        _panel(axes, kind, [point for point in measured if point.tuples <= WIDEST], fits[kind])
    for axes in panels:
        axes.set_axis_off()
    figure.suptitle("Time of each kind of edge on this machine", color=INK, x=0.01, ha="left")
    try:
        with rc_context({"svg.fonttype": "none"}):  # texts stay texts
            figure.savefig(path, dpi=130)
    except OSError as error:
        raise unwritable(path, error) from None


def _panel(axes: Axes, kind: str, points: list[Point], fit: Fit) -> None:
    scans = sorted({point.scanned for point in points})
    for scanned, shade in zip(scans, SHADES, strict=False):
        own = [point for point in points if point.scanned == scanned]
        label = f"{scanned:,} rows scanned" if scanned else None
        axes.plot([p.tuples for p in own], [p.seconds for p in own], "o", ms=3, alpha=0.3, color=shade, mew=0)
        middle = medians(own)
        axes.plot(
            [p.tuples for p in middle], [p.seconds for p in middle], "o", ms=5, color=shade, label=label
        )
        ends = [0, max(p.tuples for p in own)]
        axes.plot(ends, [fit.predict(end, scanned) for end in ends], "-", lw=1.4, color=shade)
    axes.set_title(TITLES[kind], loc="left", color=INK, fontsize=10)
    axes.set_xlabel("tuples" if kind != "action" else "stages", color=SOFT)
    axes.set_ylabel("seconds", color=SOFT)
    axes.set_ylim(bottom=0)
    axes.text(0.98, 0.04, f"R² = {fit.r_squared:.2f}", ha="right", color=SOFT, transform=axes.transAxes)
    axes.spines[["top", "right"]].set_visible(False)
    if len(scans) > 1:
        axes.legend(frameon=False, fontsize=8, loc="upper left")
