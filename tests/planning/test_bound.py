"""The bound that no plan is below, and how near the plans of the paper's 25 sharings come to it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from headwater.model import Prices, Site
from headwater.planning.cost.bound import least_dollars
from headwater.planning.cost.operators import OPERATORS, OperatorModel
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import EdgeKind, union
from headwater.planning.improve.plumbing import climb
from headwater.planning.search.search import Aim, search
from support.planning import table1
from support.planning.random_sharings import HOMES, SITES, random_sharings

pytestmark = pytest.mark.slow

VALUES = {"k": 200_000.0, "a": 200_000.0, "b": 100.0}
FACTS = {name: Facts(2e5 / (at + 1), 5.0 * 2**at, distinct=VALUES) for at, name in enumerate(HOMES)}
SITUATION = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)
FREE = OperatorModel(0.0)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
@pytest.mark.parametrize("first", [0, 20])
def test_no_plan_is_below_the_bound(by: Aim, first: int) -> None:
    for seed in range(first, first + 20):
        sharings = random_sharings(seed)
        graphs = [search(sharing, SITUATION, by).graph for sharing in sharings]
        plumbed = climb(union(graphs), sharings, SITUATION)
        assert plumbed.dollars_after >= least_dollars(sharings, SITUATION) * (1 - 1e-9), seed


def test_one_join_reaches_it_when_copies_and_disk_cost_nothing() -> None:
    sharing = next(sharing for sharing in table1.sharings() if len(sharing.core.inputs) == 2)
    prices = Prices(gb_transfer=Decimal(0), gb_month=Decimal(0))
    operators = OPERATORS.with_models({EdgeKind.COPY: FREE, EdgeKind.APPLY: FREE})
    situation = replace(table1.situation(prices=prices), operators=operators)
    cost = search(sharing, situation, Aim.DOLLARS).price.resources.per_second * 3600
    assert least_dollars([sharing], situation) == pytest.approx(cost)
    assert least_dollars([sharing, replace(sharing, view="again")], situation) == pytest.approx(cost)


def test_a_part_that_no_view_shows_is_paid_once() -> None:
    """Both views could be made of tweets * urls, which neither shows: half of it for each at most."""
    situation = table1.situation()
    both = [
        replace(table1.sharings()[0], view=name, core=table1.joined(names.split()))
        for name, names in (("a", "tweets urls users"), ("b", "curloc tweets urls"))
    ]
    bound = least_dollars(both, situation)
    assert bound > max(least_dollars([sharing], situation) for sharing in both)
    assert bound < sum(least_dollars([sharing], situation) for sharing in both)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
def test_the_25_sharings_are_within_a_tenth_of_it_when_the_network_is_free(by: Aim) -> None:
    situation, sharings = table1.situation(prices=Prices(gb_transfer=Decimal(0))), table1.sharings()
    plans = [search(sharing, situation, by).graph for sharing in sharings]
    plumbed, bound = climb(union(plans), sharings, situation), least_dollars(sharings, situation)
    assert bound <= plumbed.dollars_after <= 1.1 * bound
