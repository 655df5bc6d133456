"""An update stream in plain Python: what a source holds, what is shown of it and what waits, push by push."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from headwater.model import Updates
from headwater.overload.updates.choosing.priority import Circumstances, priority
from headwater.overload.updates.choosing.waiting import Arrival, Key, Row, Wait, choose, merge, take

__all__ = ["UpdateStream", "key_of", "plus", "random_updates"]


def key_of(row: Row) -> Key:
    """The first column is the update key."""
    return row[:1]


def plus(zset: Counter[Row], change: dict[Row, int]) -> Counter[Row]:
    """The sum of two Z-sets, without rows of weight 0."""
    summed = Counter(zset)
    for row, weight in change.items():
        summed[row] += weight
    return Counter({row: weight for row, weight in summed.items() if weight})


@dataclass
class UpdateStream:
    """The source, what is shown and what waits, as of `now`."""

    policy: Updates
    cost: float = 0.01
    now: int = 0
    began_at: int = 0
    current: dict[Key, Row] = field(default_factory=dict)
    shown: Counter[Row] = field(default_factory=Counter)
    waiting: dict[Key, Wait] = field(default_factory=dict)
    arrivals: list[Arrival] = field(default_factory=list)
    history: dict[Key, list[tuple[int, Row | None]]] = field(default_factory=dict)
    worth: dict[Key, float] = field(default_factory=dict)
    arrived: int = 0
    taken: int = 0

    def update(self, key: Key, value: Any, at: int) -> list[Arrival]:
        """A row replaces the one before it; None deletes it. As capture stores it: -old +new."""
        return self.update_row(key, None if value is None else (*key, value), at)

    def update_row(self, key: Key, new: Row | None, at: int) -> list[Arrival]:
        """The same with a whole row."""
        old = self.current.get(key)
        changes = [Arrival(old, -1, at)] if old is not None else []
        changes += [Arrival(new, 1, at)] if new is not None else []
        if new is None:
            self.current.pop(key, None)
        else:
            self.current[key] = new
        self.arrivals += changes
        self.history.setdefault(key, []).append((at, new))
        return changes

    @property
    def source(self) -> Counter[Row]:
        return Counter(self.current.values())

    def shown_row(self, key: Key) -> Row | None:
        """What is shown of a key."""
        rows = [row for row, weight in self.shown.items() if key_of(row) == key for _ in range(weight)]
        assert len(rows) <= 1
        return rows[0] if rows else None

    def row_before(self, key: Key, at: int) -> Row | None:
        """What was current just before an instant, whatever order the updates came in."""
        earlier = [row for instant, row in self.history.get(key, ()) if instant < at]
        return earlier[-1] if earlier else None

    def push(self, now: int, units: int | None) -> tuple[Key, ...]:
        """Merge what arrived, show what is worth most; returns which keys."""
        self.now = now
        self.arrived += sum(max(arrival.weight, 0) for arrival in self.arrivals)
        self.waiting = merge(self.waiting, self.arrivals, key_of)
        self.arrivals = []
        first = min((wait.first_at or now for wait in self.waiting.values() if wait.waits), default=now)
        self.began_at = self.began_at or first
        chosen = choose(self.waiting, priority(self.policy, self.circumstances()), units, self.worth)
        self.taken += len(chosen)
        change, self.waiting = take(self.waiting, chosen)
        self.shown = plus(self.shown, change)
        return chosen

    @property
    def superseded(self) -> int:
        """Updates that need not be shown any more."""
        return self.arrived - self.taken - sum(wait.waits for wait in self.waiting.values())

    def circumstances(self) -> Circumstances:
        seen = [wait.seen for wait in self.waiting.values()]
        waits = sum(wait.waits for wait in self.waiting.values())
        squares = sum(count * count for count in seen)
        newest = max((wait.last_at for wait in self.waiting.values()), default=0)
        silence = sum((wait.seen + 1) * (self.now - wait.last_at) / 1e6 for wait in self.waiting.values())
        return Circumstances(
            self.now, self.began_at, self.cost, waits, len(seen), sum(seen), squares, newest, silence
        )


def random_updates(
    chance: random.Random, stream: UpdateStream, keys: int, count: int, start: int, end: int
) -> None:
    """Updates, inserts and deletes at random instants in (start, end]; some keys far more often than others."""
    instants = sorted(chance.sample(range(start + 1, end + 1), min(count, end - start)))
    for at in instants:
        key = (min(int(chance.expovariate(2.0) * keys / 2), keys - 1),)
        stream.update(key, None if chance.random() < 0.1 else chance.randrange(5), at)
