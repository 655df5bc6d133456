"""The paper's 25 sharings on six sites: what merging, climbing and looking further save (Figures 12 and 13)."""

from __future__ import annotations

import pytest

from headwater.planning.graph.graph import incoming, topological, union
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.improve.plumbing import Plumbed, climb
from headwater.planning.search.search import Aim, PricedPlan, search
from support.planning import table1

pytestmark = pytest.mark.slow

SITUATION = table1.situation()
SHARINGS = table1.sharings()


@pytest.fixture(scope="module", params=list(Aim), ids=lambda by: by.value)
def climbed(request: pytest.FixtureRequest) -> tuple[list[PricedPlan], Plumbed]:
    plans = [search(sharing, SITUATION, request.param) for sharing in SHARINGS]
    return plans, climb(union(plan.graph for plan in plans), SHARINGS, SITUATION)


@pytest.mark.slow
def test_climbing_removes_80_vertices_and_edges(climbed: tuple[list[PricedPlan], Plumbed]) -> None:
    _, plumbed = climbed
    assert plumbed.before.size - plumbed.graph.size >= 80
    assert sum(step.vertices_removed + step.edges_removed for step in plumbed.steps) == (
        plumbed.before.size - plumbed.graph.size
    )
    assert all(len(edges) == 1 for edges in incoming(plumbed.graph).values())
    topological(plumbed.graph)


def test_climbing_saves_35_percent_of_what_the_plans_cost_by_themselves(
    climbed: tuple[list[PricedPlan], Plumbed],
) -> None:
    plans, plumbed = climbed
    alone = sum(plan.price.resources.per_second for plan in plans) * 3600
    assert plumbed.dollars_after <= 0.65 * alone
    assert (
        plumbed.dollars_after <= 0.75 * plumbed.dollars_before
    )  # equal vertices are already one before it climbs


def test_no_view_is_made_without_its_two_halves(climbed: tuple[list[PricedPlan], Plumbed]) -> None:
    """25 different joins need 25 unions of two halves: what climbing leaves beyond that is little."""
    _, plumbed = climbed
    kinds = [edge.kind.value for edge in plumbed.graph.edges]
    assert 25 <= kinds.count("union") <= 30
    assert 50 <= kinds.count("join") <= 60


@pytest.fixture(scope="module")
def planned() -> GlobalPlan:
    return plan_all(SHARINGS, SITUATION)


@pytest.mark.slow
def test_all_25_are_admitted_and_pay_less_than_alone(planned: GlobalPlan) -> None:
    assert all(admission.admitted for admission in planned.admissions.values())
    assert len(planned.sharings) == 25
    for view, sharing in planned.sharings.items():
        assert planned.paths[view].seconds <= sharing.freshness.total_seconds()
    cheaper = [view for view in planned.sharings if planned.shared[view] < planned.alone[view]]
    assert len(cheaper) >= 18
    assert planned.saved >= 0.45


def test_looking_further_beats_climbing(planned: GlobalPlan) -> None:
    plain = climb(planned.before, SHARINGS, SITUATION)
    assert planned.resources < plain.dollars_after * 0.98
    assert planned.before.size - planned.graph.size >= 80
    assert "replan" in [step.kind for step in planned.steps]
