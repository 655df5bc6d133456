"""Critical paths, what a push carries, resources and Eq. (1), against numbers worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model import Prices, Site
from headwater.planning.cost.costs import (
    Load,
    carried,
    carried_between,
    critical_path,
    exceeded,
    longest,
    resource_dollars,
    timed,
    window,
)
from headwater.planning.cost.operators import OperatorModel, Operators
from headwater.planning.cost.price import dollars, late_share
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, graph_of, union
from headwater.planning.graph.site_relations import base
from headwater.planning.relations.relations import Relation, Sharing
from headwater.planning.search.search import search
from support.cases import law
from support.planning import table1
from support.planning.figure3 import AB, A, B, figure
from support.planning.search_cases import RANDOM, cases

# Round numbers: seconds per edge are 1 (copy), 10 + x / 4 (join by A), 2 (union), 3 (apply).
ROUND = Operators(
    {
        EdgeKind.CAPTURE: OperatorModel(0.0),
        EdgeKind.COPY: OperatorModel(1.0),
        EdgeKind.JOIN: OperatorModel(10.0, 0.0025, 0.0),
        EdgeKind.UNION: OperatorModel(2.0),
        EdgeKind.APPLY: OperatorModel(3.0),
    }
)
PRICES = Prices(core_hour=Decimal(3600), gb_transfer=Decimal(10), gb_month=Decimal(730 * 3600))
SITES = {name: Site(name, prices=PRICES) for name in ("m1", "m2", "m3")}
FACTS = {
    "A": Facts(1000.0, 100.0, bytes_per_row=1e6, keys=(("k",),)),
    "B": Facts(1000.0, 50.0, bytes_per_row=1e6, keys=(("k",),)),
}
SITUATION = Situation(SITES, FACTS, {"A": "m1", "B": "m2"}, ROUND, retention=10.0)
SHARING = Sharing("S", AB, "m3", timedelta(seconds=100))


def plan(case: str = "a") -> PlanGraph:
    return graph_of(figure(case), "S")


def test_the_critical_path_of_figure_2() -> None:
    """By A: copy 1, join 10 + 0.0025 * 100 x, copy 1, union 2, apply 3."""
    for seconds in (0.0, 1.0, 36.0):
        path = critical_path(plan(), "S", seconds, SITUATION)
        assert path.seconds == pytest.approx(17.0 + 0.25 * seconds)
    kinds = [edge.kind.value for edge in path.edges]
    assert kinds == ["capture", "copy", "join", "copy", "union", "apply"]
    assert path.edges[1].sources == (base(A, "m1").delta,)
    assert path.steps[2].tuples == 3600.0


def test_a_relation_that_the_plan_keeps_is_waited_for() -> None:
    """Both copied to m3: copy 1, apply 3, join 10 + x / 4, union 2, apply 3."""
    assert critical_path(plan("d"), "S", 5.0, SITUATION).seconds == pytest.approx(20.25)
    kinds = [edge.kind.value for edge in critical_path(plan("d"), "S", 5.0, SITUATION).edges]
    assert kinds == ["capture", "copy", "apply", "join", "union", "apply"]


def test_a_path_is_of_one_view_only() -> None:
    both = union([plan(), graph_of(figure("d"), "T")])
    assert critical_path(both, "S", 5.0, SITUATION) == critical_path(plan(), "S", 5.0, SITUATION)
    assert critical_path(both, "T", 5.0, SITUATION).seconds == pytest.approx(20.25)
    assert longest(both, 5.0, SITUATION).seconds == pytest.approx(20.25)


def test_a_join_reads_its_changes_and_the_relation_and_writes_what_comes_out() -> None:
    join = next(edge for edge in plan().edges if edge.kind is EdgeKind.JOIN)
    timing = timed(join, 2.0, SITUATION)
    assert (timing.scanned, timing.tuples) == (1200.0, 200.0)
    more = replace(SITUATION, facts={**FACTS, "B": Facts(5000.0, 50.0, distinct={"k": 1000.0})})
    assert timed(join, 2.0, more).tuples == 1000.0  # each change of A meets five rows of B


def test_an_aggregate_scans_its_groups_and_a_compute_its_input() -> None:
    operators = ROUND.with_models(
        {EdgeKind.AGGREGATE: OperatorModel(0, 0, 1.0), EdgeKind.COMPUTE: OperatorModel(0, 0, 1.0)}
    )
    situation = replace(SITUATION, operators=operators, facts={**FACTS, "V": Facts(7.0, 1.0)})
    core, view = base(A, "m1"), Relation((A,), view="V")
    target = replace(core.delta, relation=view)
    assert timed(Edge(EdgeKind.AGGREGATE, (core.delta,), target), 1.0, situation).seconds == 7.0
    assert timed(Edge(EdgeKind.COMPUTE, (core.delta, core.rows), target), 1.0, situation).seconds == 1000.0


def test_what_a_push_carries() -> None:
    """x + CP(x) = SLACK * F: with CP = 17 + x / 4 and SLACK * F = 80 that is 50.4."""
    assert window(SHARING.freshness) == 80.0
    assert carried(plan(), "S", SHARING.freshness, SITUATION) == pytest.approx(50.4)
    assert carried_between(17.0, 37.0, 80.0) == pytest.approx(50.4)


def test_a_push_begins_after_the_one_before_it() -> None:
    """CP = 30 + x / 2 of 80: lazily (80 - 30) / 1.5 = 33 s, but a push of 33 s takes 47 s; 60 carries itself."""
    assert carried_between(30.0, 70.0, 80.0) == pytest.approx(60.0)
    assert carried_between(79.0, 400.0, 80.0) == 80.0  # hopeless: as much as there is


@law(100)
@given(st.floats(0.0, 50.0), st.floats(0.0, 0.9), st.floats(0.1, 100.0))
def test_a_carried_push_ends_in_time_or_follows_at_once(fixed: float, slope: float, whole: float) -> None:
    seconds = carried_between(fixed, fixed + slope * whole, whole)
    path = fixed + slope * seconds
    assert seconds + path == pytest.approx(whole) or seconds == pytest.approx(min(max(path, 0.001), whole))


def test_cpu_network_and_disk_of_figure_2() -> None:
    """At x = 10: CPU 4 copies, 2 joins of 12.5 and 11.25 s, 2, 3; a core second and a GB second cost 1 dollar."""
    resources = resource_dollars(plan(), SITUATION, {"S": 10.0})
    cpu = (4 * 1 + 12.5 + 11.25 + 2 + 3) / 10
    network = (100 * 1e6 + 50 * 1e6 + 100 * 2e6 + 50 * 2e6) / 1e9 * 10
    assert sum(resources.edges.values()) == pytest.approx(cpu + network)
    deltas = (100 + 50) * 10 * 1e6 / 1e9 + 2 * (100 + 50) * 10 * 2e6 / 1e9 + 150 * 10 * 2e6 / 1e9
    rows = 1000 * 2e6 / 1e9
    assert sum(resources.vertices.values()) == pytest.approx(deltas + rows)
    assert resources.per_second == pytest.approx(cpu + network + deltas + rows)
    assert resources.loads["m3"].cores == pytest.approx((1 + 1 + 2 + 3) / 10)
    assert resources.loads["m3"].gb == pytest.approx(3.0 + 3.0 + rows)
    assert resources.loads["m1"].cores == pytest.approx((1 + 11.25) / 10)


def test_sources_cost_no_disk_but_their_copies_do() -> None:
    resources = resource_dollars(plan("d"), SITUATION, {"S": 10.0})
    assert resources.vertices[base(A, "m1").rows] == resources.vertices[base(A, "m1").delta] == 0.0
    copy = replace(base(A, "m1").rows, site="m3")
    assert resources.vertices[copy] == pytest.approx(1.0)


def test_a_shared_edge_is_pushed_for_the_most_impatient_and_paid_in_equal_parts() -> None:
    both = union([plan(), graph_of(figure("a"), "T")])
    alone, shared = (resource_dollars(graph, SITUATION, {"S": 10.0, "T": 5.0}) for graph in (plan(), both))
    quick = resource_dollars(plan(), SITUATION, {"S": 5.0})
    assert shared.per_second == pytest.approx(quick.per_second)
    assert shared.per_second > alone.per_second
    assert shared.split(both) == {
        "S": pytest.approx(quick.per_second / 2),
        "T": pytest.approx(quick.per_second / 2),
    }


@RANDOM
@given(cases())
def test_shares_add_up(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    graph = search(sharing, situation).graph
    other = replace(sharing, view="W", tail="")
    both = union([graph, search(other, situation).graph])
    resources = resource_dollars(both, situation, {"V": 10.0, "W": 20.0})
    assert sum(resources.split(both).values()) == pytest.approx(resources.per_second)
    alone = resource_dollars(graph, situation, {"V": 10.0}).per_second
    assert resources.split(both)["V"] <= alone * (1 + 1e-9)


def test_eq_1() -> None:
    price = dollars(plan(), SHARING, SITUATION)
    assert price.path.seconds == pytest.approx(37.0)
    assert price.carries == pytest.approx(50.4)
    resources = resource_dollars(plan(), SITUATION, {"S": 50.4}).per_second
    assert price.per_second == pytest.approx(resources * 1.37)
    assert price.per_hour == pytest.approx(price.per_second * 3600)


def test_the_penalty_term_is_that_of_an_m_m_1_queue() -> None:
    """150 tuples a second; the slow join needs 90 s for the changes of 80 s, so mu is below lambda."""
    late = replace(SHARING, penalty=Decimal("0.001"))
    slow = replace(SITUATION, operators=ROUND.with_models({EdgeKind.JOIN: OperatorModel(10.0, 0.01)}))
    price = dollars(plan(), late, slow)
    assert price.carries == 80.0
    assert price.penalty == pytest.approx(150 * 1.0 * 0.001)
    assert price.per_second == pytest.approx(dollars(plan(), SHARING, slow).per_second + 0.15)
    assert dollars(plan(), late, SITUATION).penalty == pytest.approx(0.0)
    assert late_share(10.0, 100.0, 9.0, 2.0) == pytest.approx(math.exp((10.0 - 100.0 / 9.0) * 2.0))
    assert late_share(10.0, 100.0, 20.0, 2.0) == 1.0
    assert late_share(0.0, 0.0, 9.0, 2.0) == late_share(10.0, 100.0, 0.0, 2.0) == 0.0


def test_late_tuples_grow_rarer_with_freshness() -> None:
    shares = [late_share(10.0, 100.0, 9.0, freshness) for freshness in (0.1, 1.0, 10.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] > 0


def test_a_capacity_that_is_exceeded_costs_infinitely_much() -> None:
    small = replace(SITUATION, sites={**SITES, "m3": replace(SITES["m3"], cores=0.1, gb=5.0)})
    price = dollars(plan(), SHARING, small)
    assert price.per_second == price.per_hour == math.inf
    assert price.lacking == ("site m3 would need 0.14 cores and has 0.1", "site m3 would need 8 GB and has 5")


def test_what_others_have_taken_counts_where_the_plan_needs_more() -> None:
    limited = replace(SITUATION, sites={name: replace(site, cores=2.0) for name, site in SITES.items()})
    loads = {"m1": Load(1.0, 0.0)}
    assert exceeded(loads, {}, limited) == ()
    assert exceeded(loads, {"m1": Load(1.5)}, limited) == ("site m1 would need 2.50 cores and has 2",)
    assert exceeded(loads, {"m2": Load(9.0)}, limited) == ()  # full, but not of our making


def test_the_papers_prices_are_the_defaults() -> None:
    prices = Prices()
    assert prices.core_hour * 2 == Decimal("0.34")  # a large instance has two cores
    assert (prices.gb_transfer, prices.gb_month) == (Decimal("0.01"), Decimal("0.11"))


@pytest.mark.parametrize("rate", [50.0, 1000.0, 6000.0])
def test_dollars_grow_with_the_rate(rate: float) -> None:
    sharing = table1.sharings()[4]
    slow, fast = (search(sharing, table1.situation(changes)).dollars for changes in (rate, rate * 2))
    assert slow < fast


def test_a_longer_promise_is_cheaper() -> None:
    prices = [
        search(table1.sharings(seconds)[4], table1.situation()).dollars for seconds in (5.0, 20.0, 60.0)
    ]
    assert prices == sorted(prices, reverse=True)
    assert prices[0] > prices[-1]


def test_the_second_side_is_priced_alike() -> None:
    swapped = Situation(
        SITES, {"A": FACTS["B"], "B": FACTS["A"]}, {"A": "m2", "B": "m1"}, ROUND, retention=10.0
    )
    other = replace(SHARING, core=Relation((A, B), (("A.k", "B.k"),)))
    assert search(other, swapped).dollars == pytest.approx(search(SHARING, SITUATION).dollars)
