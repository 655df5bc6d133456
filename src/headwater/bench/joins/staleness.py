"""Figure 9: how stale results get if freshness is ignored, and what keeping it costs.

a to c: the share of stale results at tolerances of 1.5, 3 and 5 windows, for the policies that ignore
freshness and for those that do not, with real tuples.  d: the share of the resources that freshness takes,
and the share of plans for which it is impossible, predicted on plans uniform over Table 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.bench.joins.draws import SHAPES, modest, toleranced, uniform
from headwater.bench.joins.resources import Progress
from headwater.overload.joins import (
    POLICIES,
    JoinPlan,
    Problem,
    cover_of,
    decide,
    greedy_cover,
    saturation,
    try_tuples,
)
from headwater.overload.joins.policies.by_name import FRESH

__all__ = ["MULTIPLES", "measure_staleness"]

MULTIPLES = (1.5, 3.0, 5.0)
SHARES = (0.1, 0.3, 0.6)


def measure_staleness(draws: int, runs: int, probes: float, progress: Progress) -> dict[str, Any]:
    """Stale shares by shape, policy and tolerance; the cost of freshness; infeasible plans."""
    answer: dict[str, Any] = {"tolerances": list(MULTIPLES), "stale": {}, "cost": {}}
    for shape, tree in SHAPES.items():
        progress(f"figure 9: {shape}")
        random = np.random.default_rng(9)
        plans = [modest(tree, random) for _ in range(runs)]
        answer["stale"][shape] = {str(multiple): _stale(plans, multiple, probes) for multiple in MULTIPLES}
        random = np.random.default_rng(90)
        answer["cost"][shape] = _cost([uniform(tree, random) for _ in range(draws)])
    answer["infeasible"] = _infeasible(answer["cost"])
    return answer


def _stale(plans: list[JoinPlan], multiple: float, probes: float) -> dict[str, Any]:
    """Stale results over all results, at a tenth of saturation; fresh policies on the plans they accept."""
    produced, stale, kept_back = (dict.fromkeys(POLICIES, 0) for _ in range(3))
    shares: dict[str, list[float]] = {policy: [] for policy in POLICIES}
    for seed, plan in enumerate(plans):
        problem = toleranced(plan, 0.1, multiple)
        seconds = float(np.clip(probes / problem.resources, 1.0, 20.0))
        for policy in POLICIES:
            decision = decide(problem, policy)
            if policy in FRESH and not decision.feasible:
                continue
            trial = try_tuples(problem, decision, seconds, seed)
            produced[policy] += trial.results
            stale[policy] += trial.stale[0]
            kept_back[policy] += trial.kept_back
            shares[policy].append(trial.stale[0] / max(1, trial.results))
    return {
        policy: {
            "stale_share": float(np.mean(shares[policy])) if shares[policy] else None,
            "stale": stale[policy],
            "kept_back_share": kept_back[policy] / max(1, produced[policy] + kept_back[policy]),
            "plans": len(shares[policy]),
        }
        for policy in POLICIES
    }


def _cost(plans: list[JoinPlan]) -> dict[str, Any]:
    """By tolerance: the share of the resources for freshness if it is feasible, and how often it is not."""
    answer: dict[str, Any] = {}
    for multiple in MULTIPLES:
        shares, lost, covers = [], 0, []
        for plan in plans:
            needed = toleranced(plan, 1.0, multiple).needed
            for share in SHARES:
                problem = Problem(plan, share * saturation(plan)[0], needed)
                cover = cover_of(problem)
                lost += cover.shortage is not None
                if cover.shortage is None:
                    shares.append(cover.total / problem.resources)
                    greedy = greedy_cover(plan, problem.needed)
                    covers.append(sum(greedy.values()) / cover.total - 1 if greedy and cover.total else 0.0)
        answer[str(multiple)] = {
            "share": float(np.mean(shares)),
            "share_median": float(np.median(shares)),
            "infeasible": lost,
            "tried": len(plans) * len(SHARES),
            "greedy_cover_excess": {"mean": float(np.mean(covers)), "largest": float(np.max(covers))},
        }
    return answer


def _infeasible(cost: dict[str, Any]) -> dict[str, float]:
    """The share of all plans, and which tolerances and shapes they have."""
    lost = {
        (shape, multiple): costs["infeasible"] for shape, by in cost.items() for multiple, costs in by.items()
    }
    tried = sum(costs["tried"] for by in cost.values() for costs in by.values())
    total = sum(lost.values())
    return {
        "share": total / tried,
        "of_those_at_1.5": sum(count for (_, multiple), count in lost.items() if multiple == "1.5")
        / max(1, total),
        "of_those_bushy": sum(count for (shape, _), count in lost.items() if shape != "linear")
        / max(1, total),
    }
