"""Each bar beside the paper's value, as rows of one table."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["summary"]

Row = dict[str, str]


def _row(what: str, paper: str, measured: str) -> Row:
    return {"what": what, "paper": paper, "measured": measured}


def summary(measured: dict[str, Any]) -> list[Row]:
    """The rows that `headwater bench joins` prints."""
    return [
        *_resources(measured["resources"]["shapes"]),
        *_fluctuation(measured["fluctuation"]),
        *_sensors(measured["sensors"]),
        *_staleness(measured["staleness"]),
        *_timing(measured["timing"]),
    ]


def _span(values: list[float]) -> str:
    return f"{np.mean(values):.1f} on average, {max(values):.1f} at most"


def _resources(shapes: dict[str, Any]) -> list[Row]:
    papers = {"linear": "2.5 on average, 6.5 at 40 %", "bushy": "about 2", "five-way": "-"}
    rows = []
    for shape, measures in shapes.items():
        times, at_60 = measures["times_best_heuristic"], measures["optimal_at_60_percent"]
        error, gap = measures["prediction_error"], measures["jaqpot_gap"]
        rows += [
            _row(
                f"fig 7 {shape}: optimal / best heuristic, predicted",
                papers[shape],
                _span(times["predicted"]),
            ),
            _row(f"fig 7 {shape}: the same, real tuples", papers[shape], _span(times["counted"])),
            _row(
                f"fig 7 {shape}: throughput at 60 % of resources",
                "above 80 %" if shape == "linear" else "-",
                f"{at_60['predicted']:.0%} predicted, {at_60['counted']:.0%} real tuples; "
                f"the optimum without freshness: {at_60['without_freshness']:.0%}",
            ),
            _row(
                f"fig 7 {shape}: real tuples against prediction",
                "-",
                f"{error['mean']:.2%} off on average, {error['largest']:.2%} at most, "
                f"{error['within_5_percent']:.0%} of {error['trials']} runs within 5 %",
            ),
            _row(
                f"fig 7 {shape}: jaqpot below optimal",
                "-",
                f"{gap['mean']:.2%} on average, {gap['largest']:.2%} at most",
            ),
            _row(
                f"fig 7 {shape}: stale results of optimal and jaqpot",
                "0",
                f"{measures['stale']} ({measures['kept_back_share']:.3%} kept back by the purge)",
            ),
        ]
    return rows


def _fluctuation(shapes: dict[str, Any]) -> list[Row]:
    rows = []
    for shape, series in shapes.items():
        totals = {policy: run["cumulative"][-1] for policy, run in series.items()}
        best = max(totals[policy] for policy in ("equal", "global-ratio", "equal-best", "selectivity-best"))
        loop, still = series["optimal"], totals["optimal, not adapting"]
        rows += [
            _row(f"fig 6 {shape}: optimal / best heuristic", "2 to 6", f"{totals['optimal'] / best:.2f}"),
            _row(
                f"fig 6 {shape}: optimal adapting / not adapting",
                "-",
                f"{totals['optimal'] / still:.3f}, "
                f"{loop['analyses']} analyses, {loop['actuations']} changes, "
                f"thresholds {loop['drift_threshold']:.1%} and {loop['gain_threshold']:.1%} at the end",
            ),
            _row(
                f"fig 6 {shape}: stale results of optimal",
                "0",
                f"{loop['stale']} ({loop['kept_back']:,} kept back)",
            ),
        ]
    return rows


def _sensors(sensors: dict[str, Any]) -> list[Row]:
    papers = {"300.0": "2.8", "600.0": "2.5", "900.0": "3.4"}
    rows = [
        _row(
            f"fig 8 {sensors['source']}, {float(limit):g} probes/s: optimal / best heuristic",
            papers.get(limit, "-"),
            f"{results['times_best_heuristic']['optimal']:.2f} "
            f"(jaqpot {results['times_best_heuristic']['jaqpot']:.2f}, "
            f"grepp {results['times_best_heuristic']['grepp']:.2f})",
        )
        for limit, results in sensors["limits"].items()
    ]
    totals = [results["series"]["optimal"]["cumulative"][-1] for results in sensors["limits"].values()]
    if len(totals) == 3:
        growth = f"{totals[1] / totals[0]:.1f}, then {totals[2] / totals[1]:.1f} times"
        rows.append(_row("fig 8: results as resources go 300, 600, 900", "2.0, then 3.0 times", growth))
    for multiple, by_policy in sensors["stale"].items():
        worst = max(by_policy, key=lambda policy: by_policy[policy]["stale_share"])
        rows.append(
            _row(
                f"fig 9.c sensors, tolerance {multiple} windows: stale share",
                "low",
                f"optimal {by_policy['optimal']['stale_share']:.1%}, "
                f"grepp {by_policy['grepp']['stale_share']:.1%}, "
                f"worst {worst} {by_policy[worst]['stale_share']:.1%}",
            )
        )
    return rows


def _staleness(staleness: dict[str, Any]) -> list[Row]:
    costs = {("bushy", "1.5"): "35 %", ("linear", "5.0"): "3 %", ("five-way", "5.0"): "5 %"}
    rows = []
    for shape, by in staleness["stale"].items():
        for multiple, by_policy in by.items():
            worst = max(by_policy, key=lambda policy: by_policy[policy]["stale_share"] or 0.0)
            paper = "70 % (SBestHJP)" if (shape, multiple) == ("bushy", "1.5") else "-"
            rows.append(
                _row(
                    f"fig 9 {shape}, {multiple} windows: stale share",
                    paper,
                    f"worst {worst} {by_policy[worst]['stale_share']:.0%}, "
                    f"grepp {by_policy['grepp']['stale_share']:.0%}, "
                    f"optimal {by_policy['optimal']['stale']} results "
                    f"on {by_policy['optimal']['plans']} plans",
                )
            )
    for shape, by in staleness["cost"].items():
        for multiple, cost in by.items():
            measured = f"{cost['share']:.0%} (median {cost['share_median']:.1%})"
            rows.append(
                _row(
                    f"fig 9.d {shape}, {multiple} windows: CPU for freshness",
                    costs.get((shape, multiple), "-"),
                    measured,
                )
            )
    lost = staleness["infeasible"]
    rows.append(
        _row(
            "infeasible plans",
            "8 %, 85 % of them at 1.5 windows, 65 % bushy",
            f"{lost['share']:.1%}, {lost['of_those_at_1.5']:.0%} of them at 1.5 windows, "
            f"{lost['of_those_bushy']:.0%} bushy or five-way",
        )
    )
    return rows


def _timing(timing: dict[str, Any]) -> list[Row]:
    rows = []
    for shape, measures in timing["shapes"].items():
        count = timing["streams"][-1]
        rows.append(
            _row(
                f"optimizer time, {shape}, {count} streams",
                "2 to 300 ms",
                f"jaqpot {measures['jaqpot_ms'][-1]:.2f} ms, optimal {measures['optimal_ms'][-1]:.2f} ms, "
                f"warm {measures['warm_ms'][-1]:.2f} ms; "
                f"jaqpot grows with streams ** {measures['jaqpot_exponent']:.1f}",
            )
        )
        rows.append(
            _row(
                f"jaqpot below optimal, {shape}, 3 to {count} streams",
                "-",
                f"{np.mean(measures['gap_mean']):.2%} on average, {max(measures['gap_largest']):.2%} at most",
            )
        )
    return rows
