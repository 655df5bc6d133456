"""From tolerances to refresh rates: how fast must each intermediate state be refilled?

A tuple of stream I waits in its own state, and what it became waits in each state above.  No result is
staler than the tolerance of I if (the paper's Lemma 1)

    window_I + sum over the states S above I of size_S / entering_S  <=  tolerance_I

With one state above, its refresh rate follows at once.  With several, the paper leaves open how they divide
what the window leaves of the tolerance.  We divide it where it is cheapest: the rates that need the least
resources, over all streams.  Lemma 1 is convex in the rates, so tangent cuts added to the cheapest-cover
program converge to that minimum from below; a last step lifts the rates onto Lemma 1 itself and lowers any
that no stream needs so high. So tolerances are called infeasible only if no division would do.

A state with a time window empties itself and holds nothing longer than that, whatever enters it.
Cost: up to a few dozen small linear programs, once for each change of the tolerances or of the windows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headwater.overload.joins.model.join_plan import JoinPlan, Path
from headwater.overload.joins.policies.linear_program import Program, Vector, program, solve

__all__ = ["holds_lemma_1", "refresh_rates", "staleness_bound", "unreachable_tolerances"]

_ROUNDS = 60
_PRECISE = 1e-7


def _filled_above(plan: JoinPlan, path: Path) -> tuple[str, ...]:
    """The intermediate states that hold what a stream's tuples become, and empty by being refilled."""
    return tuple(hop.own for hop in path.hops[1:] if plan.states[hop.own].window is None)


def _waiting(plan: JoinPlan, path: Path) -> float:
    """Seconds that a stream's tuples spend in windows that the allocation does not change."""
    timed = [plan.states[hop.own].window for hop in path.hops[1:]]
    return plan.window(path.stream) + sum(window for window in timed if window is not None)


def staleness_bound(plan: JoinPlan, stream: str, entering: Mapping[str, float]) -> float:
    """Lemma 1's left side: the age, in seconds, beyond which no tuple of the stream is in a result."""
    path = next(path for path in plan.paths if path.stream == stream)
    total = _waiting(plan, path)
    for state in _filled_above(plan, path):
        rate = entering.get(state, 0.0)
        total += plan.states[state].size / rate if rate > 0 else float("inf")
    return total


def holds_lemma_1(plan: JoinPlan, tolerance: Mapping[str, float], entering: Mapping[str, float]) -> bool:
    """Whether every stream stays within its tolerance if states are refilled at these rates."""
    return all(
        staleness_bound(plan, stream, entering) <= seconds * (1 + 1e-9)
        for stream, seconds in tolerance.items()
    )


def unreachable_tolerances(plan: JoinPlan, tolerance: Mapping[str, float]) -> tuple[str, ...]:
    """Streams whose tolerance no resources can meet: too little arrives, or the windows leave nothing.

    Processing all arrivals is best for every state at once, so each stream can be tested alone.
    """
    most = _most_entering(plan)
    return tuple(
        stream
        for stream, seconds in tolerance.items()
        if staleness_bound(plan, stream, most) > seconds * (1 + 1e-12)
    )


def _most_entering(plan: JoinPlan) -> dict[str, float]:
    most = dict.fromkeys(plan.susceptible, 0.0)
    for path in plan.paths:
        rate = float("inf") if path.rate is None else path.rate
        for hop, weight in list(zip(path.hops, path.weights, strict=True))[1:]:
            most[hop.own] += rate * weight if weight > 0 else 0.0
    return most


def refresh_rates(plan: JoinPlan, tolerance: Mapping[str, float]) -> dict[str, float]:
    """The refresh rate of each susceptible state that meets all tolerances with the least resources.

    If no resources meet a tolerance, its states get the rate of an even division (infinite if the windows
    leave nothing), so that the reader sees what would be needed.
    """
    paths = {path.stream: path for path in plan.paths if path.stream in tolerance}
    slack = {stream: tolerance[stream] - _waiting(plan, path) for stream, path in paths.items()}
    above = {stream: states for stream in paths if (states := _filled_above(plan, paths[stream]))}
    if not above:
        return {}
    unreachable = set(unreachable_tolerances(plan, tolerance))
    rates = _evenly(plan, above, slack)
    reachable = {stream: states for stream, states in above.items() if stream not in unreachable}
    if unreachable or all(len(states) == 1 for states in reachable.values()):
        return rates
    return _lower(plan, reachable, slack, _cheapest(plan, reachable, slack, rates))


def _evenly(
    plan: JoinPlan, above: Mapping[str, tuple[str, ...]], slack: Mapping[str, float]
) -> dict[str, float]:
    """Every state of a path gets the same part of the slack; the strictest stream decides."""
    rates: dict[str, float] = {}
    for stream, states in above.items():
        for state in states:
            size = plan.states[state].size * len(states)
            wanted = size / slack[stream] if slack[stream] > 0 else float("inf")
            rates[state] = max(rates.get(state, 0.0), wanted)
    return rates


def _cheapest(
    plan: JoinPlan,
    above: Mapping[str, tuple[str, ...]],
    slack: Mapping[str, float],
    start: Mapping[str, float],
) -> dict[str, float]:
    """Kelley's method: cut off each solution that violates Lemma 1, until one satisfies it."""
    floors = {
        state: max(plan.states[state].size / slack[stream] for stream in above if state in above[stream])
        for state in start
    }
    linear = program(plan, None, floors)
    states = [state for state in plan.susceptible if floors.get(state, 0.0) > 0]
    shares = -linear.rows
    sizes = np.array([plan.states[state].size for state in states])
    member = {stream: np.array([state in above[stream] for state in states]) for stream in above}
    point = np.array([start[state] for state in states])
    for _ in range(_ROUNDS):
        linear = _with_cuts(linear, shares, sizes, member, slack, point)
        solution = solve(linear)
        point = shares @ solution.values if solution is not None else np.zeros(len(states))
        if not (point > 0).all():  # beyond numerical resolution: fall back to the even division
            return dict(start)
        late = [float((sizes * inside / point).sum() / slack[stream]) for stream, inside in member.items()]
        if max(late) <= 1 + _PRECISE:
            break
    lifted = point * max(1.0, *late)
    return dict(zip(states, lifted.tolist(), strict=True))


def _with_cuts(
    linear: Program,
    shares: Vector,
    sizes: Vector,
    member: Mapping[str, Vector],
    slack: Mapping[str, float],
    point: Vector,
) -> Program:
    """Tangents of sum(size / rate) <= slack at a point, one for each stream."""
    rows, limits = [linear.rows], [linear.limits]
    for stream, inside in member.items():
        if inside.sum() > 1:
            slope = inside * sizes / point**2
            rows.append(-(slope @ shares)[None, :])
            limits.append(np.array([slack[stream] - 2 * float((inside * sizes / point).sum())]))
    return Program(linear.cost, np.vstack(rows), np.concatenate(limits), linear.most)


def _lower(
    plan: JoinPlan, above: Mapping[str, tuple[str, ...]], slack: Mapping[str, float], rates: dict[str, float]
) -> dict[str, float]:
    """Lower each rate to what the strictest stream through it needs, with the other rates fixed."""
    for state in rates:
        size = plan.states[state].size
        needs = [
            size
            / (
                slack[stream]
                - sum(plan.states[other].size / rates[other] for other in states if other != state)
            )
            for stream, states in above.items()
            if state in states
        ]
        rates[state] = min(rates[state], max(needs))
    return rates
