"""A bill as a picture: dollars per hour over the period, and view by view, stacked by what they paid for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.planning.cost.billing import Bill, Costs, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_bill"]

PARTS = {"cpu": "CPU", "network": "network", "storage": "storage", "penalty": "penalties"}
COLOURS = {"cpu": "#3b6fb6", "network": "#5fb0a5", "storage": "#b9c2cc", "penalty": "#d1495b"}
MOST = 30


def draw_bill(path: Path, title: str, whole: Bill, over_time: Sequence[Bill], by: str) -> None:
    """Write an SVG, PNG or PDF, as the file's name says."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups = sorted(grouped(whole, by).items(), key=lambda pair: -pair[1].dollars)[:MOST]
    figure = Figure(figsize=(10, 4.4 + 0.28 * len(groups)), layout="constrained")
    FigureCanvasAgg(figure)
    top, bottom = figure.subplots(2, 1, height_ratios=[3, max(1.2, 0.35 * len(groups))])
    figure.suptitle(title, fontsize=13, fontweight="bold", x=0.01, ha="left")
    _time(top, over_time)
    _groups(bottom, groups, _hours(whole), by)
    handles, labels = top.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=4, frameon=False)
    figure.savefig(path)


def _hours(bill: Bill) -> float:
    return max((bill.until - bill.since) / 3.6e9, 1e-9)


def _time(axes: Axes, bills: Sequence[Bill]) -> None:
    starts = [bill.since / 8.64e10 for bill in bills]  # days since 1970, as matplotlib counts
    widths = [(bill.until - bill.since) / 8.64e10 for bill in bills]
    totals = [bill.total for bill in bills]
    bottom = [0.0] * len(bills)
    for part, label in PARTS.items():
        heights = [getattr(costs, part) / _hours(bill) for costs, bill in zip(totals, bills, strict=True)]
        axes.bar(
            starts, heights, [0.96 * width for width in widths], bottom, align="edge",
            color=COLOURS[part], label=label,
        )  # fmt: skip
        bottom = [below + height for below, height in zip(bottom, heights, strict=True)]
    axes.xaxis_date()
    axes.set_ylim(0, 1.08 * max([*bottom, 1e-9]))
    axes.set_ylabel("dollars per hour")
    axes.set_title("All views, over time (UTC)", loc="left", fontsize=10)
    _plain(axes)


def _groups(axes: Axes, groups: Sequence[tuple[str, Costs]], hours: float, by: str) -> None:
    names = [name or "-" for name, _ in groups]
    left = [0.0] * len(groups)
    for part in PARTS:
        widths = [getattr(costs, part) / hours for _, costs in groups]
        axes.barh(range(len(names)), widths, 0.72, left, color=COLOURS[part])
        left = [before + width for before, width in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.04 * max([*left, 1e-9]))
    axes.set_xlabel("dollars per hour, over the whole period")
    axes.set_title(f"By {by}", loc="left", fontsize=10)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#e6e6e6", linewidth=0.7)
    axes.set_axisbelow(True)
