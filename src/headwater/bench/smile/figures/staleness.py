"""The pictures: the saw-tooth of staleness (Figure 6), before and after each push (Figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from headwater.bench.smile.measuring.measures import own_pushes, tuples_per_snapshot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headwater.bench.smile.measuring.measures import Journals
    from headwater.bench.smile.measuring.outcome import Outcome

__all__ = ["BLUE", "GREY", "INK", "ORANGE", "RED", "draw_pushes", "draw_staleness", "plain", "save"]

INK, BLUE, ORANGE, RED, GREY = "#1f2933", "#0b6e99", "#d9822b", "#c0392b", "#9aa5b1"


def draw_staleness(outcome: Outcome, folder: Path, name: str = "figure-6-staleness") -> None:
    """All views small, one large, and the tuples moved per snapshot."""
    figure = Figure(figsize=(15, 9), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[3, 1.6])[0]
    columns = 5
    lines = -(-len(outcome.views) // columns)
    grid = left.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(outcome.views) :]:
        axes.set_visible(False)
    for view, axes in zip(outcome.views, grid.flat, strict=False):
        saw_tooth(axes, outcome.journals, view.name, view.freshness_s)
        axes.set_title(view.name, fontsize=8, loc="left", color=RED if view.violations else INK)
    left.supxlabel("seconds", fontsize=9)
    left.supylabel("staleness, seconds", fontsize=9)
    large, moved = right.subplots(2, 1)
    first = outcome.views[0]
    saw_tooth(large, outcome.journals, first.name, first.freshness_s)
    large.set_title(f"{first.name}, promised within {first.freshness_s:g} s", loc="left", color=INK)
    large.set_ylabel("staleness, seconds")
    series = tuples_per_snapshot(outcome.journals)
    moved.bar([at for at, _ in series], [rows for _, rows in series], width=4.5, align="edge", color=BLUE)
    moved.set_title("tuples moved per snapshot, all views", loc="left", color=INK)
    moved.set_xlabel("seconds")
    moved.set_ylim(bottom=0)
    for axes in (large, moved):
        plain(axes)
    save(figure, folder, name)


def saw_tooth(axes: Axes, journals: Journals, view: str, freshness: float) -> None:
    """Staleness grows with time and falls at each push: exact, from the pushes; dots are the snapshots."""
    end = journals.end - journals.start
    times, stale = teeth(journals, view)
    axes.plot(times, stale, color=BLUE, linewidth=0.9)
    snapshots = [row for row in journals.measured(journals.audit) if row["view"] == view]
    dots = [row["staleness_s"] for row in snapshots]
    axes.plot([row["at"] / 1e6 - journals.start for row in snapshots], dots, ".", color=INK, markersize=2)
    axes.axhline(freshness, color=RED, linewidth=0.8, linestyle="--")
    axes.set_xlim(0, end)
    axes.set_ylim(0, min(freshness * 2, max(freshness * 1.3, 1.05 * max(dots, default=0.0))))
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def teeth(journals: Journals, view: str) -> tuple[list[float], list[float]]:
    """The entire curve, also outside the measured window; pushes that moved nothing count too."""
    times: list[float] = []
    stale: list[float] = []
    for push in journals.pushes:
        if push["stage"] == view and not push["error"] and push["until"] > push["after"] > 0:
            at = push["at"] / 1e6 - journals.start
            times += [at, at]
            stale += [(push["at"] - push["after"]) / 1e6, (push["at"] - push["until"]) / 1e6]
    if times:
        end = max(times[-1], journals.end - journals.start)
        stale, times = [*stale, stale[-1] + end - times[-1]], [*times, end]
    return times, stale


def draw_pushes(outcome: Outcome, folder: Path, number: int = 0, name: str = "figure-7-pushes") -> None:
    """Figure 7: staleness of a view before and after each of its pushes, and how far each advanced it."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    view = outcome.views[number]
    pushes = own_pushes(view.name, outcome.journals.measured(outcome.journals.pushes))
    turns = list(range(1, len(pushes) + 1))
    left.plot(
        turns, [(push["at"] - push["after"]) / 1e6 for push in pushes], "^", color=ORANGE, label="before"
    )
    left.plot(turns, [(push["at"] - push["until"]) / 1e6 for push in pushes], "v", color=BLUE, label="after")
    left.axhline(view.freshness_s, color=RED, linewidth=0.8, linestyle="--", label="promised")
    left.set_title(f"{view.name}: staleness before and after each push", loc="left", color=INK)
    left.set_ylabel("seconds")
    left.set_ylim(0, view.freshness_s * 1.2)
    left.legend(frameon=False, loc="center right")
    right.plot(turns, [(push["until"] - push["after"]) / 1e6 for push in pushes], "o", color=BLUE)
    right.set_title("seconds of changes that each push carried", loc="left", color=INK)
    right.set_ylim(0, view.freshness_s * 1.2)
    for axes in (left, right):
        axes.set_xlabel("push")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        plain(axes)
    save(figure, folder, name)


def plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, folder: Path, name: str, kinds: Sequence[str] = ("svg", "png")) -> None:
    FigureCanvasAgg(figure)
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        figure.savefig(folder / f"{name}.{kind}", dpi=130)
