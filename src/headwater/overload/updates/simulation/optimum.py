"""The best that any schedule can achieve, by exhaustive search: for small cases only.

`lowest_staleness` knows the complete trace: no policy can beat it, and few can reach it.  `expected_area` is
the fair yardstick for IN-PLACE: at each choice only the past is known, each second brings an update of one
random key, all equally likely, and the search takes the best choice against the average over all possible
futures.  Neither leaves the server idle while an update waits.  Cost: exponential in the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import inf

from headwater.overload.updates.simulation.staleness import area

__all__ = ["expected_area", "lowest_staleness"]

State = tuple[float, int, tuple[float, ...], tuple[float, ...]]


def lowest_staleness(times: Sequence[float], keys: Sequence[int], cost: float, horizon: float) -> float:
    """The time average of staleness over [0, horizon], averaged over keys, under the best schedule."""
    count = max(keys) + 1
    never = tuple([-1.0] * count)
    best = _search((0.0, 0, never, tuple([-inf] * count)), times, keys, cost, horizon, {})
    return best / horizon / len(set(keys))


def _admit(state: State, times: Sequence[float], keys: Sequence[int], until: float, horizon: float) -> State:
    """Arrivals strictly before `until`: those at the same time come after the decision."""
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
    solved: dict[State, float],
) -> float:
    """The least area from here on, when the server is free at `now`."""
    if state in solved:
        return solved[state]
    now, arrived, waiting, completed = state
    choices = [key for key, since in enumerate(waiting) if since >= 0]
    if not choices and arrived < len(times) and times[arrived] <= horizon:
        first = list(waiting)
        first[keys[arrived]] = times[arrived]
        step = (max(now, times[arrived]), arrived + 1, tuple(first), completed)
        answer = _search(step, times, keys, cost, horizon, solved)
    elif not choices or now >= horizon:
        answer = sum(_pending(since, done, horizon) for since, done in zip(waiting, completed, strict=True))
    else:
        answer = min(_serve(key, state, times, keys, cost, horizon, solved) for key in choices)
    solved[state] = answer
    return answer


def _pending(since: float, completed: float, until: float) -> float:
    begin = max(since, completed)
    return area(since, begin, until) if since >= 0 and begin < until else 0.0


def _serve(
    key: int, state: State, times: Sequence[float], keys: Sequence[int], cost: float, horizon: float,
    solved: dict[State, float],
) -> float:  # fmt: skip
    now, arrived, waiting, completed = state
    end = now + cost
    grown = _pending(waiting[key], completed[key], min(end, horizon))
    cleared = tuple(-1.0 if number == key else since for number, since in enumerate(waiting))
    done = tuple(end if number == key else at for number, at in enumerate(completed))
    after = _admit((end, arrived, cleared, done), times, keys, end, horizon)
    return grown + _search(after, times, keys, cost, horizon, solved)


def expected_area(keys: int, load: int, steps: int, *, oldest_first: bool) -> float:
    """The mean area of application staleness over `steps` steps of `load` seconds, from one waiting key on.

    One update arrives each second, for a random key, all equally likely.  With `oldest_first` the schedule is
    IN-PLACE's; else it is the best schedule that does not know the future.
    """
    futures = tuple(product(range(keys), repeat=load))

    @cache
    def least(ages: tuple[int, ...], left: int) -> float:
        if not left:
            return 0.0
        waiting = [key for key, age in enumerate(ages) if age]
        choices = [max(waiting, key=lambda key: ages[key])] if oldest_first else waiting
        return min(after(ages, key, left) for key in choices)

    def after(ages: tuple[int, ...], served: int, left: int) -> float:
        total = sum(age * load + load * load / 2 for age in ages if age)
        for future in futures:
            grown, now = _let_arrive(ages, served, future, load)
            total += (grown + least(tuple(sorted(now, reverse=True)), left - 1)) / len(futures)
        return total

    return least((1,) + (0,) * (keys - 1), steps)


def _let_arrive(
    ages: tuple[int, ...], served: int, future: tuple[int, ...], load: int
) -> tuple[float, list[int]]:
    """Area of the keys that become stale during a step, and every key's age after it; 0 is fresh.

    A new update of the key in service adds nothing yet: until the step completes, an older one is pending.
    """
    now = [age + load if age and key != served else 0 for key, age in enumerate(ages)]
    grown = 0.0
    for second, key in enumerate(future):
        if not now[key]:
            now[key] = load - second
            grown += 0.0 if key == served else (load - second) ** 2 / 2
    return grown, now
