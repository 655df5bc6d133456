"""The policies against each other, against exhaustive search, and `best` against a scan of all keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.bench.updates.workloads import slow_and_fast, zipf
from headwater.errors import InputError
from headwater.overload.updates import Settings, simulate, trace
from headwater.overload.updates.queue.best import Best, index
from headwater.overload.updates.queue.cells import KeyCells, KeyIndex
from headwater.overload.updates.queue.orders import LineCut
from headwater.overload.updates.queue.rates import FINE
from headwater.overload.updates.simulation.optimum import expected_area, lowest_staleness
from support.cases import law

EXAMPLES = law(60)


def staleness(policy: str, chunks, cost: float) -> float:  # type: ignore[no-untyped-def]
    return simulate(chunks, Settings(policy, cost)).application_staleness


@pytest.mark.parametrize(("keys", "load", "steps"), [(2, 2, 8), (2, 3, 6), (3, 2, 6), (3, 3, 4), (4, 2, 5)])
def test_inplace_is_the_best_schedule_for_keys_that_update_alike(keys: int, load: int, steps: int) -> None:
    """Section 5.2, by exhaustive search over all schedules that do not know the future."""
    ours = expected_area(keys, load, steps, oldest_first=True)
    assert ours == pytest.approx(expected_area(keys, load, steps, oldest_first=False), rel=1e-12)


@EXAMPLES
@given(
    st.lists(st.tuples(st.integers(0, 24), st.integers(0, 2)), min_size=1, max_size=12),
    st.sampled_from([1.0, 2.5]),
)
def test_no_policy_beats_exhaustive_search(rows: list[tuple[int, int]], cost: float) -> None:
    rows = sorted(rows)
    times, keys = [at / 2 for at, _ in rows], [key for _, key in rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    least = lowest_staleness(times, [numbers[key] for key in keys], cost, 14.0)
    for policy in ("fifo", "inplace", "linecut", "best"):
        ours = simulate(trace(times, keys), Settings(policy, cost, 14.0)).application_staleness
        assert ours >= least - 1e-9


def test_inplace_is_at_most_fifo_in_the_settings_of_the_paper() -> None:
    for keys, theta, load in ((10, 0.0, 2.0), (10, 0.0, 8.0), (10, 0.9, 5.0), (100, 0.9, 2.0)):
        chunks = zipf(8000, keys, theta)
        assert staleness("inplace", chunks, load) <= staleness("fifo", chunks, load)


def test_linecutting_helps_slow_updaters_as_in_figure_9() -> None:
    gain = []
    for slow in (0, 4, 8, 10):
        chunks = slow_and_fast(30_000, 10, slow, times_slower=100.0)
        runs = [simulate(chunks, Settings(name, 5.0)).queue_staleness for name in ("inplace", "linecut")]
        gain.append(runs[0] / runs[1])
    assert gain[0] == pytest.approx(1.0, abs=0.01)
    assert gain[3] == pytest.approx(1.0, abs=0.01)
    assert 1.0 < gain[1] < gain[2]
    assert gain[2] > 1.1


def test_a_slow_key_cuts_and_those_who_cut_keep_their_places() -> None:
    cells = KeyCells(4)
    order = LineCut(cells, cost=1.0)
    cells.updates[:] = 0
    order.began_at = 0.0
    for key, count, at in ((0, 50, 100.0), (1, 60, 100.0), (2, 1, 100.0), (3, 2, 100.0)):
        cells.updates[key] = count
        order.enter(key, at)
    order.supersede(2, 100.0)
    # 0 enters an empty queue and counts as slow; 1 is fast (60 * 1 < 100 with one resident cuts as well).
    assert [key for key, _ in order.waiting()] == [0, 1, 2, 3]
    cells.updates[0] = 500
    order.take(100.0)
    order.enter(0, 101.0)
    assert [key for key, _ in order.waiting()] == [1, 2, 3, 0]


def test_best_meets_its_marks() -> None:
    at_5, at_2 = zipf(40_000, 100, 0.9), zipf(40_000, 100, 0.9)
    assert staleness("best", at_5, 5.0) <= 0.9 * staleness("linecut", at_5, 5.0)
    assert staleness("best", at_2, 2.0) <= 0.8 * staleness("inplace", at_2, 2.0)


@pytest.mark.parametrize(
    ("keys", "theta", "load"), [(10, 0.0, 2.0), (100, 0.0, 5.0), (10, 0.5, 5.0), (100, 0.9, 10.0)]
)
def test_best_is_never_worse(keys: int, theta: float, load: float) -> None:
    chunks = zipf(40_000, keys, theta)
    best = staleness("best", chunks, load)
    assert best <= 1.005 * staleness("inplace", chunks, load)
    assert best <= 1.005 * staleness("linecut", chunks, load)


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 19), st.integers(1, 40)), min_size=5, max_size=60), st.booleans())
def test_best_takes_the_key_a_scan_would_take(arrivals: list[tuple[int, int]], weighted: bool) -> None:
    """Among the classes' representatives the head with the highest index wins; no other key of a class is
    older.
    """
    cells = KeyCells(20)
    if weighted:
        cells.weight[:] = np.where(np.arange(len(cells.weight)) % 3 == 0, 4.0, 1.0)
    order = Best(cells, cost=0.5)
    at = 0.0
    for key, gap in arrivals:
        at += gap / 10
        cells.updates[key] += 1
        if cells.first_at[key] < 0:
            cells.first_at[key] = at
            order.enter(key, at)
    while len(order):
        at += 0.5
        waiting = dict(order.waiting())
        clean = {key: 2.0 ** (mark / FINE) for key, mark in waiting.items()}
        end_rate = order.backlog.end_rate(at)
        if not 0.95 * order._end_rate <= end_rate <= 1.05 * order._end_rate:
            rate = end_rate
        else:
            rate = order._end_rate
        scores = {
            key: cells.weight[key]
            * float(index(at - cells.first_at[key], np.float64(q / (1 + rate * q)), 0.5))
            for key, q in clean.items()
        }
        taken = order.take(at)
        assert scores[taken] >= max(scores.values()) * (1 - 1e-9)
        cells.first_at[taken] = -1.0


def test_taking_many_is_taking_one_by_one_at_the_same_time() -> None:
    chunks = zipf(500, 40, 0.9)[0]
    orders = []
    for _ in range(2):
        cells = KeyCells(40)
        order = Best(cells, cost=1.0)
        for at, key in zip(chunks.times.tolist(), chunks.keys.tolist(), strict=True):
            cells.updates[key] += 1
            if cells.first_at[key] < 0:
                cells.first_at[key] = at
                order.enter(key, at)
        orders.append(order)
    many = orders[0].take_many(510.0, 12).tolist()
    assert many == [orders[1].take(510.0) for _ in range(12)]


def test_weights_move_staleness_to_where_it_matters_less() -> None:
    chunks = zipf(20_000, 20, 0.0)
    index_of_keys = KeyIndex(range(20))
    weights = {number: 10.0 if number < 4 else 1.0 for number in range(20)}
    plain = simulate(chunks, Settings("best", 3.0), index=index_of_keys)
    weighted = simulate(chunks, Settings("best", 3.0), weights=weights, index=index_of_keys)
    assert weighted.staleness.application[:4].mean() < 0.6 * plain.staleness.application[:4].mean()
    flat = float(
        (plain.staleness.application * weighted.staleness.weight).sum() / weighted.staleness.weight.sum()
    )
    assert weighted.staleness.weighted() < 0.9 * flat


def test_long_queues_planned_ahead_lose_nothing_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = zipf(20_000, 3000, 0.9)
    planned = staleness("best", chunks, 5.0)
    monkeypatch.setattr("headwater.overload.updates.queue.best.AHEAD", 1 << 40)
    assert planned == pytest.approx(staleness("best", chunks, 5.0), rel=0.01)


@pytest.mark.parametrize(
    "wrong",
    [("bset", 1.0, None, 1.0), ("best", -1.0, None, 1.0), ("shed", 1.0, None, 1.5), ("best", 1.0, -2.0, 1.0)],
)
def test_wrong_settings(wrong: tuple[str, float, float | None, float]) -> None:
    with pytest.raises(InputError):
        Settings(*wrong)
