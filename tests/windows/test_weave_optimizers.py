"""Each optimizer does what the paper's algorithms say, and costs are those of the plan it returns."""

from __future__ import annotations

from itertools import combinations
from math import fsum
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.planning.windows import (
    OPTIMIZER_NAMES,
    CostModel,
    Node,
    Objective,
    Query,
    Weave,
    Workload,
    plan,
    tree_of,
)
from headwater.planning.windows.model import Tree
from headwater.planning.windows.optimizers import OPTIMIZERS, Problem, merge_identical, one_tree_each
from headwater.planning.windows.optimizers.weave_share import weave_share
from support.cases import law, scaled
from support.window_density import bitset_density

SLIDES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20)


def workload(queries: int, nodes: int, rate: float, seed: int, *, multiples: bool = False) -> Workload:
    random = Random(seed)
    slides = [random.choice(SLIDES) for _ in range(queries)]
    ranges = [s * random.randint(1, 9) if multiples else random.randint(1, 90) for s in slides]
    asked = tuple(Query(f"q{n}", r, s) for n, (r, s) in enumerate(zip(ranges, slides, strict=True)))
    return Workload(CostModel(rate), tuple(Node(f"n{n}") for n in range(nodes)), asked)


def check(made: Weave, given_: Workload) -> None:
    """Every query once, and every cost as the oracle counts it."""
    names = sorted(query.id for tree in made.trees() for query in tree.queries)
    assert names == sorted(query.id for query in given_.queries)
    assert len(made.nodes) == len(given_.nodes)
    for node in made.nodes:
        costs = [oracle_cost(tree, given_.cost.rate) for tree in node.trees]
        assert node.cost == pytest.approx(fsum(costs), rel=1e-9)
    assert made.total_cost == pytest.approx(fsum(node.cost for node in made.nodes), rel=1e-12)
    assert made.max_cost == max(node.cost for node in made.nodes)


def oracle_cost(tree: Tree, rate: float) -> float:
    density = bitset_density((query.range, query.slide) for query in tree.queries)
    return rate + float(density) * sum(-(-query.range // query.slide) for query in tree.queries)


@pytest.mark.parametrize("optimizer", OPTIMIZER_NAMES)
@pytest.mark.parametrize(("queries", "nodes"), [(0, 2), (1, 1), (2, 5), (12, 1), (25, 4), (40, 3)])
@pytest.mark.parametrize("rate", [0.0, 1.5, 100.0])
def test_plans_hold_every_query_once_at_the_oracles_cost(
    optimizer: str, queries: int, nodes: int, rate: float
) -> None:
    asked = workload(queries, nodes, rate, seed=queries + nodes)
    check(plan(asked, optimizer, seed=3), asked)
    check(plan(asked, optimizer, merge=True, objective=Objective.TOTAL), asked)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_categories_keep_their_shape(optimizer: str) -> None:
    made = plan(workload(30, 4, 10.0, 5), optimizer)
    if optimizer.startswith("g-"):
        assert all(len(tree.queries) == 1 for tree in made.trees())
    if optimizer.startswith("w-"):
        assert all(len(node.trees) <= 1 for node in made.nodes)


@pytest.mark.parametrize("optimizer", OPTIMIZER_NAMES)
def test_the_same_seed_gives_the_same_plan(optimizer: str) -> None:
    asked = workload(30, 4, 10.0, 5)
    assert plan(asked, optimizer, seed=9) == plan(asked, optimizer, seed=9)


@pytest.mark.parametrize("optimizer", ["g-rand", "w-rand", "wg-rand", "w-i", "wg-i"])
def test_another_seed_gives_another_plan(optimizer: str) -> None:
    asked = workload(30, 4, 10.0, 5)
    assert len({plan(asked, optimizer, seed=seed) for seed in range(6)}) > 1


def test_round_robin_takes_nodes_in_turn_and_trees_in_turn() -> None:
    asked = workload(7, 1, 10.0, 1)
    ids = [[query.id for query in tree.queries] for tree in plan(asked, "wg-rr").trees()]
    assert ids == [["q0", "q1", "q3", "q6"], ["q2", "q4"], ["q5"]]
    four = plan(workload(6, 4, 10.0, 1), "g-rr")
    assert [[tree.queries[0].id for tree in node.trees] for node in four.nodes] == [
        ["q0", "q4"], ["q1", "q5"], ["q2"], ["q3"],
    ]  # fmt: skip


def test_group_to_lowest_is_longest_first() -> None:
    asked = Workload(
        CostModel(0.0),
        (Node("a"), Node("b")),
        tuple(Query(f"q{cost}", cost, 1) for cost in (7, 6, 5, 4, 3)),
    )
    made = plan(asked, "g-tl")
    assert [[tree.queries[0].id for tree in node.trees] for node in made.nodes] == [
        ["q7", "q4", "q3"], ["q6", "q5"],
    ]  # fmt: skip


@given(st.integers(0, 10_000), st.sampled_from([0.5, 3.0, 40.0]), st.booleans(), st.sampled_from([0, 3]))
@law(60)
def test_weave_share_is_the_full_search_over_pairs(
    seed: int, rate: float, multiples: bool, force: int
) -> None:
    """The lazy search against Algorithm 2 written out: every pair, every round."""
    asked = workload(9, 3, rate, seed, multiples=multiples)
    quick = weave_share(one_tree_each(asked.queries), asked.cost, force_to=force)
    slow = literal_weave_share([(query,) for query in asked.queries], asked.cost, force)
    assert asked.cost.of_trees(quick) == pytest.approx(sum(asked.cost.of(tree_of(t)) for t in slow), rel=1e-9)


def literal_weave_share(
    trees: list[tuple[Query, ...]], cost: CostModel, force_to: int
) -> list[tuple[Query, ...]]:
    while len(trees) > 1:
        savings = {
            (i, j): cost.of(tree_of(trees[i]))
            + cost.of(tree_of(trees[j]))
            - cost.of(tree_of(trees[i] + trees[j]))
            for i, j in combinations(range(len(trees)), 2)
        }
        best = max(savings.values())
        if best <= 1e-12 and not (force_to and len(trees) > force_to):
            break
        i, j = next(pair for pair, saving in savings.items() if saving >= best - 1e-9)
        trees = [*trees[:i], trees[i] + trees[j], *trees[i + 1 : j], *trees[j + 1 :]]
    return trees


@pytest.mark.parametrize("seed", range(scaled(8)))
def test_inserted_is_the_full_search_over_trees(seed: int) -> None:
    """wg_i against Algorithm 3 written out, without bounds."""
    asked = workload(14, 3, 4.0, seed)
    trees = one_tree_each(asked.queries)
    drawn = Random(seed).sample(range(14), 3)
    nodes: list[list[Tree]] = [[trees[at]] for at in drawn]
    for at, tree in enumerate(trees):
        if at in drawn:
            continue
        costs = [asked.cost.of_trees(node) for node in nodes]
        tried = []
        for n, node in enumerate(nodes):
            for k, into in enumerate(node):
                merged = tree_of(into.queries + tree.queries)
                tried.append((costs[n] - asked.cost.of(into) + asked.cost.of(merged), n, k, merged))
        new_cost, n, k, merged = min(tried, key=lambda choice: choice[0])
        lowest = costs.index(min(costs))
        if costs[lowest] + asked.cost.of(tree) < new_cost:
            nodes[lowest].append(tree)
        else:
            nodes[n][k] = merged
    expected = [asked.cost.of_trees(node) for node in nodes]
    made = OPTIMIZERS["wg-i"](Problem(trees, 3, asked.cost, seed))
    assert [asked.cost.of_trees(node) for node in made] == pytest.approx(expected, rel=1e-9)


def test_merging_identical_slides() -> None:
    asked = workload(40, 3, 10.0, 2)
    merged = merge_identical(asked.queries)
    assert len(merged) == len({query.slide for query in asked.queries})
    assert all(len({query.slide for query in tree.queries}) == 1 for tree in merged)


def test_identical_slides_weave_perfectly() -> None:
    asked = Workload(CostModel(10.0), (Node("a"), Node("b")), tuple(Query(str(n), 12, 4) for n in range(9)))
    for optimizer in ("w-tn", "wg-tn"):
        assert plan(asked, optimizer).total_cost == pytest.approx(10 + 0.25 * 27)
