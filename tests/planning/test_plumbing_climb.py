"""Plumbing: the situations of the paper's Figure 4, and what greedy climbing does with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.algebra.expressions.tree import Column, Literal, call
from headwater.model import Prices, Site
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, incoming, union
from headwater.planning.graph.site_relations import applied, base, captured, copied, joined
from headwater.planning.improve.candidates import Offers
from headwater.planning.improve.plumbing import Climber, climb
from headwater.planning.improve.settling import total
from headwater.planning.improve.wiring import Rewire
from headwater.planning.relations.relations import Input, Relation, Sharing

A, B = Input("A", "A"), Input("B", "B")
AB = Relation((A, B), (("A.k", "B.k"),))
HOMES = {"A": "m1", "B": "m2"}
FACTS = {"A": Facts(100_000, 100, bytes_per_row=64), "B": Facts(100_000, 100, bytes_per_row=64)}
SITES = {name: Site(name) for name in ("m1", "m2", "m3", "m4", "m5")}
SITUATION = Situation(SITES, FACTS, HOMES)


def plan(case: str, site: str, view: str, relation: Relation = AB) -> PlanGraph:
    """A joined with B at a site, in one of the ways of Figure 3 that are offered."""
    left, right = (base(input, HOMES[input.relation]) for input in relation.inputs)
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
    return Climber(union(plans), sharings, situation, {})


def test_figure_4a_a_copy_replaces_all_that_made_the_delta() -> None:
    merged = union(TWO_PLANS)
    plumbed = climb(merged, TWO, SITUATION)
    (step,) = plumbed.steps
    assert step.kind == "copy"
    target = step.target
    assert target.relation == AB
    assert {target.site, step.sources[0].site} == {"m3", "m4"}
    # At the target: A, dA, B, dB and both halves are gone; a copy came, six edges and the union went.
    assert (step.vertices_removed, step.edges_removed) == (6, 6)
    assert merged.size - plumbed.graph.size == 12
    assert step.benefit == pytest.approx(plumbed.dollars_before - plumbed.dollars_after, rel=1e-2)
    assert plumbed.graph.edges[Edge(EdgeKind.COPY, step.sources, target)] == {"S1", "S2"} - {_other(target)}
    source = plumbed.graph.vertices[step.sources[0]]
    assert source == {"S1", "S2"}
    assert "d(A * B) @" in step.text


def _other(target: Vertex) -> str:
    return "S1" if target.site == "m4" else "S2"


def joins_at(here: Climber, site: str) -> list[Rewire]:
    """Join plumbings of d(AB) at a site: both halves joined there."""
    whole = Vertex(AB, site, True)
    return [rewire for rewire in Offers(here.wiring, {}).of(whole) if rewire.edge.kind is EdgeKind.UNION]


def test_figure_4b_a_delta_is_joined_from_deltas_and_relations_with_up_to_two_copies() -> None:
    here = climber([plan("d", "m3", "S1"), plan("b", "m4", "S2")], TWO)
    offers = joins_at(here, "m4")  # where it is a copy of what is joined at m1
    assert offers
    for rewire in offers:
        joins = [edge for edge in rewire.further if edge.kind is EdgeKind.JOIN]
        assert {edge.target for edge in joins} == set(rewire.edge.sources)
        assert all(vertex.site == "m4" for edge in joins for vertex in (*edge.sources, edge.target))
        assert sum(edge.kind is EdgeKind.COPY for edge in rewire.further) == 2
    assert [rewire.further for rewire in joins_at(here, "m3")] == [()]  # A, dA, B and dB lie at m3 already


def test_a_half_is_never_copied() -> None:
    here = climber(TWO_PLANS, TWO)
    half = Vertex(AB, "m4", True, Relation((A,)))
    assert {rewire.edge.kind for rewire in Offers(here.wiring, {}).of(half)} == {EdgeKind.JOIN}


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
    assert all(half not in rewire.edge.sources for rewire in Offers(here.wiring, {}))


def test_a_plumbing_that_breaks_a_promise_is_not_carried_out() -> None:
    slow_copies = replace(SITUATION, operators=_slow_copies())
    sharings = [sharing("S1", "m3", 45), sharing("S2", "m4", 45)]
    plans = [plan("d", "m3", "S1"), plan("d", "m4", "S2")]
    loose = climb(union(plans), sharings, slow_copies)
    assert [step.kind for step in loose.steps] == ["copy"]
    longest = Climber(loose.graph, sharings, slow_copies, {}).wiring.seconds("S2")
    fast = Climber(union(plans), sharings, slow_copies, {}).wiring.seconds("S2")
    between = (longest + fast) / 2
    tight = [sharing("S1", "m3", between), sharing("S2", "m4", between)]
    kept = climb(union(plans), tight, slow_copies)
    wiring = Climber(kept.graph, tight, slow_copies, {}).wiring
    assert all(wiring.seconds(view.view) <= between for view in tight)
    assert not any(step.kind == "copy" for step in kept.steps)


def _slow_copies():  # type: ignore[no-untyped-def]
    from headwater.planning.cost.operators import OPERATORS, OperatorModel

    return OPERATORS.with_models({EdgeKind.COPY: OperatorModel(3.0, 1e-6)})


def test_a_plumbing_that_overloads_a_site_is_not_feasible() -> None:
    plans = [plan("b", "m3", "S1"), plan("d", "m4", "S2")]
    free = climber(plans, TWO)
    change = free.wiring.judge(joins_at(free, "m3")[0])
    assert change is not None
    assert free.is_feasible(change)
    more = free.wiring.loads(change)["m3"].cores
    assert more > 0  # two joins and two copies come to m3
    room = free.loads["m3"].cores + more / 2
    full = {name: Site(name, cores=room if name == "m3" else None) for name in SITES}
    assert not climber(plans, TWO, replace(SITUATION, sites=full)).is_feasible(change)


def test_dear_copies_are_not_taken() -> None:
    dear = {
        name: Site(name, prices=replace(Prices(), gb_transfer=Prices().gb_transfer * 100_000))
        for name in SITES
    }
    plumbed = climb(union(TWO_PLANS), TWO, replace(SITUATION, sites=dear))
    # A joined result is as large as both inputs here: copying it costs what copying them does, but no join.
    assert plumbed.dollars_after <= plumbed.dollars_before
    assert all(step.benefit > 0 for step in plumbed.steps)


def test_a_view_within_another_takes_its_changes_filtered() -> None:
    few = Input("A", "A", (call("gt", Column("A.x"), Literal(10, "10")),))
    more = Input("A", "A", (call("gt", Column("A.x"), Literal(3, "3")),))
    small, large = (Relation((input, B), AB.equal) for input in (few, more))
    sharings = [sharing("S1", "m3", relation=large), sharing("S2", "m3", relation=small)]
    plans = [plan("d", "m3", "S1", large), plan("d", "m3", "S2", small)]
    plumbed = climb(union(plans), sharings, SITUATION)
    assert "filter" in [step.kind for step in plumbed.steps]
    made = incoming(plumbed.graph)[Vertex(small, "m3", True)]
    assert [edge.sources for edge in made] == [(Vertex(large, "m3", True),)]


def test_what_is_made_in_two_ways_is_settled_first() -> None:
    plans = [plan("d", "m3", "S1"), plan("b", "m3", "S2")]
    sharings = [sharing("S1", "m3"), sharing("S2", "m3")]
    merged = union(plans)
    assert len(incoming(merged)[Vertex(AB, "m3", True)]) == 2
    plumbed = climb(merged, sharings, SITUATION)
    assert plumbed.steps[0].kind == "settle"
    assert all(len(edges) == 1 for edges in incoming(plumbed.graph).values())
    assert plumbed.dollars_after < plumbed.dollars_before


def test_dollars_before_and_after_are_those_of_the_graphs() -> None:
    merged = union(TWO_PLANS)
    plumbed = climb(merged, TWO, SITUATION)
    assert plumbed.dollars_before == pytest.approx(total(merged, TWO, SITUATION) * 3600)
    assert plumbed.dollars_after == pytest.approx(total(plumbed.graph, TWO, SITUATION) * 3600)
    assert climb(plumbed.graph, TWO, SITUATION).steps == ()  # nothing more to gain
