"""GH-WMSCP: cover every state's refresh rate with the paths that cost least for what they cover.

Which paths refresh the susceptible states most cheaply is a weighted multiple set cover.  The greedy
heuristic repeatedly takes the path with the most still-needed cover for its cost, and raises it until one of
its states has all it needs or the stream has no more arrivals:

    worth of a path = sum over its uncovered states of (tuples it sends in / rate needed), divided by its cost

Dividing by the rate needed makes a state count once, like an element in the set cover of the paper's [29].
Each step completes a state or a path, and completing a state touches only the paths below it, so m + k steps
of O(k) and k * k updates: quadratic.  The cover may cost more than the cheapest one, which `cheapest_cover`
gives.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.overload.joins.model.join_plan import JoinPlan, Path

__all__ = ["greedy_cover"]

_DONE = 1e-12


def greedy_cover(plan: JoinPlan, refresh: Mapping[str, float]) -> dict[str, float] | None:
    """Resources of each path that meet every refresh rate, or None if greedy finds no cover."""
    left = {state: refresh[state] for state in plan.susceptible if refresh.get(state, 0.0) > 0}
    needs = dict(left)
    sends = {path.stream: _sends(path, needs) for path in plan.paths}
    worth = {stream: sum(sent[state] / needs[state] for state in sent) for stream, sent in sends.items()}
    entering = {path.stream: 0.0 for path in plan.paths}
    while left:
        best = max(plan.paths, key=lambda path: _rank(path, worth, entering))
        if _rank(best, worth, entering) <= 0:
            return None
        _raise(best, entering, sends[best.stream], left)
        for state in [name for name, missing in left.items() if missing <= _DONE * needs[name]]:
            del left[state]
            for stream, sent in sends.items():
                worth[stream] -= sent.get(state, 0.0) / needs[state]
    return {path.stream: entering[path.stream] * path.unit_cost for path in plan.paths}


def _sends(path: Path, needs: Mapping[str, float]) -> dict[str, float]:
    """Tuples into each state that needs them, for one tuple at the path's leaf."""
    return {
        hop.own: weight
        for hop, weight in zip(path.hops, path.weights, strict=True)
        if hop.own in needs and weight > 0
    }


def _rank(path: Path, worth: Mapping[str, float], entering: Mapping[str, float]) -> float:
    exhausted = path.rate is not None and entering[path.stream] >= path.rate
    # What remains of a worth after subtracting covered states is rounding error.
    return 0.0 if exhausted or worth[path.stream] <= _DONE else worth[path.stream] / path.unit_cost


def _raise(path: Path, entering: dict[str, float], sent: Mapping[str, float], left: dict[str, float]) -> None:
    """Raise a path until one of its states is covered or its arrivals are used up."""
    room = float("inf") if path.rate is None else path.rate - entering[path.stream]
    more = min([room, *(left[state] / sent[state] for state in sent if state in left)])
    entering[path.stream] = (
        path.rate if path.rate is not None and more == room else entering[path.stream] + more
    )
    for state in sent:
        if state in left:
            left[state] -= more * sent[state]
