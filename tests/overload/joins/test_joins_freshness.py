"""Lemmas 1 and 2, refresh rates from tolerances, and what happens when they cannot be kept."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.overload.joins import (
    JoinPlan,
    Problem,
    State,
    bushy,
    cover_of,
    decide,
    holds_lemma_1,
    linear,
    refresh_rates,
    report,
    saturation,
    staleness_bound,
)
from headwater.overload.joins.policies.best_effort import best_effort
from headwater.overload.joins.policies.freshness import unreachable_tolerances
from support.cases import law
from support.overload.join_plans import plans

quick = law(25)


@st.composite
def tolerances(draw: st.DrawFn, plan: JoinPlan) -> dict[str, float]:
    return {
        stream: plan.window(stream) * draw(st.floats(1.2, 20.0)) + 0.1
        for stream in plan.streams
        if draw(st.booleans())
    }


@quick
@given(st.data(), plans(least=3))
def test_lemma_1_holds_along_each_path_at_the_refresh_rates(data: st.DataObject, plan: JoinPlan) -> None:
    tolerance = data.draw(tolerances(plan))
    assume(not unreachable_tolerances(plan, tolerance))
    rates = refresh_rates(plan, tolerance)
    assert holds_lemma_1(plan, tolerance, rates)
    for stream, seconds in tolerance.items():
        path = next(path for path in plan.paths if path.stream == stream)
        waits = [plan.states[hop.own].size / rates[hop.own] for hop in path.hops[1:]]
        assert plan.window(stream) + sum(waits) <= seconds * (1 + 1e-9)


@quick
@given(st.data(), plans(least=3))
def test_no_refresh_rate_is_higher_than_some_stream_needs(data: st.DataObject, plan: JoinPlan) -> None:
    tolerance = data.draw(tolerances(plan))
    assume(not unreachable_tolerances(plan, tolerance))
    rates = refresh_rates(plan, tolerance)
    for state, rate in rates.items():
        lowered = {**rates, state: rate * 0.99}
        assert not holds_lemma_1(plan, tolerance, lowered), state


@quick
@given(st.data(), plans(least=4), st.lists(st.floats(0.3, 3.0), min_size=6, max_size=6))
def test_no_other_division_of_the_tolerance_is_cheaper(
    data: st.DataObject, plan: JoinPlan, bend: list[float]
) -> None:
    tolerance = data.draw(tolerances(plan))
    assume(tolerance and not unreachable_tolerances(plan, tolerance))
    rates = refresh_rates(plan, tolerance)
    best = cover_of(Problem(plan, 1e15, rates))
    other = {state: rate * bend[index % 6] for index, (state, rate) in enumerate(rates.items())}
    # Lift the other division until it keeps every tolerance, as it must.
    for _ in range(200):
        if holds_lemma_1(plan, tolerance, other):
            break
        other = {state: rate * 1.05 for state, rate in other.items()}
    cover = cover_of(Problem(plan, 1e15, other))
    assume(cover.shortage is None and best.shortage is None)
    assert best.total <= cover.total * (1 + 1e-5)


@quick
@given(st.data(), plans(least=3), st.floats(0.05, 1.0))
def test_a_feasible_decision_keeps_lemma_1(data: st.DataObject, plan: JoinPlan, share: float) -> None:
    tolerance = data.draw(tolerances(plan))
    resources = min(saturation(plan)[0], 1e6) * share
    for policy in ("optimal", "jaqpot"):
        decision = decide(Problem(plan, resources, tolerance=tolerance), policy)
        if decision.feasible:
            assert holds_lemma_1(
                plan, tolerance, {k: v * (1 + 1e-7) for k, v in decision.allocation.entering.items()}
            )


def three_way(rate: float = 100.0) -> JoinPlan:
    states = {"A": State(200, 0.01), "B": State(200, 0.01), "AB": State(300, 0.01), "C": State(100, 0.02)}
    return JoinPlan(linear("A", "B", "C"), {"A": rate, "B": rate, "C": rate}, states)


def test_one_state_above_gives_its_rate_at_once() -> None:
    # 200 tuples at 100 a second wait 2 s; a tolerance of 5 s leaves 3 s for the 300 tuples of AB.
    assert refresh_rates(three_way(), {"A": 5.0}) == pytest.approx({"AB": 100.0})
    assert staleness_bound(three_way(), "A", {"AB": 100.0}) == pytest.approx(5.0)


def test_the_strictest_stream_decides() -> None:
    assert refresh_rates(three_way(), {"A": 5.0, "B": 3.0})["AB"] == pytest.approx(300.0)


def test_a_stream_above_which_no_state_lies_needs_nothing() -> None:
    assert refresh_rates(three_way(), {"C": 1.0}) == {}
    assert decide(Problem(three_way(), 50.0, tolerance={"C": 1.0}), "optimal").feasible


def test_refresh_and_tolerance_of_one_state_the_stricter_holds() -> None:
    plan = three_way()
    assert Problem(plan, 1.0, {"AB": 150.0}, {"A": 5.0}).needed == pytest.approx({"AB": 150.0})
    assert Problem(plan, 1.0, {"AB": 50.0}, {"A": 5.0}).needed == pytest.approx({"AB": 100.0})


def test_too_little_cpu_names_the_tolerance_and_what_would_do() -> None:
    problem = Problem(three_way(), 50.0, tolerance={"A": 5.0, "B": 9.0})
    decision = decide(problem, "optimal")
    assert not decision.feasible
    assert decision.shortage is not None
    assert decision.shortage.states == ("AB",)
    assert decision.shortage.tolerances == ("A",)
    # 100 ab a second take 50 a (or b) and 100 ab.
    assert decision.shortage.resources_needed == pytest.approx(150.0)
    assert decision.shortage.more_resources == pytest.approx(100.0)
    assert "100 more than there are" in decision.shortage.message
    assert decide(replace(problem, resources=150.0), "optimal").feasible


def test_too_few_arrivals_are_beyond_any_cpu() -> None:
    # 20 a second fill AB with 80 at most; a window of 10 s and a tolerance of 11 s ask for 300.
    decision = decide(Problem(three_way(20.0), 1e9, tolerance={"A": 11.0}), "optimal")
    assert not decision.feasible
    assert decision.shortage is not None
    assert decision.shortage.more_resources is None
    assert decision.shortage.tolerances == ("A",)
    assert "any resources" in decision.shortage.message


def test_a_tolerance_equal_to_the_window_cannot_be_kept_by_an_intermediate_state() -> None:
    problem = Problem(three_way(), 1e9, tolerance={"A": 2.0})
    assert problem.needed["AB"] == math.inf
    for policy in ("optimal", "jaqpot"):
        answer = report(problem, decide(problem, policy))
        assert not answer["feasible"]
        assert answer["states"] == [{"name": "AB", "refresh_needed": None, "refresh_given": 0.0}]
        assert answer["infeasible"]["tolerances"] == ["A"]


def test_a_refresh_rate_of_a_stream_is_met_by_its_arrivals_or_not_at_all() -> None:
    assert decide(Problem(three_way(), 100.0, {"A": 100.0}), "optimal").feasible
    for policy in ("optimal", "jaqpot", "equal"):
        decision = decide(Problem(three_way(), 100.0, {"A": 101.0}), policy)
        assert not decision.feasible
        assert decision.shortage is not None
        assert decision.shortage.states == ("A",)


def test_a_policy_that_ignores_freshness_is_said_to_fail_and_what_would_not() -> None:
    problem = Problem(three_way(), 160.0, {"AB": 100.0})
    answer = report(problem, decide(problem, "grepp"))
    decided = report(problem, decide(problem, "optimal"))
    assert decided["feasible"]
    if not answer["feasible"]:
        assert answer["infeasible"]["more_resources"] == 0.0
        assert answer["infeasible"]["states"] == ["AB"]
    # C alone would be the most productive path of a plan with a large AB, and starves it.
    states = {"A": State(200, 0.01), "B": State(200, 0.01), "AB": State(3000, 0.01), "C": State(100, 0.02)}
    starving = Problem(
        JoinPlan(linear("A", "B", "C"), {"A": 90, "B": 90, "C": 500}, states), 300.0, {"AB": 50.0}
    )
    answer = report(starving, decide(starving, "grepp"))
    assert not answer["feasible"]
    assert answer["infeasible"]["states"] == ["AB"]
    assert "does not look at freshness" in answer["infeasible"]["message"]


def test_best_effort_gives_up_a_state_and_stops_probing_it() -> None:
    states = {own: State(100, 0.02) for own in ("A", "B", "C", "D")}
    states |= {"AB": State(4000, 0.0005), "CD": State(100, 0.02)}
    plan = JoinPlan(bushy(*"ABCD"), dict.fromkeys("ABCD", 100.0), states)
    problem = Problem(plan, 300.0, tolerance=dict.fromkeys("ABCD", 2.0))
    assert not decide(problem, "optimal").feasible
    effort = best_effort(problem)
    assert effort.given_up == ("AB",)
    by_stream = {path.stream: path.allowances for path in effort.allocation.paths}
    # C and D still refresh CD, but none of their tuples probes AB; A and B probe CD.
    assert by_stream["C"][1] == by_stream["D"][1] == 0.0
    assert by_stream["A"][1] + by_stream["B"][1] > 0.0
    assert effort.allocation.entering["CD"] >= 100.0 * (1 - 1e-9)
    assert effort.allocation.resources <= 300.0 * (1 + 1e-9)
    assert effort.allocation.throughput > 0.0


def test_best_effort_of_a_linear_plan_keeps_the_paths_that_probe_streams_only() -> None:
    states = {own: State(100, 0.02) for own in ("A", "B", "C", "AB")}
    plan = JoinPlan(linear("A", "B", "C"), dict.fromkeys("ABC", 100.0), states)
    problem = Problem(plan, 50.0, refresh={"AB": 390.0})
    effort = best_effort(problem)
    assert effort.given_up == ("AB",)
    # a or b: one probe, two ab, two probes, four results: 50 probes give 16.7 * 4.
    assert effort.allocation.throughput == pytest.approx(50 / 3 * 4)
