"""Panels: the plots of a figure as data, and how they are drawn, one file per figure, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Panel", "draw"]

COLOURS = ("#1b6ca8", "#d1495b", "#3a7d44", "#edae49", "#6c4f77")
MARKERS = ("o", "s", "^", "D", "v")


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: lines over a common x."""

    name: str
    title: str
    x_label: str
    y_label: str
    x: list[float]
    lines: dict[str, list[float]]
    note: str = ""
    log: bool = False
    floor: float | None = 0.0


def draw(panels: list[Panel], path: Path) -> None:
    """Write the panels of one figure as an SVG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.4 * len(panels), 3.9), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        for number, (name, values) in enumerate(panel.lines.items()):
            style = {"color": COLOURS[number], "marker": MARKERS[number]}
            axes.plot(panel.x, values, label=name, linewidth=1.6, markersize=4, **style)
        axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
        axes.set_title(panel.title, loc="left", fontsize=10)
        if panel.log:
            axes.set_yscale("log")
        if panel.floor is not None:
            axes.set_ylim(bottom=panel.floor)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(path)
    figure.savefig(path.with_suffix(".png"), dpi=90)
