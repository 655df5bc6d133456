"""twoTags as the paper plots it: response times of reads and of writes against the number of tags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headwater.bench.store.two_tags import Measured

__all__ = ["draw"]


def draw(measured: Sequence[Measured], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    reads, writes = figure.subplots(1, 2, sharey=True)
    sizes = [point.tags for point in measured]
    for axes, title, lines in (
        (reads, "reads", (("scan", "without the view", "o"), ("view", "with the view", "s"))),
        (writes, "writes", (("write", "with maintenance", "s"), ("plain_write", "without", "o"))),
    ):
        for name, label, mark in lines:
            for percentile, line in (("p99", "-"), ("p50", ":")):
                times = [getattr(point, f"{name}_{percentile}_ms") for point in measured]
                axes.plot(sizes, times, mark + line, label=f"{label}, {percentile}")
        axes.set(xscale="log", yscale="log", xlabel="tags", title=f"twoTags: {title}")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False)
    reads.set_ylabel("milliseconds")
    figure.savefig(path)
