"""The six optimizers that look at no cost: Random and Round Robin.

Each walks through the queries and picks a node at random or in turn.  What happens on the node:

    Group            the query is a tree of its own                           g_rand, g_rr
    Weave            the query is woven into the node's only tree             w_rand, w_rr
    Weave and Group  a coin or a turn decides: a new tree, or which old one   wg_rand, wg_rr

They are the floor that cost-based planning is measured against.

Reading chosen for wg_*: the paper says only "choose (in random or round robin fashion)".  On a node with
k trees there are k + 1 choices, the k trees and a new one.  Random draws one of them evenly.  Round
robin keeps a turn per node that walks over the node's trees, then opens a new one and starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random

from headwater.planning.windows.model import Tree, tree_of
from headwater.planning.windows.optimizers.problem import Placement, Problem

__all__ = ["g_rand", "g_rr", "w_rand", "w_rr", "wg_rand", "wg_rr"]


def g_rand(problem: Problem) -> Placement:
    """Each query is a separate tree on a random node."""
    return _group(problem, _random_nodes(problem.nodes, problem.random()))


def g_rr(problem: Problem) -> Placement:
    """Each query is a separate tree, nodes in turn."""
    return _group(problem, cycle(range(problem.nodes)))


def w_rand(problem: Problem) -> Placement:
    """Each query goes to a random node; all queries of a node are one tree."""
    return _weave_all(_group(problem, _random_nodes(problem.nodes, problem.random())))


def w_rr(problem: Problem) -> Placement:
    """Each query goes to the next node in turn; all queries of a node are one tree."""
    return _weave_all(_group(problem, cycle(range(problem.nodes))))


def wg_rand(problem: Problem) -> Placement:
    """A random node, then at random one of its trees or a new one."""
    random = problem.random()

    def choose(_node: int, trees: int) -> int:
        return random.randrange(trees + 1)

    return _weave_or_group(problem, _random_nodes(problem.nodes, random), choose)


def wg_rr(problem: Problem) -> Placement:
    """Nodes in turn, and on each node its trees in turn, then a new one."""
    turns = [0] * problem.nodes

    def choose(node: int, trees: int) -> int:
        turn = turns[node]
        turns[node] = 0 if turn >= trees else turn + 1
        return min(turn, trees)

    return _weave_or_group(problem, cycle(range(problem.nodes)), choose)


def _random_nodes(nodes: int, random: Random) -> Iterator[int]:
    while True:
        yield random.randrange(nodes)


def _group(problem: Problem, nodes: Iterator[int]) -> Placement:
    placement: Placement = [[] for _ in range(problem.nodes)]
    for tree, node in zip(problem.trees, nodes, strict=False):
        placement[node].append(tree)
    return placement


def _weave_all(placement: Placement) -> Placement:
    return [[_as_one(trees)] if trees else [] for trees in placement]


def _as_one(trees: list[Tree]) -> Tree:
    """All queries in one tree; the union is worked out once, not tree by tree."""
    return tree_of([query for tree in trees for query in tree.queries])


def _weave_or_group(problem: Problem, nodes: Iterator[int], choose: Callable[[int, int], int]) -> Placement:
    """`choose(node, trees)` is the number of the tree to weave into, or `trees` for a new one."""
    placement: list[list[list[Tree]]] = [[] for _ in range(problem.nodes)]
    for tree, node in zip(problem.trees, nodes, strict=False):
        chosen = choose(node, len(placement[node]))
        if chosen == len(placement[node]):
            placement[node].append([])
        placement[node][chosen].append(tree)
    return [[_as_one(parts) for parts in groups] for groups in placement]
