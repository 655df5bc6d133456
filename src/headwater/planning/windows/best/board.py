"""A plan that can be changed a move at a time: what `best` and `revise` search on.

A move takes a piece (some queries) out of one tree and puts it into another tree, or makes it a tree of
its own, on the same node or another.  Trees stay immutable; the board only swaps them and keeps every
node's cost, so a move is tried with two cost look-ups and undone by not making it.

Invariant: costs[i] is the cost of placement[i], recomputed from its trees after every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from headwater.planning.windows.edges import EdgeSet, union_of
from headwater.planning.windows.model import CostModel, Node, Query, Tree, weave
from headwater.planning.windows.optimizers.problem import Placement

__all__ = ["Board", "Groups", "Move", "by_edges", "tree_of_group", "tree_of_groups"]

Groups = dict[EdgeSet, list[Query]]


def by_edges(queries: Iterable[Query]) -> Groups:
    """Queries grouped by their own edges: the grain at which edges come and go."""
    groups: Groups = {}
    for query in queries:
        groups.setdefault(query.edges, []).append(query)
    return groups


def tree_of_group(edges: EdgeSet, queries: Sequence[Query]) -> Tree:
    """One tree of queries that all have these edges."""
    return Tree(tuple(queries), edges, sum(query.overlap for query in queries))


def tree_of_groups(groups: Groups) -> Tree:
    """One tree of the groups; each edge set is looked at once."""
    return tree_of_group(union_of(groups), [query for group in groups.values() for query in group])


@dataclass(frozen=True, slots=True)
class Move:
    """Take `piece` out of a tree, leaving `rest`, and weave it into tree `into` of `target` (None: new)."""

    source: int
    at: int
    rest: Tree | None
    piece: Tree
    target: int
    into: int | None
    source_cost: float
    target_cost: float


class Board:
    """A placement with its costs."""

    def __init__(self, nodes: Sequence[Node], cost: CostModel, placement: Placement) -> None:
        self.nodes = nodes
        self.cost = cost
        self.placement: Placement = [list(trees) for trees in placement]
        self.costs = [cost.of_trees(trees) for trees in placement]

    @property
    def total(self) -> float:
        return fsum(self.costs)

    @property
    def max_load(self) -> float:
        return max(self.load(node) for node in range(len(self.nodes)))

    def load(self, node: int, cost: float | None = None) -> float:
        return (self.costs[node] if cost is None else cost) / self.nodes[node].capacity

    def by_load(self) -> list[int]:
        """The nodes from the least to the most loaded."""
        return sorted(range(len(self.nodes)), key=self.load)

    def make(self, move: Move) -> None:
        """Carry out a move."""
        target = self.placement[move.target]
        if move.into is None:
            target.append(move.piece)
        else:
            target[move.into] = weave(target[move.into], move.piece)
        source = self.placement[move.source]
        if move.rest is None:
            del source[move.at]
        else:
            source[move.at] = move.rest
        self.refresh((move.source, move.target))

    def refresh(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.costs[node] = self.cost.of_trees(self.placement[node])
