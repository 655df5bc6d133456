"""Algorithm 3, "Inserted": each query goes where the node's new cost is lowest.

N queries, drawn at random, start one tree on each of the N nodes; the others follow in the order of the
input.  Each is tried in every tree of every node, and woven where the node it lands on costs least
afterwards.  Weave Inserted (w_i) always does that; Weave-Group Inserted (wg_i) may instead open a new
tree on the node that costs least now.  Comparing nodes after the insertion, not the increase, is what
balances.

Readings chosen.  The pseudocode never resets WeaveCost between queries and decides inside the innermost
loop; both would forbid nearly all insertions, so the decision stands after the loops, once a query, as
the text says.  Its first N queries are drawn by the seed ("randomly", says the text).  For wg_i the
pseudocode compares the node's cost after grouping with the node's cost after weaving, the text the two
increases of total cost.  We compare node costs: that is what balances, and it comes nearer to the
paper's Table 3 (docs/weave.md has both).

Cost: trees are tried from the lowest possible cost upwards (weaving can only add edges), and the rest
is skipped as soon as no bound can beat the best so far, so few unions are computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.planning.windows.model import CostModel, Tree, weave
from headwater.planning.windows.optimizers.problem import Placement, Problem, lowest

__all__ = ["w_i", "wg_i"]


@dataclass(frozen=True, slots=True)
class Insertion:
    """Weaving into tree number `at` of `node`, and what the node costs then."""

    node_cost: float
    node: int
    at: int


def w_i(problem: Problem) -> Placement:
    """Weave Inserted: one tree a node, each query to the node that costs least with it."""
    placement, costs, rest = _start(problem)
    for tree in rest:
        _insert(problem.cost, placement, costs, tree, _best_weaving(problem.cost, placement, costs, tree))
    return placement


def wg_i(problem: Problem) -> Placement:
    """Weave-Group Inserted: as w_i over many trees a node, or a new tree on the lowest node if cheaper."""
    placement, costs, rest = _start(problem)
    for tree in rest:
        weaving = _best_weaving(problem.cost, placement, costs, tree)
        node = lowest(costs)
        grouping = Insertion(costs[node] + problem.cost.of(tree), node, len(placement[node]))
        chosen = grouping if grouping.node_cost < weaving.node_cost else weaving
        _insert(problem.cost, placement, costs, tree, chosen)
    return placement


def _start(problem: Problem) -> tuple[Placement, list[float], Iterator[Tree]]:
    """N random trees on N nodes, their costs, and the remaining trees in order."""
    drawn = problem.random().sample(range(len(problem.trees)), min(problem.nodes, len(problem.trees)))
    placement: Placement = [[] for _ in range(problem.nodes)]
    for trees, at in zip(placement, drawn, strict=False):
        trees.append(problem.trees[at])
    taken = set(drawn)
    rest = (tree for at, tree in enumerate(problem.trees) if at not in taken)
    return placement, [problem.cost.of_trees(trees) for trees in placement], rest


def _best_weaving(cost: CostModel, placement: Placement, costs: list[float], tree: Tree) -> Insertion:
    """Over all trees of all nodes, the insertion after which the node costs least."""
    bounds = []
    for node, trees in enumerate(placement):
        for at, into in enumerate(trees):
            others = costs[node] - cost.of(into)
            bounds.append((others + cost.woven_at_least(into, tree), node, at, others))
    bounds.sort()
    best: Insertion | None = None
    for bound, node, at, others in bounds:
        if best is not None and bound >= best.node_cost:
            break
        new_cost = others + cost.woven(placement[node][at], tree)
        if best is None or new_cost < best.node_cost:
            best = Insertion(new_cost, node, at)
    assert best is not None
    return best


def _insert(
    cost: CostModel, placement: Placement, costs: list[float], tree: Tree, insertion: Insertion
) -> None:
    trees = placement[insertion.node]
    if insertion.at == len(trees):
        trees.append(tree)
    else:
        trees[insertion.at] = weave(trees[insertion.at], tree)
    costs[insertion.node] = cost.of_trees(trees)
