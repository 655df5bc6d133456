"""All views, one more, one less: who is admitted, who pays what, and what does not change."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.model import Site
from headwater.planning.cost.costs import longest, resource_dollars
from headwater.planning.cost.pricing import carries_of
from headwater.planning.graph.graph import part_of
from headwater.planning.graph.picture import plan_svg
from headwater.planning.improve.adding import add_view, drop_view
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.relations.relations import Sharing
from support.cases import scaled
from support.planning import table1
from support.planning.plan_evaluator import check_plan
from support.planning.random_sharings import SCHEMAS, SITUATION, random_sharings


def slow(seed: int, count: int = 4) -> list[Sharing]:
    """Random views with promises that are easy to keep."""
    return [replace(sharing, freshness=timedelta(seconds=120)) for sharing in random_sharings(seed, count)]


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_the_shares_add_up_to_the_whole(seed: int) -> None:
    plan = plan_all(slow(seed), SITUATION)
    assert len(plan.sharings) == 4
    sharings = list(plan.sharings.values())
    resources = resource_dollars(plan.graph, SITUATION, carries_of(plan.graph, sharings, SITUATION))
    assert plan.resources == pytest.approx(resources.per_second * 3600)
    shares = {
        view: plan.shared[view] / (1 + plan.paths[view].seconds / sharing.freshness.total_seconds())
        for view, sharing in plan.sharings.items()
    }
    assert sum(shares.values()) == pytest.approx(plan.resources)
    assert plan.resources <= plan.resources_merged * (1 + 1e-9) <= plan.resources_alone * (1 + 1e-6)
    check_plan(plan.graph, sharings, SCHEMAS, seed)


@pytest.mark.parametrize("seed", range(scaled(10)))
def test_one_more_leaves_what_exists_as_it_is(seed: int) -> None:
    *first, last = slow(seed, 5)
    plan = plan_all(first, SITUATION)
    more = add_view(plan, last, SITUATION)
    assert more.admitted
    for edge in plan.graph.edges:
        assert edge in more.plan.graph.edges
    for sharing in first:
        assert part_of(more.plan.graph, sharing.view) == part_of(plan.graph, sharing.view)
        assert more.plan.paths[sharing.view].seconds == plan.paths[sharing.view].seconds
    assert set(more.others) == {sharing.view for sharing in first}
    paid = sum(after - before for before, after in more.others.values())
    assert more.marginal == pytest.approx(more.pays + paid)
    assert more.added.size == more.plan.graph.size - plan.graph.size
    check_plan(more.plan.graph, [*first, last], SCHEMAS, seed)
    assert (
        more.plan.resources - plan.resources
        <= more.admission.planned.price.resources.per_second * 3600 * 1.001
    )


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_a_dropped_view_gives_back_what_it_brought(seed: int) -> None:
    *first, last = slow(seed, 4)
    plan = plan_all(first, SITUATION)
    more = add_view(plan, last, SITUATION).plan
    less = drop_view(more, last.view, SITUATION)
    assert less.graph == plan.graph
    assert less.resources == pytest.approx(plan.resources)
    assert less.shared == pytest.approx(plan.shared)
    left = drop_view(less, first[0].view, SITUATION)
    assert set(left.sharings) == {sharing.view for sharing in first[1:]}
    check_plan(left.graph, first[1:], SCHEMAS, seed)


def test_a_view_that_all_others_contain_costs_next_to_nothing() -> None:
    first = list(table1.sharings()[:6])
    plan = plan_all(first, table1.situation())
    again = replace(first[1], view="again")
    more = add_view(plan, again, table1.situation())
    assert more.kind == "inserted"
    assert more.added.size == 0
    assert more.plan.resources == pytest.approx(plan.resources, rel=1e-6)
    assert more.others[first[1].view][1] < 0.75 * more.others[first[1].view][0]  # they share the cost


def test_a_promise_that_cannot_be_kept_is_refused_with_its_path() -> None:
    first = list(table1.sharings()[:4])
    situation = table1.situation()
    plan = plan_all(first, situation)
    hasty = replace(table1.sharings()[5], freshness=timedelta(milliseconds=10))
    more = add_view(plan, hasty, situation)
    assert not more.admitted
    assert more.plan.graph == plan.graph
    assert more.admission.critical_path.edges
    both = plan_all([*first, hasty], situation)
    assert not both.admissions[hasty.view].admitted
    assert set(both.sharings) == set(plan.sharings)
    assert both.graph == plan.graph


def test_a_view_without_room_for_its_own_plan_may_fit_beside_the_others() -> None:
    situation = table1.situation()
    first = list(table1.sharings()[:4])
    plan = plan_all(first, situation)
    again = replace(first[3], view="again")
    loads = resource_dollars(plan.graph, situation, carries_of(plan.graph, first, situation)).loads
    full = {
        name: Site(name, cores=loads[name].cores * 1.02 if name in loads else 0.0) for name in situation.sites
    }
    crowded = replace(situation, sites=full)
    assert add_view(plan, again, crowded).admitted
    other = replace(table1.sharings()[19], view="other")
    refused = add_view(plan, other, crowded)
    assert not refused.admitted
    assert "no room" in refused.admission.reason
    assert "cores" in refused.admission.reason


def test_a_view_of_the_same_name_is_replaced() -> None:
    first = slow(3, 3)
    plan = plan_all(first, SITUATION)
    changed = replace(slow(4, 1)[0], view=first[0].view)
    more = add_view(plan, changed, SITUATION)
    assert more.plan.sharings[first[0].view] == changed
    check_plan(more.plan.graph, [changed, *first[1:]], SCHEMAS, 3)


def test_nobody_asks() -> None:
    plan = plan_all([], SITUATION)
    assert plan == GlobalPlan({}, {})
    assert plan.tightest is None
    assert plan.saved == 0.0
    sharing = slow(1, 1)[0]
    assert add_view(plan, sharing, SITUATION).plan.shared.keys() == {sharing.view}


def test_the_plan_can_be_drawn_with_its_tightest_view() -> None:
    plan = plan_all(list(table1.sharings()[:5]), table1.situation())
    assert plan.tightest is not None
    path = plan.paths[plan.tightest]
    again = longest(part_of(plan.graph, plan.tightest), 0.8 * 45, table1.situation())
    assert path == again
    svg = plan_svg("Table 1", plan.graph, plan.results(), path.edges)
    assert svg.count("S1") >= 1
