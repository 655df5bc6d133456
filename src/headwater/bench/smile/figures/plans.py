"""Figures 12 and 13: what plans cost before and after hill climbing, and how they shrink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from headwater.bench.smile.figures.staleness import BLUE, GREY, INK, ORANGE, plain, save

__all__ = ["draw_costs", "draw_steps"]


def draw_costs(costs: Mapping[str, float], paper: Mapping[str, float], folder: Path) -> None:
    """Figure 12: ours and the paper's, each as a share of its own DPT."""
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    names = list(paper)
    for shift, values, color, label in ((-0.2, costs, BLUE, "here"), (0.2, paper, GREY, "paper")):
        shares = [100 * values[name] / values["DPT"] for name in names]
        bars = axes.bar(
            [position + shift for position in range(len(names))], shares, 0.38, color=color, label=label
        )
        axes.bar_label(bars, [f"${values[name]:.2g}" for name in names], fontsize=8)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("% of DPT")
    axes.set_title("dollars per sharing-second", loc="left", color=INK)
    axes.legend(frameon=False)
    plain(axes)
    save(figure, folder, "figure-12-plans")


def draw_steps(counts: Mapping[str, Sequence[tuple[int, int]]], folder: Path) -> None:
    """Figure 13: vertices and edges after each plumbing."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, (name, series) in zip(
        figure.subplots(1, len(counts), squeeze=False)[0], counts.items(), strict=True
    ):
        steps = range(len(series))
        axes.step(steps, [vertices for vertices, _ in series], color=BLUE, where="post", label="vertices")
        axes.step(steps, [edges for _, edges in series], color=ORANGE, where="post", label="edges")
        axes.set_title(f"{name}: plumbings one after another", loc="left", color=INK)
        axes.set_xlabel("plumbings")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(frameon=False)
        plain(axes)
    save(figure, folder, "figure-13-plumbing")
