"""The law for plans: whatever was merged, plumbed or replanned, each view is what its join says after every push."""

from __future__ import annotations

import pytest
from evaluate_plan import check_plan
from random_sharings import HOMES, SCHEMAS, SITES, random_sharings

from headwater.model import Site
from headwater.sharing.better import Searcher
from headwater.sharing.candidates import Offers
from headwater.sharing.costs import resource_dollars
from headwater.sharing.facts import Facts
from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, Vertex, graph_of, incoming, topological, union
from headwater.sharing.merging import total
from headwater.sharing.placement import applied, base, captured, copied, joined
from headwater.sharing.plumbing import Climber, Plumbed, climb, merge
from headwater.sharing.relations import Input, Relation, Sharing
from headwater.sharing.search import Aim, search
from headwater.sharing.situation import Situation

VALUES = {"k": 200_000.0, "a": 200_000.0, "b": 100.0}
# Of different sizes, so that plans differ; r0 is large and slow, r4 small and fast.
FACTS = {name: Facts(2e5 / (at + 1), 5.0 * 2**at, distinct=VALUES) for at, name in enumerate(HOMES)}
SITUATION = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)


def plans(seed: int, by: Aim, count: int = 4) -> tuple[list[Sharing], list[PlanGraph]]:
    sharings = random_sharings(seed, count)
    return sharings, [search(one, SITUATION, by).graph for one in sharings]


def plumbed(seed: int, by: Aim = Aim.DOLLARS, count: int = 4) -> tuple[list[Sharing], Plumbed]:
    sharings, graphs = plans(seed, by, count)
    return sharings, climb(merge(graphs), sharings, SITUATION)


@pytest.mark.parametrize("by", list(Aim), ids=lambda by: by.value)
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_plans_alone_and_plumbed(by: Aim, first: int) -> None:
    compared = 0
    for seed in range(first, first + 15):
        sharings, graphs = plans(seed, by)
        for sharing, graph in zip(sharings, graphs, strict=True):
            compared += check_plan(graph, [sharing], SCHEMAS, seed, pushes=2)
        found = climb(merge(graphs), sharings, SITUATION)
        compared += check_plan(found.graph, sharings, SCHEMAS, seed)
        assert found.dollars_after <= found.dollars_before * (1 + 1e-9)
    assert compared > 200


@pytest.mark.parametrize("first", range(0, 16, 8))
def test_replanned_and_inserted(first: int) -> None:
    compared = 0
    for seed in range(first, first + 8):
        sharings, found = plumbed(seed, count=3)
        searcher = Searcher(found.graph, sharings, SITUATION)
        start = searcher.choice({edge.target: edge for edge in found.graph.edges}, searcher.sharings)
        better = searcher.search(start, rounds=2, seed=seed)
        assert better.dollars <= start.dollars
        compared += check_plan(searcher.graph(better), sharings, SCHEMAS, seed)
        inserted = searcher.put_back(searcher.choice({}, ()), list(searcher.sharings), searcher.sharings)
        compared += check_plan(searcher.graph(inserted), sharings, SCHEMAS, seed)
    assert compared > 100


@pytest.mark.parametrize("seed", range(1, 7))
def test_every_single_plumbing_is_right_and_saves_what_it_says(seed: int) -> None:
    """Not only those that are carried out: each that is offered."""
    sharings, graphs = plans(seed, Aim.TIME, 3)
    settled = climb(merge(graphs), sharings, SITUATION).graph if _twice(merge(graphs)) else merge(graphs)
    carries = Climber(settled, sharings, SITUATION, {}).pricing.carries
    fixed = {one.view: carries[at] for at, one in enumerate(sharings)}
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


@pytest.mark.parametrize("seed", range(8))
def test_promises_are_kept_and_prices_add_up(seed: int) -> None:
    sharings, found = plumbed(seed, Aim.TIME)
    climber = Climber(found.graph, sharings, SITUATION, {})
    for one in sharings:
        assert climber.wiring.seconds(one.view) <= one.freshness.total_seconds()
    searcher = Searcher(found.graph, sharings, SITUATION)
    choice = searcher.choice({edge.target: edge for edge in found.graph.edges}, searcher.sharings)
    assert choice.dollars == pytest.approx(total(found.graph, sharings, SITUATION))
    assert searcher.graph(choice) == found.graph
    saved = sum(one.benefit for one in found.steps)
    assert saved == pytest.approx(found.dollars_before - found.dollars_after, rel=0.05, abs=1e-6)


def wrong_plan() -> tuple[PlanGraph, Sharing]:
    """A half is missing from the union: the law must notice."""
    one, other = Input("r0", "r0"), Input("r1", "r1")
    both = Relation((one, other), (("r0.k", "r1.k"),))
    left, right = base(one, "m1"), base(other, "m2")
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
