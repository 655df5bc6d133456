"""TPC-W as the paper plots it: Figures 5 (buying), 6 (all interactions) and 7 (refreshes)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headwater.bench.store.tpcw.measure import Measured

__all__ = ["draw"]


def draw(measured: Sequence[Measured], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14.0, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    reads, buys, refreshes = figure.subplots(1, 3)
    sizes = [point.rows for point in measured]
    for at, interaction in enumerate(measured[0].interactions):
        axes = buys if interaction.name.startswith("Buy Confirm") else reads
        times = [point.interactions[at].cpu_p99_ms for point in measured]
        axes.plot(sizes, times, "o-", label=interaction.name)
    for at, ranking in enumerate(measured[0].refreshes):
        counts = [point.refreshes[at].partitions for point in measured]
        refreshes.plot(
            counts,
            [point.refreshes[at].serial_ms for point in measured],
            "s-",
            label=f"{ranking.name}, serial",
        )
        refreshes.plot(
            counts,
            [point.refreshes[at].whole_ms for point in measured],
            "o:",
            label=f"{ranking.name}, in all",
        )
    for axes, title, label in (
        (reads, "p99 of interactions", "rows"), (buys, "p99 of Buy Confirm", "rows"),
        (refreshes, "refresh", "partitions"),
    ):  # fmt: skip
        axes.set(
            xscale="log", yscale="log", xlabel=label, title=f"TPC-W: {title}", ylabel="milliseconds of CPU"
        )
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False, fontsize=6)
    figure.savefig(path)
