"""Operations against size, on demand and from the view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["draw"]


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    sizes = [row["documents"] for row in rows]
    for name, label, style in (
        ("operations_on_demand", "read on demand", "o-"),
        ("operations_per_insert", "keep the view, per new tag", "^-"),
        ("operations_from_view", "read from the view", "s-"),
    ):
        axes.plot(sizes, [row[name] for row in rows], style, label=label)
    axes.set(xscale="log", yscale="log", xlabel="documents with the popular tag", ylabel="operations")
    axes.set_title("twoTags: work as the data grows")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)
