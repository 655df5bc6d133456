"""The picture of a soak: six measures over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from headwater.bench.smile.figures.staleness import BLUE, GREY, INK, ORANGE, plain, save
from headwater.bench.soak.samples import Sample

__all__ = ["draw"]

PANELS = (
    ("resident memory, MB", (("python_mb", "Python", BLUE), ("jvm_mb", "JVM", ORANGE))),
    ("bytes, MB", (("stored_mb", "stored", BLUE), ("live_mb", "live", GREY))),
    ("files", (("files", "", BLUE),)),
    ("seconds to open all logs", (("open_logs_s", "", BLUE),)),
    ("a push", (("push_s", "seconds", BLUE), ("push_cpu_s", "CPU-seconds", ORANGE))),
    ("staleness of the worst view, seconds", (("staleness_s", "", BLUE),)),
)


def draw(samples: Sequence[Sample], folder: Path, name: str = "soak") -> None:
    figure = Figure(figsize=(12, 8), layout="constrained")
    grid = figure.subplots(3, 2, sharex=True)
    for axes, (title, lines) in zip(grid.flat, PANELS, strict=True):
        for measure, label, color in lines:
            values = [(taken.at_s / 60, getattr(taken, measure)) for taken in samples]
            points = [(at, value) for at, value in values if value is not None]
            minutes, heights = [at for at, _ in points], [value for _, value in points]
            axes.plot(minutes, heights, color=color, label=label, linewidth=1)
        if len(lines) > 1:
            axes.legend(frameon=False, fontsize=8)
        axes.set_title(title, loc="left", fontsize=10, color=INK)
        axes.set_ylim(bottom=0)
        plain(axes)
    for axes in grid[-1]:
        axes.set_xlabel("minutes")
    save(figure, folder, name)
