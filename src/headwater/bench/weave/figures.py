"""The counterparts of the paper's Figures 2 and 3, as SVG and PNG."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from headwater.bench.weave.summary import Quality

__all__ = ["draw_node_costs", "draw_quality"]

INK, BLUE, ORANGE = "#1f2933", "#0b6e99", "#d9822b"


def draw_quality(measured: dict[str, Quality], folder: Path) -> None:
    """Figure 2: average plan quality, 0 % the average best and 100 % the average worst of the thirteen."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    names = list(measured)
    panels = (("Maximum cost", "maximum"), ("Total cost", "total"))
    for axes, (title, field) in zip(figure.subplots(2, 1), panels, strict=True):
        values = [100 * getattr(measured[name], field) for name in names]
        errors = [100 * getattr(measured[name], f"{field}_deviation") for name in names]
        down = [min(error, max(value, 0.0)) for error, value in zip(errors, values, strict=True)]
        colors = [ORANGE if name.startswith("best") else BLUE for name in names]
        axes.bar(names, values, color=colors, yerr=[down, errors], ecolor="#9aa5b1", capsize=3)
        axes.set_title(title, loc="left", color=INK)
        axes.set_ylabel("0 % best, 100 % worst")
        axes.tick_params(axis="x", labelrotation=40)
        axes.spines[["top", "right"]].set_visible(False)
    _save(figure, folder, "figure-2-plan-quality")


def draw_node_costs(costs: dict[str, list[float]], folder: Path) -> None:
    """Figure 3: the cost of each node, by optimizer."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots()
    shades = ("#0b6e99", "#4aa3c7", "#9fd0e3", "#d9822b")
    for node in range(len(next(iter(costs.values())))):
        at = [position + (node - 1.5) * 0.2 for position in range(len(costs))]
        label = f"node {node + 1}"
        axes.bar(at, [own[node] for own in costs.values()], 0.2, color=shades[node % 4], label=label)
    axes.set_xticks(range(len(costs)), list(costs), rotation=40, ha="right")
    axes.set_ylabel("operations per second")
    axes.set_title("Costs per node in a 4-node system", loc="left", color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=4)
    _save(figure, folder, "figure-3-node-costs")


def _save(figure: Figure, folder: Path, name: str) -> None:
    FigureCanvasAgg(figure)
    for kind in ("svg", "png"):
        figure.savefig(folder / f"{name}.{kind}", dpi=130)
