"""The picture of an executed bench: CPU-seconds of a push, by contender and number of views."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from headwater.bench.smile.figures.staleness import BLUE, GREY, INK, ORANGE, RED, plain, save
from headwater.bench.weave.execution.outcome import DUCKDB, RECOMPUTE, SEPARATE, STREAMING, WOVEN, Measured

__all__ = ["draw", "named"]

COLORS = {WOVEN: BLUE, SEPARATE: ORANGE, RECOMPUTE: RED, STREAMING: "#7b5ea7", DUCKDB: GREY}


def draw(measured: Sequence[Measured], folder: Path) -> None:
    """Bars for one number of views, lines for several; both scales are logarithmic."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    names = [name for name in COLORS if measured[0].cpu_seconds(name) is not None]
    views = [run.views for run in measured]
    for at, name in enumerate(names):
        costs = [run.cpu_seconds(name) or 0.0 for run in measured]
        if len(measured) == 1:
            axes.bar([at], costs, color=COLORS[name])
        else:
            axes.plot(views, costs, marker="o", color=COLORS[name], label=name)
    if len(measured) == 1:
        axes.set_xticks(range(len(names)), names)
    else:
        axes.set_xscale("log")
        axes.set_xticks(views, [str(count) for count in views])
        axes.set_xlabel("views")
        axes.legend(frameon=False)
    axes.set_yscale("log")
    axes.set_ylabel("CPU-seconds of a push")
    title = f"{views[0]} window views" if len(views) == 1 else "Window views"
    axes.set_title(f"{title}, {measured[0].stream} quotes", loc="left", color=INK)
    plain(axes)
    save(figure, folder, named(measured))


def named(measured: Sequence[Measured]) -> str:
    """What its files are called."""
    sites = f"-{measured[0].sites}-sites" if measured[0].sites > 1 else ""
    return f"execution-{measured[0].stream}{sites}"
