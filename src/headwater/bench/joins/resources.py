"""Figure 7: throughput against resources, as shares of saturation, for every policy.

Predicted on plans uniform over Table 3, and counted with real tuples on those plans of the same ranges that
can be run.  `optimal` and `jaqpot` keep results fresh within 1.5 windows, and if that is impossible they
count only what best effort keeps fresh; the others count all their results, stale ones included, as in the
paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.bench.joins.draws import SHAPES, modest, toleranced, uniform
from headwater.overload.joins import POLICIES, Decision, JoinPlan, Problem, decide, saturation, try_tuples
from headwater.overload.joins.adaptation.adapt import start
from headwater.overload.joins.policies.by_name import FRESH

__all__ = ["HEURISTICS", "measure_resources"]

HEURISTICS = ("equal", "global-ratio", "equal-best", "selectivity-best")
TOLERANCE = 1.5
SHARES = tuple(round(0.1 * tenth, 1) for tenth in range(1, 11))
Progress = Callable[[str], None]


def measure_resources(
    draws: int, runs: int, probes: float, progress: Progress, shares: tuple[float, ...] = SHARES
) -> dict[str, Any]:
    """Shares of saturation throughput: by shape and policy, for each share of the resources."""
    answer: dict[str, Any] = {"shares": list(shares), "tolerance": TOLERANCE, "shapes": {}}
    for shape, tree in SHAPES.items():
        progress(f"figure 7: {shape}")
        random = np.random.default_rng(7)
        predicted = [_predicted(uniform(tree, random), shares) for _ in range(draws)]
        random = np.random.default_rng(70)
        counted = [_counted(modest(tree, random), seed, probes, shares) for seed in range(runs)]
        answer["shapes"][shape] = _summary(predicted, counted, shares.index(0.6))
    return answer


def _decisions(plan: JoinPlan, share: float, needed: Mapping[str, float]) -> dict[str, Decision]:
    """Every policy's decision. Refresh rates hold for all shares, so they are derived once per plan."""
    problem = toleranced(plan, share, TOLERANCE)
    ready = Problem(plan, problem.resources, needed)
    decisions = {policy: decide(ready, policy) for policy in POLICIES}
    for policy in FRESH:
        if not decisions[policy].feasible:
            decisions[policy] = start(problem, policy).decision
    return decisions


def _predicted(plan: JoinPlan, shares: tuple[float, ...]) -> dict[str, list[float]]:
    _, most = saturation(plan)
    needed = toleranced(plan, 1.0, TOLERANCE).needed
    decisions = [_decisions(plan, share, needed) for share in shares]
    return {
        policy: [decided[policy].allocation.throughput / most for decided in decisions] for policy in POLICIES
    }


def _counted(plan: JoinPlan, seed: int, probes: float, shares: tuple[float, ...]) -> dict[str, Any]:
    """Shares of saturation throughput counted with real tuples, and the errors of the predictions."""
    resources, most = saturation(plan)
    throughputs: dict[str, list[float]] = {policy: [] for policy in POLICIES}
    errors: list[float] = []
    stale = kept_back = produced = 0
    needed = toleranced(plan, 1.0, TOLERANCE).needed
    for share in shares:
        seconds = float(np.clip(probes / (share * resources), probes / 2e4, 20.0))
        problem = toleranced(plan, share, TOLERANCE)
        for policy, decision in _decisions(plan, share, needed).items():
            trial = try_tuples(problem, decision, seconds, seed)
            throughputs[policy].append(trial.throughput / most)
            if trial.predicted * seconds > 20_000:
                errors.append((trial.results + trial.kept_back) / trial.seconds / trial.predicted - 1)
            if policy in FRESH:
                stale, kept_back = stale + trial.stale[0], kept_back + trial.kept_back
                produced += trial.results
    return {
        "throughputs": throughputs, "errors": errors, "stale": stale, "kept_back": kept_back,
        "produced": produced,
    }  # fmt: skip


def _summary(
    predicted: list[dict[str, list[float]]], counted: list[dict[str, Any]], at_60: int
) -> dict[str, Any]:
    mean = {policy: np.mean([shares[policy] for shares in predicted], axis=0) for policy in POLICIES}
    seen = {policy: np.mean([run["throughputs"][policy] for run in counted], axis=0) for policy in POLICIES}
    errors = np.abs(np.concatenate([run["errors"] for run in counted]))
    produced = sum(run["produced"] for run in counted)
    gaps = [
        1 - jaqpot / best
        for shares in predicted
        for jaqpot, best in zip(shares["jaqpot"], shares["optimal"], strict=True)
        if best
    ]
    return {
        "predicted": {policy: values.tolist() for policy, values in mean.items()},
        "counted": {policy: values.tolist() for policy, values in seen.items()},
        "times_best_heuristic": {"predicted": _times(mean), "counted": _times(seen)},
        "optimal_at_60_percent": {
            "predicted": float(mean["optimal"][at_60]),
            "counted": float(seen["optimal"][at_60]),
            "without_freshness": float(mean["grepp"][at_60]),
        },
        "prediction_error": {
            "mean": float(errors.mean()),
            "largest": float(errors.max()),
            "trials": len(errors),
            "within_5_percent": float((errors < 0.05).mean()),
        },
        "jaqpot_gap": {"mean": float(np.mean(gaps)), "largest": float(np.max(gaps))},
        "stale": sum(run["stale"] for run in counted),
        "kept_back_share": sum(run["kept_back"] for run in counted) / max(1, produced),
    }


def _times(mean: dict[str, Any]) -> list[float]:
    """The optimum over the best heuristic, for each share of the resources."""
    best = np.max([mean[policy] for policy in HEURISTICS], axis=0)
    return [float(ratio) for ratio in mean["optimal"] / best]
