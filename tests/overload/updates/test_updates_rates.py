"""What `best` learns: rates that are not misled by chance, and how long a backlog lasts."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.overload.updates import Settings, simulate
from headwater.overload.updates.queue.cells import KeyCells
from headwater.overload.updates.queue.rates import Backlog, Rates
from headwater.overload.updates.simulation.trace import Chunk


def rates_of(counts: list[int]) -> Rates:
    cells = KeyCells(len(counts))
    cells.updates[: len(counts)] = counts
    rates = Rates(cells, Backlog(), cost=1.0)
    rates.count_entries(1, 100.0)
    return rates


def test_counts_that_differ_by_chance_are_taken_for_one_rate() -> None:
    drawn = np.random.default_rng(1).poisson(10, 200)
    rates = rates_of(drawn.tolist())
    slow, fast = int(drawn.argmin()), int(drawn.argmax())
    assert drawn[fast] > 2 * drawn[slow]
    assert rates.interval(slow, 100.0) < 1.25 * rates.interval(fast, 100.0)


def test_counts_that_truly_differ_are_believed() -> None:
    rates = rates_of([1000] * 50 + [10] * 50)
    assert rates.interval(60, 100.0) / rates.interval(0, 100.0) == pytest.approx(100, rel=0.2)
    many = rates.intervals(np.array([0, 60]), np.array([100.0, 100.0]))
    assert many.tolist() == pytest.approx([rates.interval(0, 100.0), rates.interval(60, 100.0)])


def test_the_time_a_backlog_still_lasts() -> None:
    """Backlogs of 2 and 6 seconds: from a random moment in one, (4 + 36) / 2 / 8 = 2.5 seconds are left."""
    backlog = Backlog()
    for began, ended in ((0.0, 2.0), (10.0, 16.0)):
        backlog.began_at = began
        backlog.ended(ended)
    backlog.began_at = 20.0
    assert backlog.end_rate(20.0) == pytest.approx(1 / 2.5)
    restored = Backlog()
    restored.restore(backlog.state())
    assert restored.end_rate(21.0) == backlog.end_rate(21.0)


def test_only_the_time_with_a_backlog_counts() -> None:
    """Ten updates in two seconds of backlog are five a second, however long the silence around them."""
    cells = KeyCells(1)
    cells.updates[0] = 10
    backlog = Backlog()
    backlog.ended(1.0)
    backlog.began_at = 1000.0
    assert Rates(cells, backlog, cost=0.1).interval(0, 1001.0) == pytest.approx(0.2)


def test_best_wins_on_bursts() -> None:
    """Keys of very different rates whose updates come in bursts, with silence after each."""
    random = np.random.default_rng(3)
    weights = 1.0 / np.arange(1, 31)
    sizes = random.geometric(1 / 40, 400)
    times = np.concatenate([100.0 * burst + np.sort(random.random(size)) for burst, size in enumerate(sizes)])
    chunks = [Chunk(times, random.choice(30, len(times), p=weights / weights.sum()), 30)]
    inplace = simulate(chunks, Settings("inplace", 0.1)).application_staleness
    assert simulate(chunks, Settings("best", 0.1)).application_staleness < 0.92 * inplace
