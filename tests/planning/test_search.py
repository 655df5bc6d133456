"""The search against exhaustive enumeration, the graphs it builds, and Table 1."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given

from headwater.algebra.expressions.tree import Column, Literal, call
from headwater.errors import InputError
from headwater.model import Prices, Site
from headwater.planning.cost.costs import Load, longest, resource_dollars, window
from headwater.planning.cost.operators import OPERATORS
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.build import build
from headwater.planning.graph.graph import EdgeKind, result_vertex, sources_of, topological, trim
from headwater.planning.relations.relations import Input, Relation, Sharing
from headwater.planning.search.exhaustive import all_plans, all_sequences
from headwater.planning.search.search import Aim, PricedPlan, frontier, search
from headwater.planning.search.states import Label, States, thin
from support.cases import law, scaled
from support.planning import table1
from support.planning.plan_evaluator import check_plan
from support.planning.random_sharings import HOMES, SCHEMAS, random_sharings
from support.planning.search_cases import RANDOM, SITES, cases


def additive(planned: PricedPlan, sharing: Sharing, situation: Situation) -> float:
    """Resource dollars at the seconds of changes that the search reckons with."""
    return resource_dollars(planned.graph, situation, {"V": window(sharing.freshness)}).per_second


@RANDOM
@given(cases())
def test_time_and_the_additive_part_of_dollars_are_exact_and_eq_1_nearly(
    case: tuple[Sharing, Situation],
) -> None:
    """Eq. (1) multiplies dollars by 1 + CP / s, so it is not additive: there the search may miss a little.

    Of 300 random cases 7 did, by 5.3 % at most, all with promises of about two critical paths: there a slower
    plan is pushed less often.
    """
    sharing, situation = case
    plans = list(all_plans(sharing, situation))
    fastest = search(sharing, situation, Aim.TIME)
    assert fastest.critical_path.seconds == pytest.approx(min(plan.critical_path.seconds for plan in plans))
    expected = min(additive(plan, sharing, situation) for plan in plans)
    assert additive(frontier(sharing, situation)[0], sharing, situation) == pytest.approx(expected)
    best = min(plan.price.per_second for plan in plans)
    assert best * (1 - 1e-9) <= search(sharing, situation).price.per_second <= best * 1.1


@law(3)
@given(cases(inputs=4))
def test_four_inputs_are_exact_in_time(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    situation = replace(situation, sites={name: situation.sites[name] for name in SITES[:2]}, homes={
        name: SITES[at % 2] for at, name in enumerate(situation.facts)
    })  # fmt: skip
    sharing = replace(sharing, site="m1")
    seconds = window(sharing.freshness)
    plans = (build(sharing, steps, situation) for steps in all_sequences(sharing, situation))
    expected = min(longest(graph, seconds, situation).seconds for graph in plans)
    assert search(sharing, situation, Aim.TIME).critical_path.seconds == pytest.approx(expected)


@RANDOM
@given(cases(inputs=4))
def test_what_the_search_adds_up_is_what_the_graph_costs(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    labels = States(sharing, situation, {}, 5).run()
    plans = frontier(sharing, situation, width=5)
    last = [
        (additive(plan, sharing, situation) - label.dollars, plan.critical_path.seconds - label.time)
        for label, plan in zip(labels, plans, strict=True)
    ]
    assert last
    for dollars, seconds in last:  # what the view does last is the same for all
        assert dollars == pytest.approx(last[0][0], rel=1e-6)
        assert seconds == pytest.approx(last[0][1])


@RANDOM
@given(cases(limited=True))
def test_capacity_is_kept_and_nothing_feasible_is_invented(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    best = search(sharing, situation)
    feasible = [plan for plan in all_plans(sharing, situation) if not plan.price.lacking]
    if not feasible:
        assert best.price.lacking
        assert best.dollars == float("inf")
    if not best.price.lacking:
        assert best.price.per_second <= 1.5 * min(plan.price.per_second for plan in feasible)


@RANDOM
@given(cases())
def test_plans_are_whole_and_waste_nothing(case: tuple[Sharing, Situation]) -> None:
    sharing, situation = case
    for plan in frontier(sharing, situation):
        result = result_vertex(plan.graph, "V")
        assert (result.relation, result.site) == (sharing.result, sharing.site)
        assert {
            edge.kind
            for edge in plan.graph.edges
            if edge.target.delta and edge.sources[0] in sources_of(plan.graph)
        } == {EdgeKind.CAPTURE}
        assert trim(plan.graph, {"V": result}) == plan.graph
        targets = [edge.target for edge in topological(plan.graph)]
        assert len(targets) == len(set(targets))
        for edge in plan.graph.edges:
            sites = {vertex.site for vertex in (*edge.sources, edge.target)}
            assert len(sites) == (2 if edge.kind is EdgeKind.COPY else 1)


def one_input(site: str, tail: str = "", filtered: bool = False) -> tuple[Sharing, Situation]:
    filters = (call("gt", Column("r.x"), Literal(1, "1")),) if filtered else ()
    sharing = Sharing("V", Relation((Input("r", "r", filters),)), site, tail=tail)
    return sharing, Situation({name: Site(name) for name in SITES}, {}, {"r": "m1"})


@pytest.mark.parametrize(
    ("site", "tail", "filtered", "kinds"),
    [
        ("m2", "", False, ["capture", "copy", "apply"]),
        ("m2", "", True, ["capture", "copy", "apply"]),
        ("m2", "aggregate", True, ["capture", "copy", "aggregate", "apply"]),
        ("m2", "window", False, ["capture", "copy", "apply", "compute", "apply"]),
        ("m1", "", False, ["capture", "copy", "apply"]),
        ("m1", "", True, ["capture", "copy", "apply"]),
        ("m1", "aggregate", True, ["capture", "aggregate", "apply"]),
        ("m1", "window", False, ["capture", "compute", "apply"]),
    ],
)
def test_views_of_one_input(site: str, tail: str, filtered: bool, kinds: list[str]) -> None:
    sharing, situation = one_input(site, tail, filtered)
    best = search(sharing, situation)
    assert [edge.kind.value for edge in topological(best.graph)] == kinds
    result = result_vertex(best.graph, "V")
    assert result.site == site
    plain = site == "m1" and not tail and not filtered
    assert result.relation == (replace(sharing, tail="select").result if plain else sharing.result)
    assert best.dollars > 0


def test_a_copy_within_a_site_costs_no_network() -> None:
    here, situation = one_input("m1", filtered=True)
    dear = replace(
        situation, sites={name: Site(name, prices=Prices(gb_transfer=Decimal(1000))) for name in SITES}
    )
    assert search(here, dear).dollars == pytest.approx(search(here, situation).dollars)
    there, _ = one_input("m2", filtered=True)
    assert search(there, dear).dollars > 2 * search(there, situation).dollars


def test_a_view_that_is_read_is_a_source_at_its_site_with_its_delay() -> None:
    sharing = Sharing("W", Relation((Input("V", "V"), Input("r", "r")), (("V.k", "r.k"),)), "m1")
    situation = Situation({name: Site(name) for name in SITES}, {}, {"V": "m2", "r": "m1"})
    soon, late = search(sharing, situation), search(sharing, replace(situation, delays={"V": 7.5}))
    assert any(vertex.site == "m2" and vertex.relation.is_base for vertex in sources_of(soon.graph))
    assert late.critical_path.seconds > 7.5
    assert late.critical_path.delay == 7.5
    assert soon.critical_path.seconds < 7.5


def test_a_cheap_site_attracts_work_and_a_fast_one_too() -> None:
    sharing = replace(table1.sharings()[2], freshness=timedelta(minutes=1))
    situation = table1.situation()
    free = {
        name: replace(site, prices=Prices(Decimal("0.0001"), Decimal(0), Decimal(0)))
        if name == "m1"
        else site
        for name, site in situation.sites.items()
    }
    best = search(sharing, replace(situation, sites=free))
    assert {edge.target.site for edge in best.graph.edges if edge.kind is EdgeKind.JOIN} == {"m1"}
    fast = replace(situation, operators=replace(OPERATORS, speeds={"m6": 100.0}))
    best = search(replace(sharing, site="m6"), fast, Aim.TIME)
    assert {edge.target.site for edge in best.graph.edges if edge.kind is EdgeKind.JOIN} == {"m6"}


def test_the_last_join_may_be_done_at_a_third_site() -> None:
    """Neither the inputs' sites nor the view's: m5 is a hundred times as fast."""
    sharing = replace(table1.sharings()[4], site="m3")  # users at m1, tweets at m2
    prices = Prices(gb_transfer=Decimal(0))
    fast = replace(table1.situation(prices=prices), operators=replace(OPERATORS, speeds={"m5": 100.0}))
    best = search(sharing, fast)
    assert {edge.target.site for edge in best.graph.edges if edge.kind is EdgeKind.JOIN} == {"m5"}
    assert result_vertex(best.graph, "S5").site == "m3"


@pytest.mark.parametrize("seed", range(scaled(4)))
def test_every_plan_computes_the_view(seed: int) -> None:
    """Not only those that are chosen: all that could be, on random changes."""
    situation = Situation({name: Site(name) for name in SITES}, {}, HOMES)
    compared = plans = 0
    for sharing in random_sharings(seed, 8, largest=3):
        sequences = list(all_sequences(sharing, situation))
        for at, steps in enumerate(sequences[:: max(1, len(sequences) // 15)]):
            compared += check_plan(build(sharing, steps, situation), [sharing], SCHEMAS, seed + at, pushes=2)
            plans += 1
    assert plans >= 20
    assert compared > 20


def test_thinning_keeps_both_ends_and_drops_what_is_beaten() -> None:
    def label(dollars: float, time: float) -> Label:
        return Label(dollars, time, (), None, 0, None, 0)

    line = [label(at, 20 - at) for at in range(20)]
    kept = thin([*line, label(5, 18), label(19, 19)], 5)
    assert (kept[0], kept[-1], len(kept)) == (line[0], line[-1], 5)
    assert set(kept) <= set(line)
    assert thin(list(line), 1) == line[-1:]
    assert thin([label(1, 3), label(1, 2), label(2, 2)], 5) == [label(1, 2)]


def test_an_unknown_site_is_wrong_input() -> None:
    sharing, situation = one_input("m7")
    with pytest.raises(InputError, match="m7"):
        search(sharing, situation)


def test_what_is_taken_counts() -> None:
    sharing, situation = one_input("m2")
    small = replace(situation, sites={name: Site(name, cores=1.0, gb=1.0) for name in SITES})
    assert search(sharing, small).dollars < float("inf")
    full = search(sharing, small, taken={"m2": Load(1.0, 0.0)})
    assert full.dollars == float("inf")
    assert full.price.lacking[0].startswith("site m2 would need 1.0")


@pytest.mark.parametrize("sharing", table1.sharings(), ids=lambda sharing: sharing.view)
def test_table_1_dpt_is_faster_and_dpd_cheaper(sharing: Sharing) -> None:
    situation = table1.situation()
    cheap, fast = search(sharing, situation), search(sharing, situation, Aim.TIME)
    assert fast.critical_path.seconds <= cheap.critical_path.seconds + 1e-9
    assert cheap.dollars <= fast.dollars + 1e-12
    assert cheap.critical_path.seconds < 45
