"""Plots of the experiments, with the paper's values marked where its text gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["plot_all"]

COLOURS = {
    "optimal": "#1b6ca8",
    "jaqpot": "#e07b00",
    "grepp": "#7a7a7a",
    "global-ratio": "#2e8b57",
    "selectivity-best": "#b03060",
    "equal-best": "#8a6fc0",
    "equal": "#c2a23a",
    "optimal, not adapting": "#1b6ca8",
}
DASHED = {"jaqpot": (0, (5, 3)), "grepp": (0, (2, 2)), "optimal, not adapting": (0, (1, 2))}


def _figure(columns: int, title: str, rows: int = 1) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(5.4 * columns, 4.3 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=13, fontweight="bold")
    axes = [figure.add_subplot(rows, columns, index + 1) for index in range(columns * rows)]
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.25)
    return figure, axes


def _style(policy: str) -> dict[str, Any]:
    wide = policy in ("optimal", "jaqpot")
    return {"color": COLOURS[policy], "linestyle": DASHED.get(policy, "-"), "linewidth": 2.4 if wide else 1.5}


def plot_all(measured: dict[str, Any], out: Path, formats: tuple[str, ...]) -> list[Path]:
    """Draw every figure, in the given formats."""
    figures = {
        "figure-6": _fluctuation(measured["fluctuation"]),
        "figure-7": _resources(measured["resources"]),
        "figure-8": _sensors(measured["sensors"]),
        "figure-9": _staleness(measured["staleness"], measured["sensors"]),
        "optimizer-time": _timing(measured["timing"]),
        "thresholds": _thresholds(measured["fluctuation"]),
    }
    paths = []
    for name, figure in figures.items():
        for extension in formats:
            paths.append(out / f"{name}.{extension}")
            figure.savefig(paths[-1], dpi=110)
    return paths


def _lines(axes: Axes, series: dict[str, Any], unit: float) -> None:
    for policy, run in series.items():
        heights = [count / unit for count in run["cumulative"]]
        axes.plot([at / 60 for at in run["at"]], heights, label=policy, **_style(policy))
    axes.set_xlabel("minutes")


def _fluctuation(shapes: dict[str, Any]) -> Figure:
    figure, axes = _figure(
        2, "Figure 6: selectivities change twice (30 % of saturation, tolerance 1.5 windows)"
    )
    for panel, (shape, series) in zip(axes, shapes.items(), strict=True):
        _lines(panel, series, 1e6)
        last = series["optimal"]["at"][-1] / 60
        for share, words in ((0.3, "SEL2"), (0.7, "SEL3")):
            panel.axvline(last * share, color="#999999", linewidth=0.8)
            panel.annotate(
                words, (last * share, 0.98), xycoords=("data", "axes fraction"), fontsize=8, va="top"
            )
        panel.set_title(f"{shape}; the paper: GlobalHJPR the best heuristic, JAQPOT well above", fontsize=9)
        panel.set_ylabel("results so far, millions")
    axes[0].legend(fontsize=8, frameon=False)
    return figure


def _resources(resources: dict[str, Any]) -> Figure:
    shapes = resources["shapes"]
    figure, axes = _figure(
        3, "Figure 7: throughput against resources (lines: predicted on Table 3; dots: real tuples)"
    )
    percent = [100 * share for share in resources["shares"]]
    for panel, (shape, throughputs) in zip(axes, shapes.items(), strict=True):
        for policy, values in throughputs["predicted"].items():
            panel.plot(percent, [100 * value for value in values], label=policy, **_style(policy))
        for policy, values in throughputs["counted"].items():
            panel.plot(
                percent,
                [100 * value for value in values],
                "o",
                color=COLOURS[policy],
                markersize=4,
                alpha=0.75,
            )
        panel.set_xlabel("resources, % of saturation")
        panel.set_ylabel("throughput, % of saturation")
        panel.set_title(shape)
    axes[0].plot([60], [80], "*", color="black", markersize=13)
    axes[0].annotate(
        "paper: above 80 % at 60 %", (60, 80), (38, 90), fontsize=8, arrowprops={"arrowstyle": "-"}
    )
    axes[0].legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _sensors(sensors: dict[str, Any]) -> Figure:
    papers = {"300.0": "2.8", "600.0": "2.5", "900.0": "3.4"}
    limits = sensors["limits"]
    figure, axes = _figure(len(limits), f"Figure 8: five-way join of sensors ({sensors['source']})")
    for panel, (limit, results) in zip(axes, limits.items(), strict=True):
        _lines(panel, results["series"], 1e3)
        times = results["times_best_heuristic"]["optimal"]
        words = f"{times:.1f} times the best heuristic (paper {papers.get(limit, '-')})"
        panel.set_title(f"{float(limit):g} probes/s: {words}", fontsize=9)
        panel.set_ylabel("results so far, thousands")
    axes[0].legend(fontsize=8, frameon=False)
    return figure


def _staleness(staleness: dict[str, Any], sensors: dict[str, Any]) -> Figure:
    stale = {**staleness["stale"], "sensors": sensors["stale"]}
    figure, axes = _figure(3, "Figure 9: stale results, and what freshness costs", rows=2)
    for panel, (shape, by) in zip(axes, stale.items(), strict=False):
        _bars(panel, by, shape)
    last, legend = axes[4], axes[5]
    legend.set_axis_off()
    legend.legend(
        *axes[0].get_legend_handles_labels(), loc="center left", frameon=False, title="a to c: policies"
    )
    for shape, colour in (("linear", "#1b6ca8"), ("bushy", "#e07b00"), ("five-way", "#2e8b57")):
        by = staleness["cost"][shape]
        heights = [100 * by[multiple]["share"] for multiple in by]
        windows = [float(multiple) for multiple in by]
        last.plot(windows, heights, "o-", color=colour, label=shape)
    for at, height, words in (
        (1.5, 35, "paper: bushy"),
        (5.0, 3, "paper: linear"),
        (5.0, 5, "paper: sensors"),
    ):
        last.plot([at], [height], "*", color="black", markersize=11)
        side, shift = ("right", -4) if at > 2 else ("left", 8)
        last.annotate(words, (at, height), (shift, 8), textcoords="offset points", fontsize=8, ha=side)
    last.set_title("d: CPU for freshness, % (10 to 60 % of saturation)", fontsize=10)
    last.set_xlabel("tolerance, windows")
    last.set_ylim(bottom=0)
    last.legend(fontsize=8, frameon=False)
    return figure


def _bars(axes: Axes, by: dict[str, Any], title: str) -> None:
    policies = list(next(iter(by.values())))
    for index, policy in enumerate(policies):
        heights = [100 * (shares[policy]["stale_share"] or 0.0) for shares in by.values()]
        positions = [tick + (index - 3) * 0.12 for tick in range(len(by))]
        axes.bar(positions, heights, 0.11, color=COLOURS[policy], label=policy)
    axes.set_xticks(range(len(by)), [f"{multiple} windows" for multiple in by])
    axes.set_ylabel("stale results, %")
    axes.set_title(title)


def _timing(timing: dict[str, Any]) -> Figure:
    figure, axes = _figure(2, "Deciding, in milliseconds")
    names = {"jaqpot_ms": "jaqpot", "optimal_ms": "optimal", "warm_ms": "optimal, warm"}
    for panel, (shape, times) in zip(axes, timing["shapes"].items(), strict=True):
        for key, colour in zip(names, ("#e07b00", "#1b6ca8", "#2e8b57"), strict=True):
            panel.plot(timing["streams"], times[key], "o-", color=colour, label=names[key], markersize=4)
        panel.set_yscale("log")
        panel.set_title(
            f"{shape}: jaqpot grows with streams ** {times['jaqpot_exponent']:.1f}; paper: 2 to 300 ms",
            fontsize=9,
        )
        panel.set_xlabel("streams")
        panel.set_ylabel("milliseconds")
    axes[0].legend(fontsize=8, frameon=False)
    return figure


def _thresholds(shapes: dict[str, Any]) -> Figure:
    figure, axes = _figure(
        2, "Thresholds tuned by themselves (policy optimal; the paper sets 3 to 8 % by hand)"
    )
    for panel, (shape, series) in zip(axes, shapes.items(), strict=True):
        thresholds = series["optimal"]
        minutes = [at / 60 for at in thresholds["at"]]
        panel.plot(
            minutes, [100 * value for value in thresholds["drift_thresholds"]], color="#1b6ca8", label="drift"
        )
        panel.plot(
            minutes, [100 * value for value in thresholds["gain_thresholds"]], color="#e07b00", label="gain"
        )
        panel.axhspan(3, 8, color="#dddddd", alpha=0.5, label="the paper's settings")
        panel.set_title(
            f"{shape}: {thresholds['analyses']} analyses, {thresholds['actuations']} changes", fontsize=10
        )
        panel.set_xlabel("minutes")
        panel.set_ylabel("%")
        panel.set_ylim(bottom=0)
    axes[0].legend(fontsize=8, frameon=False)
    return figure
