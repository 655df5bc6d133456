"""The loop as a value: monitor, thresholds, one step at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater.overload.joins import JoinPlan, Problem, State, linear
from headwater.overload.joins.adaptation.adapt import Loop, start, step
from headwater.overload.joins.adaptation.monitor import Monitor, Sample
from headwater.overload.joins.adaptation.thresholds import Thresholds

PLAN = JoinPlan(
    linear("A", "B", "C"),
    {"A": 500.0, "B": 700.0, "C": 600.0},
    {"A": State(1000, 0.002), "B": State(500, 0.002), "AB": State(200, 0.02), "C": State(1000, 0.005)},
)


def sample(loop: Loop, plan: JoinPlan, factor: float = 1.0) -> Sample:
    """Ten seconds exactly as a plan would have it under the loop's allowances."""
    half_ways = loop.decision.allocation.half_ways
    pairs = {
        plan.siblings[own]: 10 * probes * plan.states[plan.siblings[own]].size
        for own, probes in half_ways.items()
    }
    matches = {own: tried * plan.states[own].selectivity for own, tried in pairs.items()}
    from headwater.overload.joins import from_half_ways

    results = 10 * from_half_ways(plan, half_ways).throughput * factor
    arrivals = {stream: 10 * (rate or 0.0) for stream, rate in plan.rates.items()}
    return Sample(10.0, results, 10 * sum(half_ways.values()), arrivals, pairs, matches)


def test_what_was_expected_changes_nothing() -> None:
    loop = start(Problem(PLAN, 300.0), "optimal")
    after = step(loop, sample(loop, PLAN))
    assert (after.analyses, after.actuations) == (0, 0)
    assert after.decision is loop.decision


def test_a_change_that_pays_is_analysed_and_put_in_place() -> None:
    loop = start(Problem(PLAN, 300.0), "optimal")
    best = max(PLAN.paths, key=lambda path: path.productivity).stream
    assert best == "C"
    changed = replace(PLAN, rates={**PLAN.rates, "C": 100.0})
    after = step(loop, sample(loop, changed))
    assert (after.analyses, after.actuations) == (1, 1)
    assert after.problem.plan.rates["C"] == pytest.approx(100.0)
    by_stream = {path.stream: path.resources for path in after.decision.allocation.paths}
    assert by_stream == pytest.approx({"A": 0.0, "B": 200.0, "C": 100.0})


def test_a_change_that_does_not_pay_is_analysed_only() -> None:
    loop = start(Problem(PLAN, 300.0), "optimal")
    changed = PLAN.with_states({"AB": State(200, 0.03)})
    after = step(loop, sample(loop, changed))
    assert (after.analyses, after.actuations) == (1, 0)
    assert after.decision is loop.decision
    again = step(after, sample(after, changed))
    assert again.analyses == 1, "what is seen is now what is expected"


def test_freshness_comes_before_gain() -> None:
    # Little is gained by refreshing AB faster, but it must be: AB's productivity from B halves.
    problem = Problem(PLAN, 300.0, {"AB": 100.0})
    loop = start(problem, "optimal")
    assert loop.decision.allocation.entering["AB"] == pytest.approx(100.0)
    slower = PLAN.with_states({"A": State(1000, 0.001), "B": State(500, 0.001)})
    after = step(loop, sample(loop, slower))
    assert after.actuations == 1
    assert after.decision.allocation.entering["AB"] == pytest.approx(100.0, rel=1e-6)


def test_a_starved_direction_is_taken_to_change_as_its_sibling() -> None:
    seen = Sample(10.0, 0, 0, {}, {"C": 1e6}, {"C": 10_000})
    plan = Monitor().observe(seen).estimate(PLAN)
    assert plan.states["C"].selectivity == pytest.approx(0.01)
    assert plan.states["AB"].selectivity == pytest.approx(0.04)
    assert plan.states["A"] == PLAN.states["A"]


def test_too_few_events_change_no_estimate() -> None:
    seen = Sample(1.0, 0, 0, {"A": 10}, {"C": 100.0}, {"C": 50})
    assert Monitor().observe(seen).estimate(PLAN) == PLAN


def test_averages_run_over_the_last_samples() -> None:
    monitor = Monitor(length=3)
    for results in (10, 20, 30, 40):
        monitor = monitor.observe(Sample(2.0, results, results * 3, {}, {}, {}))
    assert monitor.throughput == pytest.approx(90 / 6)
    assert monitor.forget().throughput == pytest.approx(20.0)


def test_the_drift_threshold_follows_the_noise() -> None:
    calm, wild = Thresholds(), Thresholds()
    for _ in range(60):
        calm, wild = calm.quiet(0.002), wild.quiet(0.05)
    assert calm.drift == pytest.approx(0.01, abs=0.003)
    assert wild.drift == pytest.approx(0.15, abs=0.01)


def test_false_alarms_raise_the_drift_threshold_and_useful_ones_lower_it() -> None:
    before = Thresholds()
    alarmed = before.analysed(useful=False).analysed(useful=False)
    assert alarmed.drift > before.drift
    assert alarmed.analysed(useful=True).drift < alarmed.drift


def test_the_gain_threshold_follows_the_error_of_forecasts() -> None:
    trusted, doubted = Thresholds(), Thresholds()
    for _ in range(20):
        trusted, doubted = trusted.judged(0.2, 0.2), doubted.judged(0.4, 0.2)
    assert trusted.gain == pytest.approx(0.01)
    assert doubted.gain == pytest.approx(0.2, abs=0.01)
