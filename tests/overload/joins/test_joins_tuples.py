"""Real tuples: counts agree with predictions, guards hold, adaptation notices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headwater.overload.joins import (
    POLICIES,
    JoinPlan,
    Problem,
    State,
    bushy,
    decide,
    linear,
    saturation,
    try_tuples,
)
from headwater.overload.joins.model.tree import Node
from headwater.overload.joins.simulation.adaptive import Phase, run_adaptive
from headwater.overload.joins.simulation.keys import DrawnKeys, Keys
from headwater.overload.joins.simulation.run import Run, poisson
from headwater.overload.joins.simulation.shelf import Batch, Shelf

pytestmark = pytest.mark.slow


def four_way(tree: Node, middle: float = 200.0) -> JoinPlan:
    inner = (
        ("AB", "ABC")
        if JoinPlan(tree, dict.fromkeys("ABCD", 1.0), {}).susceptible == ("AB", "ABC")
        else ("AB", "CD")
    )
    states = {own: State(500, 0.01) for own in "ABCD"} | {own: State(middle, 0.02) for own in inner}
    return JoinPlan(tree, {"A": 300.0, "B": 400.0, "C": 350.0, "D": 300.0}, states)


@pytest.mark.parametrize("tree", [linear(*"ABCD"), bushy(*"ABCD")], ids=["linear", "bushy"])
@pytest.mark.parametrize("policy", POLICIES)
def test_counted_and_predicted_throughput_are_within_5_percent(policy: str, tree: Node) -> None:
    plan = four_way(tree)
    problem = Problem(plan, 0.3 * saturation(plan)[0])
    trial = try_tuples(problem, decide(problem, policy), 20.0, seed=3)
    assert trial.results > 5_000
    assert abs(trial.error) < 0.05
    assert trial.probes <= problem.resources * trial.seconds * 1.01


def test_at_saturation_every_pair_in_reach_is_found() -> None:
    plan = four_way(linear(*"ABCD"))
    problem = Problem(plan, saturation(plan)[0])
    assert abs(try_tuples(problem, decide(problem, "optimal"), 20.0, seed=4).error) < 0.05


def test_time_windows_are_simulated_too() -> None:
    states = {own: State(size, 0.01, window=2.0) for own, size in (("A", 600.0), ("B", 800.0))}
    plan = JoinPlan(linear("A", "B"), {"A": 300.0, "B": 400.0}, states)
    problem = Problem(plan, 300.0)
    trial = try_tuples(problem, decide(problem, "optimal"), 30.0, seed=5)
    assert abs(trial.error) < 0.05


@pytest.mark.parametrize("multiple", [1.5, 3.0, 5.0])
@pytest.mark.parametrize("tree", [linear(*"ABCD"), bushy(*"ABCD")], ids=["linear", "bushy"])
def test_no_stale_results_where_freshness_is_guaranteed(tree: Node, multiple: float) -> None:
    plan = four_way(tree)
    tolerance = {stream: multiple * plan.window(stream) for stream in plan.streams}
    problem = Problem(plan, 0.4 * saturation(plan)[0], tolerance=tolerance)
    for policy in ("optimal", "jaqpot"):
        decision = decide(problem, policy)
        assert decision.feasible
        trial = try_tuples(problem, decision, 15.0, seed=6)
        assert trial.stale == (0,)
        assert trial.kept_back <= 0.01 * trial.results
        assert abs(trial.error) < 0.05


def test_grepp_makes_stale_results_where_optimal_makes_none() -> None:
    plan = four_way(bushy(*"ABCD"), middle=400.0)
    plan = plan.with_states({"AB": State(400, 0.05)})
    tolerance = {stream: 1.5 * plan.window(stream) for stream in plan.streams}
    problem = Problem(plan, 0.4 * saturation(plan)[0], tolerance=tolerance)
    blind = try_tuples(problem, decide(problem, "grepp"), 10.0, seed=7)
    assert blind.stale[0] > 0.1 * blind.results
    assert try_tuples(problem, decide(problem, "optimal"), 10.0, seed=7).stale == (0,)


def test_the_same_seed_counts_the_same() -> None:
    plan = four_way(bushy(*"ABCD"))
    problem = Problem(plan, 2000.0)
    decision = decide(problem, "optimal")
    assert try_tuples(problem, decision, 3.0, 9) == try_tuples(problem, decision, 3.0, 9)
    assert try_tuples(problem, decision, 3.0, 9).results != try_tuples(problem, decision, 3.0, 10).results


def test_keys_give_selectivities_that_are_not_one_over_a_whole_number() -> None:
    plan = JoinPlan(linear("A", "B"), {"A": 1.0, "B": 1.0}, {"A": State(10, 0.3), "B": State(10, 0.7)})
    keys = DrawnKeys(plan, np.random.default_rng(1))
    a, b = keys.draw("A", 4000, None), keys.draw("B", 4000, None)
    assert (a.sought[:, None] == b.stored[None, :]).mean() == pytest.approx(0.7, abs=0.02)
    assert (b.sought[:, None] == a.stored[None, :]).mean() == pytest.approx(0.3, abs=0.02)


def test_a_shelf_finds_what_a_loop_finds_and_forgets_what_leaves_the_window() -> None:
    random = np.random.default_rng(2)
    stored, sought = random.integers(0, 20, 300), random.integers(-1, 25, 50)
    spoils = random.random((300, 1)) * 10
    shelf = Shelf(State(100, 0.05), Batch(Keys(stored[:0], stored[:0]), spoils[:0]), np.zeros(0))
    shelf.insert(Batch(Keys(stored, stored), spoils), 1.0)
    assert len(shelf) == 100
    stored, spoils = stored[-100:], spoils[-100:]
    matches = shelf.probe(sought)
    assert matches.counts.tolist() == [int((stored == key).sum()) for key in sought]
    probes, matched = matches.pairs()
    assert (shelf.keys[matched] == sought[probes]).all()
    assert len(probes) == matches.total
    late = shelf.spoiled_before(matches, 5.0)[:, 0].tolist()
    assert late == [int(((stored == key) & (spoils[:, 0] < 5.0)).sum()) for key in sought]


def test_each_pair_of_an_unlimited_join_is_found_once() -> None:
    """Against a plain loop over all pairs: arrivals in one step must not meet twice or never."""
    plan = JoinPlan(
        linear("A", "B"), {"A": 40.0, "B": 40.0}, {"A": State(10_000, 0.1), "B": State(10_000, 0.1)}
    )
    random = np.random.default_rng(3)
    keys = DrawnKeys(plan, random)
    seen: dict[str, list[int]] = {"A": [], "B": []}
    arrive = poisson(plan, keys, random)

    def arrivals(stream: str, start: float, seconds: float) -> Keys:
        drawn = arrive(stream, start, seconds)
        seen[stream] += drawn.stored.tolist()
        return drawn

    none = np.zeros(0, dtype=np.int64)
    shelves = {
        own: Shelf(plan.states[own], Batch(Keys(none, none), np.zeros((0, 0))), np.zeros(0)) for own in "AB"
    }
    run = Run(plan, shelves, arrivals, keys, [], random)
    run.allow({"A": 1e9, "B": 1e9})
    run.advance(5.0, 0.5)
    expected = sum(a == b for a in seen["A"] for b in seen["B"])
    assert run.take_counts().results == expected > 0


def test_the_loop_notices_a_change_and_gains_by_it() -> None:
    plan = JoinPlan(
        bushy(*"ABCD"),
        dict.fromkeys("ABCD", 300.0),
        {own: State(500, 0.01) for own in ("A", "B", "C", "D")}
        | {own: State(500, 0.02) for own in ("AB", "CD")},
    )
    # C join D becomes six times as productive; A join B loses half.
    after = plan.with_states(
        {own: State(500, 0.06) for own in "CD"} | {own: State(500, 0.005) for own in "AB"}
    )
    problem = Problem(plan, 0.2 * saturation(plan)[0])
    phases = [Phase(0.0, plan), Phase(20.0, after)]
    adapting = run_adaptive(problem, "optimal", phases, 60.0, seed=1, period=2.0)
    still = run_adaptive(problem, "optimal", phases, 60.0, seed=1, period=2.0, adapting=False)
    assert adapting[-1].loop.actuations >= 1
    assert sum(tick.results for tick in adapting) > 1.05 * sum(tick.results for tick in still)
    before = [tick for tick in adapting if tick.at <= 20.0]
    assert before[-1].loop.actuations <= 1
    estimate = adapting[-1].loop.problem.plan.states["C"].selectivity
    assert estimate == pytest.approx(0.06, rel=0.15)


def test_without_a_change_the_loop_keeps_still() -> None:
    plan = four_way(bushy(*"ABCD"))
    problem = Problem(plan, 0.2 * saturation(plan)[0])
    ticks = run_adaptive(problem, "optimal", [Phase(0.0, plan)], 60.0, seed=2, period=2.0)
    loop = ticks[-1].loop
    # Directions of equal productivity may be swapped for nothing, but gains are not chased in noise.
    assert loop.actuations <= 2
    assert 0.01 <= loop.thresholds.drift <= 0.25
    results = [tick.results for tick in ticks]
    assert np.mean(results[-5:]) == pytest.approx(np.mean(results[:5]), rel=0.1)


def test_streams_without_a_rate_cannot_be_simulated() -> None:
    from headwater.errors import InputError

    plan = replace(four_way(linear(*"ABCD")), rates={"A": None, "B": 1.0, "C": 1.0, "D": 1.0})
    problem = Problem(plan, 10.0)
    with pytest.raises(InputError, match="has no rate"):
        try_tuples(problem, decide(problem, "optimal"), 1.0, 0)
