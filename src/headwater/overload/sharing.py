"""How stages that compete for the time of a push divide it: by their weights, and by what an update is worth.

The unit that is divided is time.  Each contender needs some: so many units (keys, probes) at so many seconds.

**By weight.**  Contenders get time in the proportion of their weights (OVERLOAD WEIGHT).  Whoever needs less
than that leaves the rest to the others, again by their weights.

**By worth.**  Update streams of the same weight are one contender with the sum of their weights; among them
each key counts alike, whichever stream it is of.  A key with r updates a second that is refreshed b times a
second is stale for a = 1/b - 1/r before each refresh, so a^2 b / 2 on average; one refresh more saves

    W = a^2 / 2 + a / r

which is the index of the policy `best`.  The sum over all keys is least if a refresh saves the same for the
time that it costs, W / cost = price, wherever it is made:  b = r / sqrt(1 + 2 price cost r^2).  A low price
shows everything; the price at which all of it fits the time is found by bisection.  So a stream whose few
keys are updated all the time takes no time from one with many: what is superseded is worth nothing.

Doubt: a key of each stream counts alike whatever its REFRESH WEIGHT; those are of keys of one stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

__all__ = ["Contender", "Part", "divided"]

STEPS = 60  # of a bisection: as exact as numbers are


@dataclass(frozen=True, slots=True)
class Contender:
    """A stage that chooses: so many units stand before it, at so many seconds each.

    `keys`: of an update stream, over which its `units` updates are spread; None: an adapted join.
    """

    name: str
    units: float
    cost: float
    weight: float = 1.0
    keys: float | None = None

    @property
    def need(self) -> float:
        """Seconds."""
        return self.units * self.cost

    def worth_showing(self, price: float) -> float:
        """Seconds for the keys whose refresh is worth this price, in what one refresh of a key takes."""
        often = self.units / max(self.keys or self.units, 1.0)  # updates of a key
        return self.need / sqrt(1.0 + 2.0 * price * self.cost * often * often)


@dataclass(frozen=True, slots=True)
class Part:
    """What a contender gets: seconds for so many units, which part of all that is, and what its weight
    entitles it to."""

    seconds: float
    units: float
    share: float
    entitled: float


def divided(contenders: Sequence[Contender], seconds: float) -> dict[str, Part]:
    """The time that each gets, by name."""
    groups = [tuple(group) for _, group in groupby(sorted(contenders, key=_group), key=_group)]
    poured = _poured([(sum(_weights(group)), sum(_needs(group))) for group in groups], seconds)
    given: dict[str, float] = {}
    for group, time in zip(groups, poured, strict=True):
        given |= _by_worth(group, time)
    total, weights = sum(given.values()), sum(_weights(contenders))
    return {
        contender.name: Part(
            given[contender.name],
            given[contender.name] / contender.cost,
            given[contender.name] / total if total > 0 else 0.0,
            seconds * contender.weight / weights,
        )
        for contender in contenders
    }


def _group(contender: Contender) -> tuple[str, float]:
    """Update streams of one weight are together; an adapted join is by itself."""
    return ("" if contender.keys is not None else contender.name), contender.weight


def _weights(contenders: Iterable[Contender]) -> list[float]:
    return [contender.weight for contender in contenders]


def _needs(contenders: Iterable[Contender]) -> list[float]:
    return [contender.need for contender in contenders]


def _poured(vessels: Sequence[tuple[float, float]], seconds: float) -> list[float]:
    """Of (weight, need): in the proportion of weights, but none above its need."""
    given, left = [0.0] * len(vessels), seconds
    weights = sum(weight for weight, _ in vessels)
    for index in sorted(range(len(vessels)), key=lambda index: vessels[index][1] / vessels[index][0]):
        weight, need = vessels[index]
        given[index] = min(need, left * weight / weights)
        left, weights = left - given[index], weights - weight
    return given


def _by_worth(group: Sequence[Contender], seconds: float) -> Mapping[str, float]:
    """Of update streams that count alike, so that the last refresh of each is worth the same."""
    if sum(_needs(group)) <= seconds or len(group) == 1:
        return {contender.name: min(contender.need, seconds) for contender in group}
    low, high = 0.0, 1.0
    while _taken(group, high) > seconds:
        low, high = high, high * 4.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _taken(group, middle) > seconds else (low, middle)
    return {contender.name: contender.worth_showing(high) for contender in group}


def _taken(group: Sequence[Contender], price: float) -> float:
    return sum(contender.worth_showing(price) for contender in group)
