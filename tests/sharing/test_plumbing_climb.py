"""Plumbing: the situations of the paper's Figure 4, and what greedy climbing does with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.algebra.expressions import Column, Literal, call
from headwater.model import Prices, Site
from headwater.sharing.candidates import Offers
from headwater.sharing.facts import Facts
from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, incoming
from headwater.sharing.merging import total
from headwater.sharing.placement import applied, base, captured, copied, joined
from headwater.sharing.plumbing import Climber, climb, merge
from headwater.sharing.relations import Input, Relation, Sharing
from headwater.sharing.situation import Situation
from headwater.sharing.wiring import Rewire

A, B = Input("A", "A"), Input("B", "B")
AB = Relation((A, B), (("A.k", "B.k"),))
HOMES = {"A": "m1", "B": "m2"}
FACTS = {"A": Facts(100_000, 100, bytes_per_row=64), "B": Facts(100_000, 100, bytes_per_row=64)}
SITES = {name: Site(name) for name in ("m1", "m2", "m3", "m4", "m5")}
SITUATION = Situation(SITES, FACTS, HOMES)


def plan(case: str, site: str, view: str, relation: Relation = AB) -> PlanGraph:
    """A joined with B at a site, in one of the four ways of Figure 3."""
    left, right = (base(one, HOMES[one.relation]) for one in relation.inputs)
    edges = [captured(left), captured(right)]
    if case in "cd":
        left, copy = copied(left, right.site if case == "c" else site)
        edges += copy
    if case in "bd":
        right, copy = copied(right, left.site if case == "b" else site)
        edges += copy
    result, join = joined(left, right, relation, site)
    return graph_of((*edges, *join, applied(result)), view)


def sharing(view: str, site: str, seconds: float = 45, relation: Relation = AB) -> Sharing:
    return Sharing(view, relation, site, timedelta(seconds=seconds))


TWO = [sharing("S1", "m3"), sharing("S2", "m4")]
TWO_PLANS = [plan("d", "m3", "S1"), plan("d", "m4", "S2")]


def climber(plans: list[PlanGraph], sharings: list[Sharing], situation: Situation = SITUATION) -> Climber:
    return Climber(merge(plans), sharings, situation, {})


def test_figure_4a_a_copy_replaces_all_that_made_the_delta() -> None:
    merged = merge(TWO_PLANS)
    found = climb(merged, TWO, SITUATION)
    (step,) = found.steps
    assert step.kind == "copy"
    target = step.target
    assert target.relation == AB
    assert {target.site, step.sources[0].site} == {"m3", "m4"}
    # At the target: A, dA, B, dB and both halves are gone; a copy came, six edges and the union went.
    assert (step.vertices_removed, step.edges_removed) == (6, 6)
    assert merged.size - found.graph.size == 12
    assert step.benefit == pytest.approx(found.dollars_before - found.dollars_after, rel=1e-2)
    assert found.graph.edges[Edge(EdgeKind.COPY, step.sources, target)] == {"S1", "S2"} - {_other(target)}
    source = found.graph.vertices[step.sources[0]]
    assert source == {"S1", "S2"}
    assert "d(A * B) @" in step.text


def _other(target: Vertex) -> str:
    return "S1" if target.site == "m4" else "S2"


def test_figure_4b_a_half_is_joined_from_a_delta_and_a_relation_with_up_to_two_copies() -> None:
    here = climber([plan("a", "m3", "S1"), plan("d", "m4", "S2")], [TWO[0], TWO[1]])
    half = Vertex(AB, "m3", True, Relation((A,)))  # dA * B, copied from m2 in the plan
    offers = [one for one in Offers(here.wiring, {}).of(half) if one.edge.kind is EdgeKind.JOIN]
    assert offers
    for one in offers:
        delta, rows = one.edge.sources
        assert delta.relation == Relation((A,))
        assert rows == Vertex(Relation((B,)), "m3")
        assert sum(edge.kind is EdgeKind.COPY for edge in one.further) == 2
    at_m4 = Vertex(AB, "m4", True, Relation((A,)))
    without = [one for one in Offers(here.wiring, {}).of(at_m4) if one.edge.kind is EdgeKind.JOIN]
    assert [one.further for one in without] == [()]  # A, dA, B and dB lie at m4 already


def three() -> Climber:
    plans = [plan("d", site, view) for site, view in (("m3", "S1"), ("m4", "S2"), ("m5", "S3"))]
    return climber(plans, [sharing("S1", "m3"), sharing("S2", "m4"), sharing("S3", "m5")])


def copy(source: str, target: str) -> Rewire:
    return Rewire(Edge(EdgeKind.COPY, (Vertex(AB, source, True),), Vertex(AB, target, True)))


def test_figure_4c_plumbings_affect_one_another() -> None:
    here = three()
    forth, back, other = copy("m3", "m4"), copy("m4", "m3"), copy("m4", "m5")
    alone = here.wiring.judge(other)
    change = here.wiring.judge(forth)
    assert alone is not None
    assert change is not None
    before = here.wiring.seconds("S3", alone)
    here.wiring.apply(change)
    assert here.wiring.judge(back) is None  # what it would copy comes from its own target now
    after = here.wiring.judge(other)
    assert after is not None
    assert here.wiring.seconds("S3", after) > before  # one copy more on the way: m3, m4, m5
    half = Vertex(AB, "m4", True, Relation((A,)))
    assert half not in here.wiring.serves  # and what fed m4 can no longer be a source of plumbings
    assert all(half not in one.edge.sources for one in Offers(here.wiring, {}))


def test_a_plumbing_that_breaks_a_promise_is_not_carried_out() -> None:
    slow_copies = replace(SITUATION, operators=_slow_copies())
    sharings = [sharing("S1", "m3", 45), sharing("S2", "m4", 45)]
    plans = [plan("d", "m3", "S1"), plan("d", "m4", "S2")]
    loose = climb(merge(plans), sharings, slow_copies)
    assert [one.kind for one in loose.steps] == ["copy"]
    longest = Climber(loose.graph, sharings, slow_copies, {}).wiring.seconds("S2")
    fast = Climber(merge(plans), sharings, slow_copies, {}).wiring.seconds("S2")
    between = (longest + fast) / 2
    tight = [sharing("S1", "m3", between), sharing("S2", "m4", between)]
    kept = climb(merge(plans), tight, slow_copies)
    wiring = Climber(kept.graph, tight, slow_copies, {}).wiring
    assert all(wiring.seconds(one.view) <= between for one in tight)
    assert not any(one.kind == "copy" for one in kept.steps)


def _slow_copies():  # type: ignore[no-untyped-def]
    from headwater.sharing.operators import OPERATORS, OperatorModel

    return OPERATORS.with_models({EdgeKind.COPY: OperatorModel(3.0, 1e-6)})


def test_a_plumbing_that_overloads_a_site_is_not_feasible() -> None:
    plans = [plan("a", "m3", "S1"), plan("d", "m4", "S2")]
    free = climber(plans, TWO)
    half = Vertex(AB, "m3", True, Relation((A,)))
    rewire = next(one for one in Offers(free.wiring, {}).of(half) if one.edge.kind is EdgeKind.JOIN)
    change = free.wiring.judge(rewire)
    assert change is not None
    assert free.is_feasible(change)
    more = free.wiring.loads(change)["m3"].cores
    assert more > 0  # the join and two copies come to m3
    room = free.loads["m3"].cores + more / 2
    full = {name: Site(name, cores=room if name == "m3" else None) for name in SITES}
    assert not climber(plans, TWO, replace(SITUATION, sites=full)).is_feasible(change)


def test_dear_copies_are_not_taken() -> None:
    dear = {
        name: Site(name, prices=replace(Prices(), gb_transfer=Prices().gb_transfer * 100_000))
        for name in SITES
    }
    found = climb(merge(TWO_PLANS), TWO, replace(SITUATION, sites=dear))
    # A joined result is as large as both inputs here: copying it costs what copying them does, but no join.
    assert found.dollars_after <= found.dollars_before
    assert all(one.benefit > 0 for one in found.steps)


def test_a_view_within_another_takes_its_changes_filtered() -> None:
    few = Input("A", "A", (call("gt", Column("A.x"), Literal(10, "10")),))
    more = Input("A", "A", (call("gt", Column("A.x"), Literal(3, "3")),))
    small, large = (Relation((one, B), AB.equal) for one in (few, more))
    sharings = [sharing("S1", "m3", relation=large), sharing("S2", "m3", relation=small)]
    plans = [plan("d", "m3", "S1", large), plan("d", "m3", "S2", small)]
    found = climb(merge(plans), sharings, SITUATION)
    assert "filter" in [one.kind for one in found.steps]
    made = incoming(found.graph)[Vertex(small, "m3", True)]
    assert [edge.sources for edge in made] == [(Vertex(large, "m3", True),)]


def test_what_is_made_in_two_ways_is_settled_first() -> None:
    plans = [plan("a", "m3", "S1"), plan("b", "m3", "S2")]
    sharings = [sharing("S1", "m3"), sharing("S2", "m3")]
    merged = merge(plans)
    assert len(incoming(merged)[Vertex(AB, "m3", True)]) == 2
    found = climb(merged, sharings, SITUATION)
    assert found.steps[0].kind == "settle"
    assert all(len(edges) == 1 for edges in incoming(found.graph).values())
    assert found.dollars_after < found.dollars_before


def test_dollars_before_and_after_are_those_of_the_graphs() -> None:
    merged = merge(TWO_PLANS)
    found = climb(merged, TWO, SITUATION)
    assert found.dollars_before == pytest.approx(total(merged, TWO, SITUATION) * 3600)
    assert found.dollars_after == pytest.approx(total(found.graph, TWO, SITUATION) * 3600)
    assert climb(found.graph, TWO, SITUATION).steps == ()  # nothing more to gain
