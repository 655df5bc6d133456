"""The law for plans: whatever was merged, plumbed or replanned, each view is what its join says after every push."""

from __future__ import annotations

import pytest

from headwater.planning.cost.costs import resource_dollars
from headwater.planning.graph.graph import (
    Edge,
    EdgeKind,
    PlanGraph,
    Vertex,
    graph_of,
    incoming,
    topological,
    union,
)
from headwater.planning.graph.site_relations import applied, base, captured, copied, joined
from headwater.planning.improve.candidates import Offers
from headwater.planning.improve.plumbing import Climber, Plumbed, climb
from headwater.planning.improve.reinsertion import Reinserter
from headwater.planning.improve.settling import total
from headwater.planning.relations.relations import Input, Relation, Sharing
from headwater.planning.search.search import Aim, search
from support.cases import scaled
from support.planning.plan_evaluator import check_plan
from support.planning.random_sharings import SCHEMAS, SITUATION, random_sharings


def plans(seed: int, by: Aim, count: int = 4) -> tuple[list[Sharing], list[PlanGraph]]:
    sharings = random_sharings(seed, count)
    return sharings, [search(sharing, SITUATION, by).graph for sharing in sharings]


def plumbed(seed: int, by: Aim = Aim.DOLLARS, count: int = 4) -> tuple[list[Sharing], Plumbed]:
    sharings, graphs = plans(seed, by, count)
    return sharings, climb(union(graphs), sharings, SITUATION)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
@pytest.mark.parametrize("first", range(0, 15 * scaled(4), 15))
def test_plans_alone_and_plumbed(by: Aim, first: int) -> None:
    compared = 0
    for seed in range(first, first + 15):
        sharings, graphs = plans(seed, by)
        for sharing, graph in zip(sharings, graphs, strict=True):
            compared += check_plan(graph, [sharing], SCHEMAS, seed, pushes=2)
        climbed = climb(union(graphs), sharings, SITUATION)
        compared += check_plan(climbed.graph, sharings, SCHEMAS, seed)
        assert climbed.dollars_after <= climbed.dollars_before * (1 + 1e-9)
    assert compared > 200


@pytest.mark.parametrize("first", range(0, 8 * scaled(2), 8))
def test_replanned_and_inserted(first: int) -> None:
    compared = 0
    for seed in range(first, first + 8):
        sharings, climbed = plumbed(seed, count=3)
        reinserter = Reinserter(climbed.graph, sharings, SITUATION)
        start = reinserter.draft_of(climbed.graph)
        better = reinserter.search(start, rounds=2, seed=seed)
        assert better.dollars <= start.dollars
        compared += check_plan(reinserter.graph(better), sharings, SCHEMAS, seed)
        inserted = reinserter.put_back({}, (), list(reinserter.sharings), reinserter.sharings)
        compared += check_plan(reinserter.graph(inserted), sharings, SCHEMAS, seed)
    assert compared > 100


@pytest.mark.parametrize("seed", range(1, 1 + scaled(6)))
def test_every_single_plumbing_is_right_and_saves_what_it_says(seed: int) -> None:
    """Not only those that are carried out: each that is offered."""
    sharings, graphs = plans(seed, Aim.TIME, 3)
    settled = climb(union(graphs), sharings, SITUATION).graph if _twice(union(graphs)) else union(graphs)
    carries = Climber(settled, sharings, SITUATION, {}).pricing.carries
    fixed = {sharing.view: carries[at] for at, sharing in enumerate(sharings)}
    before = resource_dollars(settled, SITUATION, fixed).per_second
    tried = 0
    for rewire in list(Offers(Climber(settled, sharings, SITUATION, {}).wiring, {}))[:25]:
        climber = Climber(settled, sharings, SITUATION, {})
        change = climber.wiring.judge(rewire)
        if change is None:
            continue
        loads = climber.wiring.loads(change)
        step = climber.carry_out(change)
        graph = climber.graph
        topological(graph)
        after = resource_dollars(graph, SITUATION, fixed)
        assert change.saved == pytest.approx(before - after.per_second, abs=before * 1e-9)
        assert step.vertices_removed == len(settled.vertices) - len(graph.vertices)
        assert step.edges_removed == len(settled.edges) - len(graph.edges)
        for site, more in loads.items():
            was = resource_dollars(settled, SITUATION, fixed).loads[site]
            assert more.cores == pytest.approx(after.loads[site].cores - was.cores, abs=1e-9)
            assert more.gb == pytest.approx(after.loads[site].gb - was.gb, abs=1e-6)
        check_plan(graph, sharings, SCHEMAS, seed, pushes=2)
        tried += 1
    assert tried


def _twice(graph: PlanGraph) -> bool:
    return any(len(edges) > 1 for edges in incoming(graph).values())


@pytest.mark.parametrize("seed", range(scaled(8)))
def test_promises_are_kept_and_prices_add_up(seed: int) -> None:
    sharings, climbed = plumbed(seed, Aim.TIME)
    climber = Climber(climbed.graph, sharings, SITUATION, {})
    for sharing in sharings:
        assert climber.wiring.seconds(sharing.view) <= sharing.freshness.total_seconds()
    reinserter = Reinserter(climbed.graph, sharings, SITUATION)
    draft = reinserter.draft_of(climbed.graph)
    assert draft.dollars == pytest.approx(total(climbed.graph, sharings, SITUATION))
    assert reinserter.graph(draft) == climbed.graph
    saved = sum(step.benefit for step in climbed.steps)
    assert saved == pytest.approx(climbed.dollars_before - climbed.dollars_after, rel=0.05, abs=1e-6)


def wrong_plan() -> tuple[PlanGraph, Sharing]:
    """A half is missing from the union: the law must notice."""
    first, second = Input("r0", "r0"), Input("r1", "r1")
    both = Relation((first, second), (("r0.k", "r1.k"),))
    left, right = base(first, "m1"), base(second, "m2")
    there, copy = copied(right, "m1")
    result, join = joined(left, there, both, "m1")
    edges = [edge for edge in join if edge.kind is not EdgeKind.UNION]
    halves = tuple(edge.target for edge in edges if edge.kind is EdgeKind.JOIN)
    broken = Edge(EdgeKind.UNION, halves[:1], Vertex(both, "m1", True))
    graph = graph_of((captured(left), captured(right), *copy, *edges, broken, applied(result)), "S")
    return graph, Sharing("S", both, "m1")


def test_the_law_can_fail() -> None:
    graph, sharing = wrong_plan()
    with pytest.raises(AssertionError, match="S is wrong"):
        check_plan(graph, [sharing], SCHEMAS, pushes=8)
    copy = Edge(EdgeKind.COPY, (Vertex(sharing.core, "m2", True),), Vertex(sharing.core, "m1", True))
    twice = union([graph, graph_of((copy,))])
    with pytest.raises(AssertionError, match="times"):
        check_plan(twice, [sharing], SCHEMAS)
