"""Pictures of the sweeps: Figures 8, 9, 10, 11 and 14."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from matplotlib.figure import Figure

from headwater.bench.smile.figures.staleness import BLUE, GREY, INK, ORANGE, RED, plain, save, saw_tooth
from headwater.bench.smile.measuring.outcome import Outcome
from headwater.bench.smile.workload.schedule import Phase

__all__ = ["draw_load", "draw_machines", "draw_mix", "draw_rates", "draw_tuples"]


def draw_rates(outcomes: Mapping[str, Outcome], stream: Sequence[Phase], folder: Path) -> None:
    """Figure 8: dollars and violations by rate; how unevenly the gardenhose comes."""
    figure = Figure(figsize=(14, 4), layout="constrained")
    cost, violations, uneven = figure.subplots(1, 3)
    ordered = sorted(outcomes, key=lambda name: outcomes[name].setup.rate)
    names = [{"gardenhose": "G", "firehose": "F"}.get(name, name) for name in ordered]
    cost.bar(names, [outcomes[name].dollars_per_sharing_hour for name in ordered], color=BLUE)
    cost.set_title("dollars per sharing-hour", loc="left", color=INK)
    violations.bar(names, [outcomes[name].violations_per_sharing_hour for name in ordered], color=ORANGE)
    violations.set_title("violations per sharing-hour", loc="left", color=INK)
    violations.set_ylim(0, max(3.0, *violations.get_ylim()))
    for axes in (cost, violations):
        axes.set_xlabel("tweets per second")
    times = list(accumulate(phase.seconds for phase in stream))
    uneven.plot(times, [phase.rate for phase in stream], color=BLUE, linewidth=0.8)
    uneven.set_yscale("log")
    uneven.set_yticks([20, 50, 100, 200, 500, 1_000], ["20", "50", "100", "200", "500", "1k"])
    uneven.minorticks_off()
    uneven.set_title("the gardenhose (G), tweets per second", loc="left", color=INK)
    uneven.set_xlabel("seconds")
    for axes in (cost, violations, uneven):
        plain(axes)
    save(figure, folder, "figure-8-rates")


def draw_mix(change: Sequence[tuple[str, float, float]], folder: Path) -> None:
    """Figure 10: the cost of each view in the mix against its uniform case."""
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots()
    colors = {10.0: ORANGE, 40.0: BLUE, 60.0: "#4aa3c7"}
    for seconds, color in colors.items():
        bars = [(position, entry[2]) for position, entry in enumerate(change) if entry[1] == seconds]
        axes.bar(
            [position for position, _ in bars],
            [percent for _, percent in bars],
            color=color,
            label=f"promise {seconds:g} s",
        )
    axes.set_xticks(range(len(change)), [name[:3].upper() for name, _, _ in change])
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_ylabel("% change in cost")
    axes.set_title("mixed promises against uniform ones: cost of each view", loc="left", color=INK)
    axes.legend(frameon=False)
    plain(axes)
    save(figure, folder, "figure-10-mix")


def draw_tuples(change: Sequence[tuple[str, float]], folder: Path) -> None:
    """Figure 9: tuples moved for each view with shared work, against alone."""
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.bar([name[:3].upper() for name, _ in change], [percent for _, percent in change], color=BLUE)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_ylabel("% change in tuples moved")
    axes.set_title(
        "tuples moved for each view, shared against alone (in the order of the paper's figure)",
        loc="left",
        color=INK,
    )
    plain(axes)
    save(figure, folder, "figure-9-tuples")


def draw_machines(
    by_sites: Sequence[tuple[int, float, float]], by_views: Sequence[tuple[int, float]], folder: Path
) -> None:
    """Figure 11: the highest rate by sites, tuples per second and site, the highest rate by views."""
    figure = Figure(figsize=(14, 4), layout="constrained")
    rates, tuples, views = figure.subplots(1, 3)
    rates.bar([str(sites) for sites, _, _ in by_sites], [rate for _, rate, _ in by_sites], color=BLUE)
    rates.set_title("highest tweets per second by sites", loc="left", color=INK)
    tuples.bar([str(sites) for sites, _, _ in by_sites], [moved for _, _, moved in by_sites], color="#4aa3c7")
    tuples.set_title("tuples per second and site", loc="left", color=INK)
    views.bar([str(count) for count, _ in by_views], [rate for _, rate in by_views], color=ORANGE)
    views.set_title("highest tweets per second by views", loc="left", color=INK)
    for axes in (rates, tuples):
        axes.set_xlabel("sites")
    views.set_xlabel("views")
    for axes in (rates, tuples, views):
        plain(axes)
    save(figure, folder, "figure-11-machines")


def draw_load(outcome: Outcome, view: str, averages: Sequence[float], folder: Path) -> None:
    """Figure 14: a view's staleness while readers and tweets increase."""
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    axes = figure.subplots()
    freshness = next(measure.freshness_s for measure in outcome.views if measure.name == view)
    saw_tooth(axes, outcome.journals, view, freshness)
    start = 0.0
    for phase, average in zip(outcome.setup.load.phases, averages, strict=True):
        axes.axvline(start, color=GREY, linewidth=0.8)
        axes.plot([start, start + phase.seconds], [average, average], color=ORANGE, linewidth=1.5)
        axes.text(start + 2, freshness * 1.14, f"{phase.readers} users,\n{phase.rate:g} tweets/s", fontsize=9)
        start += phase.seconds
    axes.text(start, freshness, " promised", color=RED, va="center", fontsize=9)
    axes.set_ylim(0, freshness * 1.3)
    axes.set_xlabel("seconds")
    axes.set_ylabel("staleness, seconds (orange: average)")
    axes.set_title(f"{view} as load and readers change", loc="left", color=INK)
    save(figure, folder, "figure-14-load")
