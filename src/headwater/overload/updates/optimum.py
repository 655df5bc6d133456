"""The lowest application staleness any schedule can reach, by trying all of them: for small cases only.

The search knows the whole trace and tries every key at every choice, but never leaves the server idle while
an update waits.  It is the yardstick for IN-PLACE on keys that update equally often.  Cost: exponential in
the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from headwater.overload.updates.staleness import area

__all__ = ["lowest_staleness"]

State = tuple[float, int, tuple[float, ...], tuple[float, ...]]


def lowest_staleness(times: Sequence[float], keys: Sequence[int], cost: float, horizon: float) -> float:
    """The time average of staleness over [0, horizon], averaged over keys, under the best schedule."""
    count = max(keys) + 1
    never = tuple([-1.0] * count)
    best = _search((0.0, 0, never, tuple([-inf] * count)), times, keys, cost, horizon, {})
    return best / horizon / len(set(keys))


def _admit(state: State, times: Sequence[float], keys: Sequence[int], until: float, horizon: float) -> State:
    """Arrivals strictly before `until`: those at the same time come after the choice."""
    now, arrived, waiting, completed = state
    first = list(waiting)
    while arrived < len(times) and times[arrived] < until and times[arrived] <= horizon:
        if first[keys[arrived]] < 0:
            first[keys[arrived]] = times[arrived]
        arrived += 1
    return now, arrived, tuple(first), completed


def _search(
    state: State,
    times: Sequence[float],
    keys: Sequence[int],
    cost: float,
    horizon: float,
    known: dict[State, float],
) -> float:
    """The least area from here on, when the server is free at `now`."""
    if state in known:
        return known[state]
    now, arrived, waiting, completed = state
    choices = [key for key, since in enumerate(waiting) if since >= 0]
    if not choices and arrived < len(times) and times[arrived] <= horizon:
        first = list(waiting)
        first[keys[arrived]] = times[arrived]
        step = (max(now, times[arrived]), arrived + 1, tuple(first), completed)
        answer = _search(step, times, keys, cost, horizon, known)
    elif not choices or now >= horizon:
        answer = sum(_pending(since, done, horizon) for since, done in zip(waiting, completed, strict=True))
    else:
        answer = min(_serve(key, state, times, keys, cost, horizon, known) for key in choices)
    known[state] = answer
    return answer


def _pending(since: float, completed: float, until: float) -> float:
    begin = max(since, completed)
    return area(since, begin, until) if since >= 0 and begin < until else 0.0


def _serve(
    key: int, state: State, times: Sequence[float], keys: Sequence[int], cost: float, horizon: float,
    known: dict[State, float],
) -> float:  # fmt: skip
    now, arrived, waiting, completed = state
    end = now + cost
    grown = _pending(waiting[key], completed[key], min(end, horizon))
    cleared = tuple(-1.0 if number == key else since for number, since in enumerate(waiting))
    done = tuple(end if number == key else at for number, at in enumerate(completed))
    after = _admit((end, arrived, cleared, done), times, keys, end, horizon)
    return grown + _search(after, times, keys, cost, horizon, known)
