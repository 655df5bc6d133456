"""Algorithm 1, "To Lowest": the most expensive tree first, always to the node that costs least so far.

All three sort the trees from expensive to cheap.  The first N fill the N empty nodes; each later tree
goes to the node with the lowest cost, where it is grouped (g_tl), woven (w_tl), or whichever is cheaper
(wg_tl).

Readings chosen: trees of equal cost keep the order of the input, and of several lowest nodes (or trees)
the first is taken.  The pseudocode weaves when both choices cost the same; so do we.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heapreplace

from headwater.planning.windows.model import CostModel, Tree, weave
from headwater.planning.windows.optimizers.problem import Placement, Problem

__all__ = ["g_tl", "group_to_lowest", "w_tl", "wg_tl"]

Step = Callable[[CostModel, list[Tree], Tree], None]


def g_tl(problem: Problem) -> Placement:
    """Group to Lowest: no sharing, only balance. Good when no two slides have anything in common."""
    return _to_lowest(problem, _group)


def w_tl(problem: Problem) -> Placement:
    """Weave to Lowest: one tree a node. Balances, but weaves what does not fit together."""
    return _to_lowest(problem, _weave)


def wg_tl(problem: Problem) -> Placement:
    """Weave-Group to Lowest: on the lowest node, a new tree or woven into its cheapest tree."""
    return _to_lowest(problem, _weave_or_group)


def group_to_lowest(trees: Sequence[Tree], nodes: int, cost: CostModel) -> Placement:
    """g_tl for trees that are already woven, as Weave-Group to Nodes ends."""
    return g_tl(Problem(tuple(trees), nodes, cost))


def _to_lowest(problem: Problem, step: Step) -> Placement:
    cost = problem.cost
    placement: Placement = [[] for _ in range(problem.nodes)]
    by_cost = sorted(problem.trees, key=cost.of, reverse=True)
    for trees, tree in zip(placement, by_cost, strict=False):
        trees.append(tree)
    heap = [(cost.of_trees(trees), node) for node, trees in enumerate(placement)]
    heapify(heap)
    for tree in by_cost[problem.nodes :]:
        node = heap[0][1]
        step(cost, placement[node], tree)
        heapreplace(heap, (cost.of_trees(placement[node]), node))
    return placement


def _group(cost: CostModel, trees: list[Tree], tree: Tree) -> None:
    trees.append(tree)


def _weave(cost: CostModel, trees: list[Tree], tree: Tree) -> None:
    trees[0] = weave(trees[0], tree)


def _weave_or_group(cost: CostModel, trees: list[Tree], tree: Tree) -> None:
    cheapest = min(range(len(trees)), key=lambda at: cost.of(trees[at]))
    woven = cost.woven(trees[cheapest], tree) - cost.of(trees[cheapest])
    if cost.of(tree) < woven:
        trees.append(tree)
    else:
        trees[cheapest] = weave(trees[cheapest], tree)
