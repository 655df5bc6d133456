"""Exact staleness: against an event-by-event oracle, on the paper's Figure 2, and the relation of section
5.1.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.overload.updates.queue.cells import KeyCells
from headwater.overload.updates.queue.policies import make_order
from headwater.overload.updates.simulation.append_run import AppendRun
from headwater.overload.updates.simulation.run import QueueRun
from headwater.overload.updates.simulation.simulate import Settings, simulate, trace
from headwater.overload.updates.simulation.staleness import Profile, difference_bounds
from support.cases import law
from support.overload.update_queues import run_append, run_queue

EXAMPLES = law(150)

# Quarters make equal times common and sums exact; thirds of a second do not.
quarters = st.lists(st.integers(0, 40), min_size=1, max_size=30).map(lambda ts: [t / 4 for t in sorted(ts)])
traces = quarters.flatmap(
    lambda ts: st.tuples(st.just(ts), st.lists(st.sampled_from("abcd"), min_size=len(ts), max_size=len(ts)))
)
costs = st.sampled_from([0.25, 0.5, 1.0, 0.3, 2.75])
horizons = st.sampled_from([3.0, 10.0, 12.5, 40.0])


@EXAMPLES
@given(traces, costs, horizons, st.sampled_from(["fifo", "inplace"]))
def test_the_run_equals_the_oracle(
    rows: tuple[list[float], list[str]], cost: float, horizon: float, policy: str
) -> None:
    times, keys = rows
    if times[0] > horizon:
        return
    outcome = simulate(trace(times, keys), Settings(policy, cost, horizon))
    application, queue, processed = run_queue(times, keys, cost, horizon, policy)
    assert outcome.application_staleness == pytest.approx(application, abs=1e-12)
    assert outcome.queue_staleness == pytest.approx(queue, abs=1e-12)
    assert outcome.processed == processed


@EXAMPLES
@given(traces, costs, horizons, st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0]))
def test_append_and_shed_equal_the_oracle(
    rows: tuple[list[float], list[str]], cost: float, horizon: float, seed: int, keep: float
) -> None:
    times, keys = rows
    if times[0] > horizon:
        return
    inside = sum(time <= horizon for time in times)
    outcome = simulate(trace(times, keys), Settings("shed", cost, horizon, keep, seed))
    processed = (np.random.default_rng(seed).random(inside) < keep).tolist()
    wanted = run_append(times[:inside], keys[:inside], processed, cost, horizon)
    assert outcome.application_staleness == pytest.approx(wanted, abs=1e-12)
    assert outcome.skipped == inside - sum(processed)


def test_figure_2_one_update_in_two_seconds_at_three_seconds_each() -> None:
    """a arrives at 0, b at 2, c at 4, d at 6.  When a' is delivered at 3, staleness falls to 3 - 2, not to
    0.
    """
    outcome = simulate(trace([0, 2, 4, 6], "kkkk"), Settings("inplace", 3.0, 9.0))
    # 0..3 since a: 4.5; 3..6 since b: (1 + 4) / 2 * 3; at 6 c is taken before d arrives: 6..9 since c
    assert outcome.application_staleness == pytest.approx((4.5 + 7.5 + 10.5) / 9)
    assert outcome.processed == 3


def test_at_equal_times_a_completion_comes_before_an_arrival() -> None:
    """At 1 the step of a completes and b, which waits, is taken; the a of time 1 arrives after that."""
    outcome = simulate(trace([0, 0.5, 1, 1.5], "abab"), Settings("inplace", 1.0, 4.0))
    # a: 0..1, then from 1 until its second step completes at 3; b: 0.5..2, then since 1.5 until 4.
    a = 0.5 + (0 + 2) / 2 * 2
    b = 1.5 * 1.5 / 2 + (0.5 + 2.5) / 2 * 2
    assert outcome.application_staleness == pytest.approx((a + b) / 2 / 4)


def test_a_shed_update_is_pending_until_a_later_one_is_processed() -> None:
    run = AppendRun(cost=1.0, horizon=10.0, keep=0.5)
    run.random = type("Fixed", (), {"random": staticmethod(lambda n: np.array([0.0, 0.9, 0.0]))})()  # type: ignore[assignment]
    run.feed([0.0, 2.0, 5.0], [0, 0, 0], 1)
    # 0..1 since 0, then the shed update of 2 stands until the one of 5 completes at 6.
    assert run.finish("shed").application_staleness == pytest.approx((0.5 + 8.0) / 10)


@EXAMPLES
@given(traces, costs)
def test_section_5_1_bounds_the_difference_of_the_two_metrics(
    rows: tuple[list[float], list[str]], cost: float
) -> None:
    """Over whole cycles, waits W in s steps: W c <= application - queue <= W c + s c^2 / 2."""
    times, keys = rows
    cells = KeyCells()
    waits: list[float] = []

    class Recording:
        """The IN-PLACE order, noting how long each key had waited when it was taken."""

        def __init__(self) -> None:
            self.inner = make_order("inplace", cells, cost)
            self.name, self.moves_waiting, self.enter, self.supersede = (
                "inplace", False, self.inner.enter, self.inner.supersede
            )  # fmt: skip

        def __len__(self) -> int:
            return len(self.inner)

        def take(self, now: float) -> int:
            key = self.inner.take(now)
            waits.append(now - cells.first_at_view[key])
            return key

    run = QueueRun(Recording(), cells, cost)  # type: ignore[arg-type]
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    run.feed(times, [numbers[key] for key in keys], len(numbers))
    horizon = times[-1] + cost * (len(times) + 2)  # everything is done: all cycles are whole
    outcome = run.finish(horizon)
    difference = sum(run.application_area) - sum(run.queue_area)
    low, high = difference_bounds(sum(waits), outcome.processed, cost)
    assert low - 1e-9 <= difference <= high + 1e-9


@EXAMPLES
@given(traces, costs, st.sampled_from(["fifo", "inplace", "linecut", "best", "append"]))
def test_the_profile_integrates_to_the_average(
    rows: tuple[list[float], list[str]], cost: float, policy: str
) -> None:
    times, keys = rows
    profile = Profile(12.0, bins=7)
    outcome = simulate(trace(times, keys), Settings(policy, cost, 12.0), profile=profile)
    total = outcome.application_staleness * outcome.keys
    assert profile.means()[1].mean() == pytest.approx(total, abs=1e-9)


@EXAMPLES
@given(traces, costs, st.sampled_from(["fifo", "inplace", "linecut", "best"]))
def test_every_update_is_processed_skipped_or_still_there(
    rows: tuple[list[float], list[str]], cost: float, policy: str
) -> None:
    times, keys = rows
    late = simulate(trace(times, keys), Settings(policy, cost, 1000.0))
    assert late.processed + late.skipped == late.updates == len(times)
    now = simulate(trace(times, keys), Settings(policy, cost, max(times[-1], 0.5)))
    assert now.processed + now.skipped <= len(times)
