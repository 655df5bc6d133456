"""The bound that no plan is below, and how near the plans of the paper's 25 sharings come to it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
import table1
from random_sharings import HOMES, SITES, random_sharings

from headwater.model import Prices, Site
from headwater.sharing.bound import least_dollars
from headwater.sharing.facts import Facts
from headwater.sharing.graph import EdgeKind
from headwater.sharing.operators import OPERATORS, OperatorModel
from headwater.sharing.plumbing import climb, merge
from headwater.sharing.search import Aim, search
from headwater.sharing.situation import Situation

VALUES = {"k": 200_000.0, "a": 200_000.0, "b": 100.0}
FACTS = {name: Facts(2e5 / (at + 1), 5.0 * 2**at, distinct=VALUES) for at, name in enumerate(HOMES)}
SITUATION = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)
FREE = OperatorModel(0.0)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
@pytest.mark.parametrize("first", [0, 20])
def test_no_plan_is_below_the_bound(by: Aim, first: int) -> None:
    for seed in range(first, first + 20):
        sharings = random_sharings(seed)
        graphs = [search(one, SITUATION, by).graph for one in sharings]
        found = climb(merge(graphs), sharings, SITUATION)
        assert found.dollars_after >= least_dollars(sharings, SITUATION) * (1 - 1e-9), seed


def test_one_join_reaches_it_when_copies_and_disk_cost_nothing() -> None:
    one = next(each for each in table1.sharings() if len(each.core.inputs) == 2)
    prices = Prices(gb_transfer=Decimal(0), gb_month=Decimal(0))
    operators = OPERATORS.with_models({EdgeKind.COPY: FREE, EdgeKind.APPLY: FREE})
    situation = replace(table1.situation(prices=prices), operators=operators)
    cost = search(one, situation, Aim.DOLLARS).price.resources.per_second * 3600
    assert least_dollars([one], situation) == pytest.approx(cost)
    assert least_dollars([one, replace(one, view="again")], situation) == pytest.approx(cost)


def test_a_part_that_no_view_shows_is_paid_once() -> None:
    """Both views could be made of tweets * urls, which neither shows: half of it for each at most."""
    situation = table1.situation()
    both = [
        replace(table1.sharings()[0], view=name, core=table1.joined(names.split()))
        for name, names in (("a", "tweets urls users"), ("b", "curloc tweets urls"))
    ]
    bound = least_dollars(both, situation)
    assert bound > max(least_dollars([one], situation) for one in both)
    assert bound < sum(least_dollars([one], situation) for one in both)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
def test_the_25_sharings_are_within_a_tenth_of_it_when_the_network_is_free(by: Aim) -> None:
    situation, sharings = table1.situation(prices=Prices(gb_transfer=Decimal(0))), table1.sharings()
    plans = [search(one, situation, by).graph for one in sharings]
    found, bound = climb(merge(plans), sharings, situation), least_dollars(sharings, situation)
    assert bound <= found.dollars_after <= 1.1 * bound
