"""The paper's 25 sharings on six sites: what merging, climbing and looking further save (Figures 12 and 13)."""

from __future__ import annotations

import pytest
import table1

from headwater.sharing.global_plan import GlobalPlan, plan_all
from headwater.sharing.graph import incoming, topological
from headwater.sharing.plumbing import Plumbed, climb, merge
from headwater.sharing.search import Aim, Planned, search

SITUATION = table1.situation()
SHARINGS = table1.sharings()


@pytest.fixture(scope="module", params=list(Aim), ids=lambda by: by.value)
def climbed(request: pytest.FixtureRequest) -> tuple[list[Planned], Plumbed]:
    plans = [search(one, SITUATION, request.param) for one in SHARINGS]
    return plans, climb(merge(one.graph for one in plans), SHARINGS, SITUATION)


def test_climbing_removes_80_vertices_and_edges(climbed: tuple[list[Planned], Plumbed]) -> None:
    _, found = climbed
    assert found.before.size - found.graph.size >= 80
    assert sum(one.vertices_removed + one.edges_removed for one in found.steps) == (
        found.before.size - found.graph.size
    )
    assert all(len(edges) == 1 for edges in incoming(found.graph).values())
    topological(found.graph)


def test_climbing_saves_35_percent_of_what_the_plans_cost_by_themselves(
    climbed: tuple[list[Planned], Plumbed],
) -> None:
    plans, found = climbed
    alone = sum(one.price.resources.per_second for one in plans) * 3600
    assert found.dollars_after <= 0.65 * alone
    assert (
        found.dollars_after <= 0.75 * found.dollars_before
    )  # equal vertices are already one before it climbs


def test_no_view_is_made_without_its_two_halves(climbed: tuple[list[Planned], Plumbed]) -> None:
    """25 different joins need 25 unions of two halves: what climbing leaves beyond that is little."""
    _, found = climbed
    kinds = [edge.kind.value for edge in found.graph.edges]
    assert 25 <= kinds.count("union") <= 30
    assert 50 <= kinds.count("join") <= 60


@pytest.fixture(scope="module")
def planned() -> GlobalPlan:
    return plan_all(SHARINGS, SITUATION)


def test_all_25_are_admitted_and_pay_less_than_alone(planned: GlobalPlan) -> None:
    assert all(one.admitted for one in planned.admissions.values())
    assert len(planned.sharings) == 25
    for view, one in planned.sharings.items():
        assert planned.paths[view].seconds <= one.freshness.total_seconds()
    cheaper = [view for view in planned.sharings if planned.shared[view] < planned.alone[view]]
    assert len(cheaper) >= 18
    assert planned.saved >= 0.45


def test_looking_further_beats_climbing(planned: GlobalPlan) -> None:
    plain = climb(planned.before, SHARINGS, SITUATION)
    assert planned.resources < plain.dollars_after * 0.98
    assert planned.before.size - planned.graph.size >= 80
    assert "replan" in [one.kind for one in planned.steps]
