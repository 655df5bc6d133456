"""What the outcomes show: the counterparts of Figure 2 and Tables 3 and 4, and the targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

from headwater.bench.weave.experiments import BEST, Outcome
from headwater.planning.windows.optimizers import OPTIMIZERS

__all__ = ["PAPER_SECONDS", "PAPER_TABLE_3", "Quality", "bars", "qualities", "table_4", "wins"]

SAME = 1 + 1e-9
PAPER_SECONDS = {
    "g-rand": 0.01, "w-rand": 2.31, "wg-rand": 0.02, "g-rr": 0.01, "w-rr": 2.34, "wg-rr": 0.01,
    "g-tl": 0.01, "w-tl": 12.6, "wg-tl": 9.11, "w-tn": 2.95, "wg-tn": 2.83, "w-i": 5.68, "wg-i": 3.94,
}  # fmt: skip
PAPER_TABLE_3 = {
    "wg-i": {"max_wins": 0.80, "max_loss": 0.03, "total_wins": 0.05, "total_loss": 0.09},
    "wg-tn": {"max_wins": 0.17, "max_loss": 0.48, "total_wins": 0.90, "total_loss": 0.002},
}

Costs = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Quality:
    """Figure 2 for one optimizer: where its average lies from the average best (0) to worst (1)."""

    total: float
    total_deviation: float
    maximum: float
    maximum_deviation: float


def averages(outcomes: Sequence[Outcome], measure: str) -> Costs:
    """For each optimizer, its cost in each setting, averaged over the seeds, as the paper does."""
    by_setting: dict[tuple[str, int], list[float]] = {}
    for outcome in outcomes:
        by_setting.setdefault((outcome.optimizer, outcome.setting), []).append(getattr(outcome, measure))
    costs: Costs = {}
    for (name, _), values in sorted(by_setting.items(), key=lambda item: item[0][1]):
        costs.setdefault(name, []).append(fmean(values))
    return costs


def qualities(outcomes: Sequence[Outcome]) -> dict[str, Quality]:
    """The counterpart of Figure 2."""
    total, maximum = (_scaled(averages(outcomes, measure)) for measure in ("total", "maximum"))
    return {name: Quality(*total[name], *maximum[name]) for name in total}


def _scaled(costs: Costs) -> dict[str, tuple[float, float]]:
    paper = [costs[name] for name in OPTIMIZERS]
    best = fmean(min(case) for case in zip(*paper, strict=True))
    span = fmean(max(case) for case in zip(*paper, strict=True)) - best or 1.0
    return {name: ((fmean(own) - best) / span, pstdev(own) / span) for name, own in costs.items()}


def wins(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The counterpart of Table 3, for all thirteen: how often best, and how far off when not."""
    table: dict[str, dict[str, float]] = {name: {} for name in OPTIMIZERS}
    for short, measure in (("max", "maximum"), ("total", "total")):
        costs = averages(outcomes, measure)
        lowest = [min(case) for case in zip(*(costs[name] for name in OPTIMIZERS), strict=True)]
        for name in OPTIMIZERS:
            off = [own / best - 1 for own, best in zip(costs[name], lowest, strict=True)]
            lost = [loss for loss in off if loss > SAME - 1]
            table[name][f"{short}_wins"] = 1 - len(lost) / len(off)
            table[name][f"{short}_loss"] = fmean(lost) if lost else 0.0
    return table


def table_4(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The counterpart of Table 4: seconds per plan, average and longest (wall and processor time)."""
    table = {}
    for name in (*OPTIMIZERS, *BEST):
        own = [outcome for outcome in outcomes if outcome.optimizer == name]
        wall, cpu = [outcome.seconds for outcome in own], [outcome.cpu_seconds for outcome in own]
        table[name] = {"average": fmean(wall), "longest": max(wall), "longest_cpu": max(cpu)}
    return table


def bars(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares of single runs (not averages) in which `best` is as good as claimed."""
    runs: dict[tuple[int, int], dict[str, Outcome]] = {}
    for outcome in outcomes:
        runs.setdefault((outcome.setting, outcome.seed), {})[outcome.optimizer] = outcome
    cheapest, levelest, thrifty = 0, 0, 0
    gains: list[float] = []
    for run in runs.values():
        lowest_total = min(run[name].total for name in OPTIMIZERS)
        lowest_max = min(run[name].maximum for name in OPTIMIZERS)
        cheapest += run["best-total"].total <= lowest_total * SAME
        levelest += run["best-balanced"].maximum <= lowest_max * SAME
        thrifty += run["best-balanced"].total <= run["wg-i"].total * SAME
        gains.append(1 - run["best-balanced"].maximum / lowest_max)
    return {
        "runs": len(runs),
        "best_total_lowest_total": cheapest / len(runs),
        "best_balanced_lowest_max": levelest / len(runs),
        "best_balanced_total_within_wg_i": thrifty / len(runs),
        "best_balanced_max_below_lowest_by": fmean(gains),
        "longest_plan_seconds": max(outcome.seconds for outcome in outcomes),
        "longest_plan_cpu_seconds": max(outcome.cpu_seconds for outcome in outcomes),
    }
