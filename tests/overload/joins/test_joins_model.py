"""The model: paths, saturation, flows, costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.overload.joins import (
    POLICIES,
    JoinPlan,
    Problem,
    State,
    bushy,
    decide,
    from_half_ways,
    from_paths,
    hashed,
    linear,
    nested_loop,
    saturation,
    unit_time_cost,
)
from headwater.overload.joins.model.cost import UnitCosts
from headwater.overload.joins.model.tree import Node, name, ordered_leaves
from support.cases import law
from support.overload.join_plans import plans, trees

quick = law(30)


@quick
@given(trees(2, 12))
def test_lemma_2_k_minus_2_susceptible_states_whatever_the_shape(tree: Node) -> None:
    streams = ordered_leaves(tree)
    plan = JoinPlan(tree, dict.fromkeys(streams, 1.0), {})
    assert len(plan.susceptible) == len(streams) - 2
    assert len(set(plan.susceptible)) == len(plan.susceptible)
    assert not set(plan.susceptible) & {*streams, name(tree)}


@quick
@given(plans())
def test_every_path_ends_at_the_root_and_visits_each_partner_once(plan: JoinPlan) -> None:
    for path in plan.paths:
        assert path.hops[0].own == path.stream
        covered = set(path.stream)
        for hop in path.hops:
            assert not covered & set(hop.partner)
            covered |= set(hop.partner)
        assert covered == set(plan.root)


@quick
@given(plans(), st.floats(1.0, 1e5))
def test_a_division_adds_up_and_yields_the_path_productivity(plan: JoinPlan, resources: float) -> None:
    for path in plan.paths:
        divided = path.divide(resources)
        assert sum(divided) == pytest.approx(resources)
        assert divided[-1] * path.hops[-1].productivity == pytest.approx(resources * path.productivity)


@quick
@given(plans(uncapped=False), st.floats(0.01, 0.99))
def test_no_policy_spends_more_than_there_is_or_processes_what_did_not_arrive(
    plan: JoinPlan, share: float
) -> None:
    resources = saturation(plan)[0] * share
    for policy in POLICIES:
        allocation = decide(Problem(plan, resources), policy).allocation
        assert allocation.resources <= resources * (1 + 1e-9)
        for path, given_path in zip(plan.paths, allocation.paths, strict=True):
            assert path.rate is not None
            assert given_path.allowances[0] <= path.rate * (1 + 1e-9)
            for hop, below, above in zip(
                path.hops, given_path.allowances, given_path.allowances[1:], strict=False
            ):
                assert above <= below * hop.productivity * (1 + 1e-9)


@quick
@given(plans(uncapped=False))
def test_at_saturation_the_path_policies_reach_saturation_throughput(plan: JoinPlan) -> None:
    resources, throughput = saturation(plan)
    for policy in ("grepp", "jaqpot", "optimal"):
        assert decide(Problem(plan, resources), policy).allocation.throughput == pytest.approx(throughput)


@quick
@given(plans(uncapped=False), st.floats(0.1, 1.0))
def test_half_ways_granted_as_matched_paths_flow_the_same(plan: JoinPlan, share: float) -> None:
    matched = from_paths(plan, {path.stream: path.most * share for path in plan.paths})
    flowing = from_half_ways(plan, matched.half_ways)
    assert flowing.throughput == pytest.approx(matched.throughput)
    assert flowing.entering == pytest.approx(dict(matched.entering))


def test_a_self_join_uses_copies_with_the_same_rate() -> None:
    from headwater.overload.joins import read_problem

    problem = read_problem(
        {
            "tree": ["A", "A2"],
            "streams": {"A": {"rate": 100}, "A2": {"copy_of": "A"}},
            "states": {"A": {"size": 50, "selectivity": 0.1}},
            "resources": 10,
        }
    )
    assert problem.plan.rates == {"A": 100.0, "A2": 100.0}
    assert problem.plan.states["A2"] == problem.plan.states["A"]


def test_a_time_window_holds_rate_times_seconds() -> None:
    from headwater.overload.joins import read_problem

    problem = read_problem(
        {
            "tree": [["A", "B"], "C"],
            "streams": {"A": {"rate": 100}, "B": {"rate": 200}, "C": {"rate": 10}},
            "states": {
                "A": {"window": 2, "selectivity": 0.01},
                "B": {"size": 100, "selectivity": 0.01},
                "AB": {"window": 3, "selectivity": 0.01},
                "C": {"size": 10, "selectivity": 0.1},
            },
            "resources": 10,
        }
    )
    states = problem.plan.states
    assert states["A"].size == 200
    # 100 a * 1 + 200 b * 2 = 500 ab a second without overload, kept for 3 seconds
    assert states["AB"].size == pytest.approx(1500)
    assert problem.plan.window("A") == 2


def test_costs_of_probing_inserting_and_purging_are_apart() -> None:
    plan = JoinPlan(
        bushy("A", "B", "C"),
        {"A": 100, "B": 200, "C": None},
        {own: State(100, 0.02) for own in ("A", "B", "AB", "C")},
    )
    allocation = from_half_ways(plan, {"A": 10, "B": 0, "AB": 20, "C": 5})
    cost = unit_time_cost(plan, allocation, UnitCosts(probe=10, insert=1, purge=2))
    # probes: 10 a + 20 ab + 5 c; inserts: 100 a + 200 b + 20 ab + 5 c (c has no rate: as many as probe)
    assert (cost.probing, cost.inserting, cost.purging) == pytest.approx((350, 325, 650))
    assert cost.total == pytest.approx(1325)
    assert nested_loop(plan.states["A"]).probe == 100
    assert hashed(plan.states["A"], 50).probe == 3


def test_names_are_sorted_and_concatenated_however_the_tree_is_turned() -> None:
    assert [name(node) for node in (linear("C", "A", "B"), linear("B", "C", "A"))] == ["ABC", "ABC"]
