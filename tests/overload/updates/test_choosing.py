"""Choosing by an ORDER BY over what waits is what the queue of the simulator does: the same trace, the same keys."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from headwater.model import Updates, WholeWindows
from headwater.overload.updates import UpdateQueue
from headwater.overload.updates.choosing.priority import Circumstances, priority
from headwater.overload.updates.choosing.waiting import Wait, choose
from support.overload.update_stream import UpdateStream

SCHEMA = pa.schema([("key", pa.int64()), ("value", pa.int64())])
SECOND = 1_000_000


def trace(seed: int, keys: int, theta: float, seconds: int, per_second: int) -> list[list[tuple[int, int]]]:
    """For each second the updates: (instant, key), in order."""
    chance = random.Random(seed)
    weights = [1 / (rank + 1) ** theta for rank in range(keys)]
    return [
        list(
            zip(
                sorted(chance.sample(range(second * SECOND + 1, (second + 1) * SECOND), per_second)),
                chance.choices(range(keys), weights, k=per_second),
                strict=True,
            )
        )
        for second in range(seconds)
    ]


def both(
    policy: Updates, updates: list[list[tuple[int, int]]], units: int
) -> tuple[list[tuple[int, ...]], ...]:
    """The keys that each second's choice shows, by the queue and by the order; and their mean staleness."""
    queue = UpdateQueue(SCHEMA, "key", policy.value, cost=1 / units)
    stream = UpdateStream(policy, cost=1 / units)
    chosen: tuple[list[tuple[int, ...]], ...] = ([], [])
    number = 0
    for second, batch in enumerate(updates, 1):
        numbers = range(number, number + len(batch))
        number += len(batch)
        rows = pa.record_batch([[key for _, key in batch], list(numbers)], schema=SCHEMA)
        queue.enqueue(rows, at=np.array([at / SECOND for at, _ in batch]))
        for (at, key), value in zip(batch, numbers, strict=True):
            stream.update((key,), value, at)
        chosen[0].append(tuple(queue.dequeue(units, now=float(second)).column("key").to_pylist()))
        chosen[1].append(tuple(int(str(key)) for (key,) in stream.push(second * SECOND, units)))
    return chosen


def staleness(updates: list[list[tuple[int, int]]], chosen: list[tuple[int, ...]]) -> float:
    """The mean time that keys have waited, seen after every choice."""
    first: dict[int, int] = {}
    total = 0.0
    for second, (batch, keys) in enumerate(zip(updates, chosen, strict=True), 1):
        for at, key in batch:
            first.setdefault(key, at)
        for key in keys:
            del first[key]
        total += sum(second * SECOND - at for at in first.values())
    return total


@pytest.mark.parametrize("policy", [Updates.FIFO, Updates.INPLACE])
@pytest.mark.parametrize("seed", range(10))
def test_the_same_choices_in_the_same_order(policy: Updates, seed: int) -> None:
    by_queue, by_order = both(policy, trace(seed, 60, 0.9, 30, 40), units=8)
    assert by_queue == by_order


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "units"), [(0.0, 20), (0.9, 20), (1.5, 8)])
@pytest.mark.parametrize("policy", [Updates.BEST, Updates.LINECUT])
def test_nearly_the_same_where_the_queue_decides_when_updates_arrive(
    policy: Updates, theta: float, units: int
) -> None:
    updates = trace(5, 100, theta, 150, 60)
    by_queue, by_order = (staleness(updates, chosen) for chosen in both(policy, updates, units))
    assert by_order <= by_queue * 1.05


@pytest.mark.slow
def test_best_beats_inplace_on_skewed_keys() -> None:
    updates = trace(6, 200, 0.9, 150, 100)
    _, best = both(Updates.BEST, updates, units=40)
    _, inplace = both(Updates.INPLACE, updates, units=40)
    assert staleness(updates, best) < 0.95 * staleness(updates, inplace)


def bursts(seed: int, keys: int, seconds: int) -> list[list[tuple[int, int]]]:
    """Keys that are silent for long and then updated again and again, as quotes are."""
    chance = random.Random(seed)
    instants: dict[int, int] = {}
    for key in range(keys):
        at = chance.expovariate(1 / 20)
        while at < seconds:
            for _ in range(chance.randrange(1, 40)):
                instants[int(at * SECOND)] = key
                at += chance.expovariate(4.0)
            at += chance.expovariate(1 / 30)
    return [
        sorted((at, key) for at, key in instants.items() if second <= at / SECOND < second + 1)
        for second in range(seconds)
    ]


@pytest.mark.slow
def test_best_knows_that_a_key_which_has_been_silent_for_long_will_be_so_for_longer() -> None:
    """All keys are alike: only the bursts tell which refresh will last."""
    updates = bursts(7, 60, 300)
    _, best = both(Updates.BEST, updates, units=2)
    _, inplace = both(Updates.INPLACE, updates, units=2)
    assert staleness(updates, best) < 0.85 * staleness(updates, inplace)


def test_updates_at_random_are_no_bursts() -> None:
    stream = UpdateStream(Updates.BEST)
    for batch in trace(8, 100, 0.9, 60, 100):
        for at, key in batch:
            stream.update((key,), at, at)
    stream.push(60 * SECOND, 1)
    assert stream.circumstances().burstiness < 0.15


def test_what_is_not_captured_yet_is_nobodys_silence() -> None:
    """A push that comes long after the last capture says nothing about bursts."""
    stream = UpdateStream(Updates.BEST)
    for batch in trace(8, 100, 0.0, 60, 100):
        for at, key in batch:
            stream.update((key,), at, at)
    stream.push(90 * SECOND, 1)
    assert stream.circumstances().burstiness < 0.15


@pytest.mark.parametrize(
    ("semantics", "expected"),
    [
        # a at 2 has begun last; b at 1 is skipped, since b at 2 is shown; a at 1 has grown too old
        (WholeWindows.EAGER, [("a", 1), ("a", 2), ("b", 1)]),
        (
            WholeWindows.LAZY,
            [("b", 1), ("a", 1)],
        ),  # windows at 2 are not closed: b at 1 is the newest that may be
    ],
)
def test_windows_that_are_newest_and_those_that_only_go_come_before_what_is_skipped(
    semantics: WholeWindows, expected: list[tuple[str, int]]
) -> None:
    waiting = {
        ("a", 1): Wait({("a", 7, 1): -1}, 5, 5, 0, 0),
        ("a", 2): Wait({("a", 8, 2): 1}, 9, 9, 1, 1),
        ("b", 1): Wait({("b", 9, 1): 1}, 1, 1, 1, 1),
        ("b", 2): Wait({}, None, 4, 0, 1),
    }
    order = priority(Updates.INPLACE, Circumstances(10, 1, 0.1, 3))
    assert list(choose(waiting, order, None, windows=semantics)) == expected
    assert set(choose(waiting, order, 2, windows=semantics)) == set(expected[:2])
