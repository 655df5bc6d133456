"""A decision as `--json` prints it. The field names are a contract; more may be added."""

from __future__ import annotations

import math
from typing import Any

from headwater.overload.joins.model.cost import unit_time_cost
from headwater.overload.joins.model.join_plan import saturation
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.best_effort import best_effort
from headwater.overload.joins.policies.by_name import Decision
from headwater.overload.joins.policies.infeasible import Shortage, cover_of

__all__ = ["report"]


def _finite(value: float | None) -> float | None:
    """JSON has no infinity: None means no limit."""
    return value if value is not None and math.isfinite(value) else None


def report(problem: Problem, decision: Decision) -> dict[str, Any]:
    """The decision with the question it answers."""
    allocation = decision.allocation
    cost = unit_time_cost(problem.plan, allocation)
    resources, throughput = saturation(problem.plan)
    answer: dict[str, Any] = {
        "policy": decision.policy,
        "feasible": decision.feasible,
        "throughput": allocation.throughput,
        "resources": problem.resources,
        "resources_used": allocation.resources,
        "resources_for_freshness": decision.resources_for_freshness,
        "saturation": {"resources": _finite(resources), "throughput": _finite(throughput)},
        "operations": {"probe": cost.probing, "insert": cost.inserting, "purge": cost.purging},
        "paths": _paths(problem, decision),
        "states": _states(problem, decision),
    }
    if decision.cover:
        answer["cover"] = decision.cover
    if not decision.feasible:
        answer["infeasible"] = _infeasible(problem, decision)
        answer["best_effort"] = _best_effort(problem)
    return answer


def _paths(problem: Problem, decision: Decision) -> list[dict[str, Any]]:
    return [
        {
            "stream": path.stream,
            "productivity": path.productivity,
            "resources": path.resources,
            "allowances": list(path.allowances),
            "states": [hop.own for hop in route.hops],
        }
        for path, route in zip(decision.allocation.paths, problem.plan.paths, strict=True)
    ]


def _given(problem: Problem, decision: Decision, state: str) -> float | None:
    entering = decision.allocation.entering
    return entering[state] if state in entering else problem.plan.rates[state]


def _states(problem: Problem, decision: Decision) -> list[dict[str, Any]]:
    return [
        {"name": state, "refresh_needed": _finite(rate), "refresh_given": _given(problem, decision, state)}
        for state, rate in problem.needed.items()
    ]


def _infeasible(problem: Problem, decision: Decision) -> dict[str, Any]:
    """Which demand is too high; for a policy that ignores freshness, which demand it does not meet."""
    shortage = decision.shortage or _neglected(problem, decision)
    return {
        "message": shortage.message if decision.shortage else _neglect_message(decision.policy, shortage),
        "states": list(shortage.states),
        "tolerances": list(shortage.tolerances),
        "resources_needed": shortage.resources_needed,
        "more_resources": shortage.more_resources,
    }


def _best_effort(problem: Problem) -> dict[str, Any]:
    """What could still be kept fresh by giving states up."""
    effort = best_effort(problem)
    return {
        "given_up": list(effort.given_up),
        "throughput": effort.allocation.throughput,
        "paths": [
            {"stream": path.stream, "resources": path.resources, "allowances": list(path.allowances)}
            for path in effort.allocation.paths
        ],
    }


def _neglected(problem: Problem, decision: Decision) -> Shortage:
    states = tuple(
        state
        for state, rate in problem.needed.items()
        if (given := _given(problem, decision, state)) is not None and given < rate * (1 - 1e-9)
    )
    streams = tuple(
        path.stream
        for path in problem.plan.paths
        if path.stream in problem.tolerance and any(hop.own in states for hop in path.hops)
    )
    return Shortage(states, streams, cover_of(problem).total, 0.0)


def _neglect_message(policy: str, shortage: Shortage) -> str:
    return (
        f'policy "{policy}" does not look at freshness and lets {", ".join(shortage.states)} grow stale; '
        f'"optimal" keeps it with {shortage.resources_needed:.6g} probes a second of those there are'
    )
