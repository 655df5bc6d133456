"""What pushes show of an adapted join, and when that changes who probes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from headwater.overload.joins.adaptation.allowances import allowances, assumed, at_rates, share_of_matches
from headwater.overload.joins.adaptation.learn import Analysis, Learnt, PathSample, Seen, learn
from headwater.overload.joins.model.join_plan import JoinPlan

WINDOW, SECONDS = 60.0, 10.0
NAMES = {"A": "nyc", "B": "tokyo", "C": "london"}
ARRIVED = {"nyc": 3_000, "tokyo": 500, "london": 1_500}
RATES = {stream: rows / SECONDS for stream, rows in ARRIVED.items()}


def world(**selectivities: float) -> JoinPlan:
    """How the streams really are."""
    plan = assumed(RATES, WINDOW, 1.0)
    states = {own: replace(state, selectivity=selectivities[own]) for own, state in plan.states.items()}
    return at_rates(plan.with_states(states), RATES, WINDOW)


def sample(truth: JoinPlan, chance: random.Random | None = None, rows: int = 400) -> dict[str, PathSample]:
    """Rows followed along their paths; with chance, as many as a sample would show."""
    samples = {}
    for path in truth.paths:
        after = [rows * each for each in path.cardinalities]
        if chance is not None:
            after = [max(0.0, chance.gauss(mean, mean**0.5)) for mean in after]
        samples[NAMES[path.stream]] = PathSample(rows, tuple(after))
    return samples


def seen(truth: JoinPlan, learnt: Learnt, probes: float | None, chance: random.Random | None = None) -> Seen:
    plan = learnt.believed(RATES, WINDOW)
    probed = ARRIVED if probes is None else allowances(plan, ARRIVED, SECONDS, probes * SECONDS, "optimal")
    return Seen(1, SECONDS, ARRIVED, probed, sample(truth, chance), probes is not None)


def push(
    learnt: Learnt, truth: JoinPlan, probes: float | None, chance: random.Random | None = None
) -> tuple[Learnt, Analysis | None]:
    return learn(learnt, seen(truth, learnt, probes, chance), WINDOW, "optimal", NAMES)


FIRST = {"A": 1e-5, "B": 4e-4, "C": 5e-5, "AB": 8e-9}
THEN = {"A": 8e-4, "B": 2e-5, "C": 5e-5, "AB": 4e-10}


def results(truth: JoinPlan, believed: JoinPlan, probes: float) -> float:
    granted = allowances(believed, ARRIVED, SECONDS, probes * SECONDS, "optimal")
    return sum(path.cardinalities[-1] * granted[NAMES[path.stream]] for path in truth.paths)


def test_the_first_measurements_are_taken_over() -> None:
    truth = world(**FIRST)
    learnt, analysis = push(Learnt(), truth, None)
    assert analysis is not None
    assert analysis.taken
    assert "measured for the first time" in analysis.reason
    for own, state in truth.states.items():
        believed = learnt.believed(RATES, WINDOW).states[own]
        assert believed.productivity == pytest.approx(state.productivity, rel=1e-6)
    assert push(learnt, truth, None)[1] is None  # and nothing has to be decided any more


def test_selectivities_that_change_lead_to_other_allowances_within_three_pushes() -> None:
    """As in Figure 6: back within a tenth of the new optimum."""
    chance, probes = random.Random(1), 150.0
    before, after = world(**FIRST), world(**THEN)
    learnt = Learnt()
    for _ in range(6):
        learnt, _ = push(learnt, before, probes, chance)
    assert results(before, learnt.believed(RATES, WINDOW), probes) >= 0.9 * results(before, before, probes)
    assert results(after, learnt.believed(RATES, WINDOW), probes) < 0.7 * results(
        after, after, probes
    )  # it would matter
    analyses = []
    for _ in range(3):
        learnt, analysis = push(learnt, after, probes, chance)
        analyses.append(analysis)
    assert results(after, learnt.believed(RATES, WINDOW), probes) >= 0.9 * results(after, after, probes)
    taken = [analysis for analysis in analyses if analysis is not None and analysis.taken]
    assert taken
    assert taken[0].gain is not None
    assert taken[0].gain > 0.05
    assert "gain" in taken[0].reason


def test_a_change_that_would_gain_nothing_is_analysed_and_left() -> None:
    """The join above finds a little more: who should probe stays the same."""
    truth = world(**FIRST)
    learnt, _ = push(Learnt(), truth, 20.0)
    twice = at_rates(truth, RATES, WINDOW)
    twice = twice.with_states(
        {"C": replace(twice.states["C"], selectivity=twice.states["C"].selectivity * 1.3)}
    )
    after, analysis = push(learnt, twice, 20.0)
    assert analysis is not None
    assert not analysis.taken
    assert "kept" in analysis.reason
    assert after.plan == learnt.plan
    assert push(after, twice, 20.0)[1] is None  # it is not analysed again and again


def test_noise_raises_the_threshold_and_is_not_acted_upon() -> None:
    chance, truth = random.Random(2), world(**FIRST)
    learnt = Learnt()
    analyses = 0
    for turn in range(60):
        learnt, analysis = push(learnt, truth, 150.0, chance)
        analyses += turn > 20 and analysis is not None
    assert analyses < 12
    assert results(truth, learnt.believed(RATES, WINDOW), 150.0) >= 0.9 * results(truth, truth, 150.0)


def test_few_rows_say_nothing() -> None:
    learnt, truth = Learnt(), world(**FIRST)
    few = replace(seen(truth, learnt, None), samples=sample(world(**dict.fromkeys(FIRST, 1e-7)), rows=3))
    after, analysis = learn(learnt, few, WINDOW, "optimal", NAMES)
    assert analysis is None
    assert after.plan == learnt.plan


def test_a_join_that_finds_nothing_any_more_is_noticed() -> None:
    learnt, _ = push(Learnt(), world(**FIRST), None)
    none = {"A": 1e-12, "B": 1e-12, "C": 5e-5, "AB": 1e-15}
    after, analysis = push(learnt, world(**none), 150.0)
    assert analysis is not None
    assert after.analysed is not None
    assert after.analysed.states["B"].selectivity < FIRST["B"] / 50


def test_rates_need_no_memory() -> None:
    """Allowances follow the rows that came, with the selectivities that are known."""
    learnt, _ = push(Learnt(), world(**FIRST), None)
    arrived = {"nyc": 100, "tokyo": 5_000, "london": 100}
    plan = learnt.believed({stream: rows / SECONDS for stream, rows in arrived.items()}, WINDOW)
    granted = allowances(plan, arrived, SECONDS, 500, "optimal")
    assert granted != allowances(learnt.believed(RATES, WINDOW), ARRIVED, SECONDS, 500, "optimal")
    assert 0 < share_of_matches(arrived, granted) < 1


def test_while_a_load_rises_rows_find_less_and_selectivities_are_the_same() -> None:
    """Windows are half full: a row of three streams finds a quarter of what it will."""
    truth = world(**{own: 30 * selectivity for own, selectivity in FIRST.items()})
    half = {stream: RATES[stream] * WINDOW / 2 for stream in ARRIVED}
    samples = {
        stream: replace(found, present=half[stream])
        for stream, found in sample(at_rates(truth, RATES, WINDOW, half)).items()
    }
    rising = Seen(1, SECONDS, ARRIVED, ARRIVED, samples, limited=False)
    learnt, _ = learn(Learnt(), rising, WINDOW, "optimal", NAMES)
    full, risen = learnt.expected(RATES, WINDOW), learnt.expected(RATES, WINDOW, half)
    for path, then, now in zip(truth.paths, full.paths, risen.paths, strict=True):
        assert then.cardinalities[-1] == pytest.approx(path.cardinalities[-1])
        assert now.cardinalities[-1] == pytest.approx(path.cardinalities[-1] / 4)
