"""Stages that choose: whatever is chosen, source = shown + waiting, and views are exact over what is shown.

Random views of all kinds (filters, maps, aggregates, unions, joins) over a random source that is an update
stream: rows that replace each other, random policies, random budgets.  Without Spark.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from headwater.algebra.expressions.values import Row
from headwater.algebra.oracle.zsets import ZSet
from headwater.algebra.passes import optimize
from headwater.bench.laws.keeping import check_world
from headwater.bench.laws.random_expressions import value
from headwater.bench.laws.worlds import World, random_world
from headwater.model import Updates
from headwater.overload.updates.choosing.waiting import Key
from support.cases import scaled
from support.overload.update_stream import UpdateStream, plus

WORLDS, PARTS = 500, 2
POLICIES = [policy for policy in Updates if policy is not Updates.APPEND]
SECOND = 1_000_000


class ChosenWorld:
    """A random world in which one source is an update stream, and what is shown of it is what views read."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.world = random_world(seed)
        self.name = self.chance.choice(sorted(self.world.sources))
        self.stream = UpdateStream(self.chance.choice(POLICIES), cost=self.chance.choice((0.001, 0.1, 2.0)))
        self.start = self._push(None)
        self.batches = [self._batch() for _ in range(self.chance.randint(2, 5))]

    def _update(self, at: int) -> None:
        """A row that replaces the one with the same key, or its deletion."""
        columns = self.world.sources[self.name]
        row = tuple(value(self.chance, kind, None) for _, kind in columns)
        deleted = self.chance.random() < 0.15
        self.stream.update_row(row[:1], None if deleted else row, at)

    def _push(self, units: int | None) -> ZSet:
        """What changes in what is shown."""
        instants = (self.chance.randint(1, SECOND) for _ in range(self.chance.randint(0, 8)))
        for instant in sorted(instants):
            self._update(self.stream.now + instant)
        before = self.stream.shown
        waited = {key for key, wait in self.stream.waiting.items() if wait.waits}
        touched = {arrival.row[:1] for arrival in self.stream.arrivals}
        chosen = self.stream.push(self.stream.now + SECOND, units)
        self._check(before, waited | touched, chosen, units)
        return dict(plus(self.stream.shown, {row: -weight for row, weight in before.items()}))

    def _batch(self) -> dict[str, ZSet]:
        others = self.chance.choice(self.world.batches)
        changes = {
            name: change for name, change in others.items() if name != self.name and self._fits(change)
        }
        return {**changes, self.name: self._push(self.chance.choice((None, 0, 1, 1, 2, 3, 50)))}

    @staticmethod
    def _fits(change: ZSet) -> bool:
        """A change of another source may be repeated only if it deletes nothing."""
        return all(weight > 0 for weight in change.values())

    def _check(
        self, before: Counter[Row], may_change: set[Key], chosen: tuple[Key, ...], units: int | None
    ) -> None:
        stream = self.stream
        missing: Counter[Row] = Counter()
        for wait in stream.waiting.values():
            missing = plus(missing, dict(wait.change))
        assert plus(stream.shown, dict(missing)) == stream.source, "source = shown + waiting"
        assert units is None or len(chosen) <= units
        if units is None:
            assert stream.shown == stream.source
        for key, wait in stream.waiting.items():
            assert wait.waits == (stream.shown_row(key) != stream.current.get(key))
            if key not in chosen:
                assert stream.shown_row(key) == next((row for row in before if row[:1] == key), None)
            if wait.waits:
                assert wait.first_at is not None
                assert stream.row_before(key, wait.first_at) == stream.shown_row(key), "it was current"
                assert wait.updates <= wait.seen
        assert set(chosen) <= may_change

    def seen_by_views(self) -> World:
        start = {**self.world.start, self.name: self.start}
        return replace(self.world, start=start, batches=tuple(self.batches))


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_views_are_exact_over_what_is_shown_whatever_is_chosen(part: int) -> None:
    number = scaled(WORLDS // PARTS)
    compared = 0
    for seed in range(part * number, (part + 1) * number):
        compared += check_world(ChosenWorld(seed).seen_by_views(), optimize)
    assert compared >= 3 * number


def test_with_enough_pushes_nothing_waits_under_any_policy() -> None:
    for policy in POLICIES:
        stream = UpdateStream(policy)
        for number in range(50):
            stream.update((number % 7,), number, at=number + 1)
        stream.push(SECOND, 1)
        assert sum(wait.waits for wait in stream.waiting.values()) == 6
        for _ in range(6):
            stream.push(stream.now + SECOND, 1)
        assert stream.shown == stream.source
        assert not any(wait.waits for wait in stream.waiting.values())
