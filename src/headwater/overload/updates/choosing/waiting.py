"""What waits, as plain Python: merging arrivals into it, taking keys out of it.

For every key, `change` is the change from what is shown of it to what the source holds, a Z-set: -old
+new, only +new for a key that is not shown, only -old for one that was deleted.  So at every time

    source = shown + the sum of all changes that wait

Arrivals add to it; older updates vanish in the sum (a row that came and went is worth nothing), and that
is all that superseding is.  Taking a key moves its change to what is shown, as it is.

A key that does not wait is remembered while the overload lasts, for how often it is updated.

The engine computes the same in Spark (engine/push/choosing/queries.py); the laws compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.algebra.expressions.compile import compile_expr
from headwater.algebra.expressions.tree import Expr
from headwater.model import WholeWindows
from headwater.overload.updates.choosing.windows import in_front

__all__ = ["COLUMNS", "Arrival", "Wait", "Waiting", "choose", "merge", "take"]

Row = tuple[Any, ...]
Key = tuple[Hashable, ...]
ZSet = Mapping[Row, int]

# What a priority may be computed from, for each key that waits: when the oldest and the newest update
# arrived that are not shown (microseconds), how many there were, how many since the overload began, and what
# its staleness matters.
COLUMNS = ("_first", "_last", "_updates", "_seen", "_worth")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A change of the source, and when it arrived."""

    row: Row
    weight: int
    at: int


@dataclass(frozen=True, slots=True)
class Wait:
    """What is known of a key. `first_at` and `updates` are of the updates that are not shown."""

    change: ZSet = field(default_factory=dict)
    first_at: int | None = None
    last_at: int = 0
    updates: int = 0
    seen: int = 0

    @property
    def waits(self) -> bool:
        return bool(self.change)


Waiting = Mapping[Key, Wait]


def merge(waiting: Waiting, arrivals: Iterable[Arrival], key: Callable[[Row], Key]) -> dict[Key, Wait]:
    """What waits when changes of the source have arrived, in any order."""
    merged = dict(waiting)
    for arrival in arrivals:
        before = merged.get(key(arrival.row), Wait())
        inserted = max(arrival.weight, 0)
        merged[key(arrival.row)] = Wait(
            _plus(before.change, arrival.row, arrival.weight),
            arrival.at if before.first_at is None else min(before.first_at, arrival.at),
            max(before.last_at, arrival.at),
            before.updates + inserted,
            before.seen + inserted,
        )
    return {name: wait if wait.waits else _at_rest(wait) for name, wait in merged.items()}


def _plus(zset: ZSet, row: Row, weight: int) -> ZSet:
    summed = zset.get(row, 0) + weight
    others = {other: count for other, count in zset.items() if other != row}
    return {**others, row: summed} if summed else others


def _at_rest(wait: Wait) -> Wait:
    """A key that is shown as it is."""
    return Wait({}, None, wait.last_at, 0, wait.seen)


def choose(
    waiting: Waiting,
    priority: Expr,
    count: int | None,
    worth: Mapping[Key, float] | None = None,
    windows: WholeWindows | None = None,
) -> tuple[Key, ...]:
    """The keys to show next: those with the highest priority, equal ones in the order of their keys.

    With `windows` they are windows of keys; those that are newest come first, and open ones may have to wait.
    """
    weights = worth or {}
    value = compile_expr(priority, COLUMNS)
    front = dict.fromkeys(waiting, True) if windows is None else in_front(waiting, windows)
    ranked = sorted(
        (
            not (front[key] or _only_goes(wait)),
            -value((wait.first_at, wait.last_at, wait.updates, wait.seen, weights.get(key, 1.0))),
            _ordered(key),
            key,
        )
        for key, wait in waiting.items()
        if wait.waits and key in front
    )
    return tuple(key for *_, key in ranked[:count])


def _only_goes(wait: Wait) -> bool:
    return all(weight < 0 for weight in wait.change.values())


def _ordered(key: Key) -> Sequence[tuple[bool, Any]]:
    """NULL comes first, as in Spark."""
    return tuple((part is not None, 0 if part is None else part) for part in key)


def take(waiting: Waiting, keys: Collection[Key]) -> tuple[dict[Row, int], dict[Key, Wait]]:
    """The change of what is shown when these keys are, and what waits then."""
    taken = set(keys)
    change = {row: weight for key in taken for row, weight in waiting[key].change.items()}
    return change, {key: _at_rest(wait) if key in taken else wait for key, wait in waiting.items()}
