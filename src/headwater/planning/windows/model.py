"""What is woven: queries, the trees that share their partial aggregates, and the plan of every node.

A `Query` asks, every `slide`, for an aggregate of the last `range`.  A `Tree` computes several queries
from one stream of partial aggregates.  A `Weave` says which trees each node runs.  These types carry all
that an executor needs: a tree's queries and edges (see `fragments`), and the node of each tree.

Ticks are the integers that ranges and slides are counted in; a unit (a second, or whatever the user
meant) holds `ticks_per_unit` of them.  Rates and costs are per unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum

from headwater.errors import InputError
from headwater.planning.windows.edges import EdgeSet, edges_of_window, union, union_of

__all__ = ["CostModel", "Node", "NodeTrees", "Query", "Tree", "Weave", "Workload", "tree_of", "weave"]


@dataclass(frozen=True, slots=True)
class Query:
    """An aggregate continuous query: answers every `slide` ticks over the last `range` ticks.

    Answers are due at every multiple of the slide, plus `offset`.
    """

    id: str
    range: int
    slide: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.range <= 0 or self.slide <= 0:
            raise InputError("HW501", f'query "{self.id}" needs a range and a slide above zero')

    @property
    def overlap(self) -> int:
        """How many answers a fragment is part of: ceil(range / slide)."""
        return -(-self.range // self.slide)

    @property
    def edges(self) -> EdgeSet:
        return edges_of_window(self.range, self.slide, self.offset)

    @property
    def has_gaps(self) -> bool:
        """A range below the slide: ticks between two windows are read by no answer."""
        return self.range < self.slide


@dataclass(frozen=True, slots=True)
class Tree:
    """Queries that share one stream of partial aggregates."""

    queries: tuple[Query, ...]
    edges: EdgeSet
    overlap: int


def tree_of(queries: Sequence[Query]) -> Tree:
    """One tree of these queries."""
    edges = union_of(query.edges for query in queries)
    return Tree(tuple(queries), edges, sum(query.overlap for query in queries))


def weave(left: Tree, right: Tree) -> Tree:
    """One tree of the queries of both: edges unite, overlaps add."""
    return Tree(left.queries + right.queries, union(left.edges, right.edges), left.overlap + right.overlap)


@dataclass(frozen=True, slots=True)
class CostModel:
    """The paper's equation 1, in operations per unit of time.

    A tree folds each arriving tuple into a fragment once (`rate`), and each fragment it ends goes into
    `overlap` answers: cost = rate + edge rate x overlap.  A node's cost is the sum of its trees'.
    """

    rate: float
    ticks_per_unit: int = 1

    def edge_rate(self, tree: Tree) -> float:
        return tree.edges.density * self.ticks_per_unit

    def of(self, tree: Tree) -> float:
        return self.rate + tree.edges.density * self.ticks_per_unit * tree.overlap

    def woven(self, left: Tree, right: Tree) -> float:
        """The cost of the tree that `weave` would make."""
        density = union(left.edges, right.edges).density
        return self.rate + density * self.ticks_per_unit * (left.overlap + right.overlap)

    def woven_at_least(self, left: Tree, right: Tree) -> float:
        """A bound on `woven` from below that needs no union."""
        density = max(left.edges.density, right.edges.density)
        return self.rate + density * self.ticks_per_unit * (left.overlap + right.overlap)

    def of_trees(self, trees: Iterable[Tree]) -> float:
        return fsum(self.of(tree) for tree in trees)


@dataclass(frozen=True, slots=True)
class Node:
    """A machine that runs trees. `capacity` is its speed relative to the others."""

    name: str
    capacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Workload:
    """What is to be planned."""

    cost: CostModel
    nodes: tuple[Node, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class NodeTrees:
    """What one node runs."""

    node: Node
    trees: tuple[Tree, ...]
    cost: float

    @property
    def load(self) -> float:
        """Cost relative to capacity: what balancing evens out."""
        return self.cost / self.node.capacity


@dataclass(frozen=True, slots=True)
class Weave:
    """Which trees run on which node, under which costs."""

    cost: CostModel
    nodes: tuple[NodeTrees, ...]

    @staticmethod
    def of(workload: Workload, placement: Sequence[Sequence[Tree]]) -> Weave:
        """The weave that puts the i-th list of trees on the i-th node."""
        cost = workload.cost
        nodes = zip(workload.nodes, placement, strict=True)
        return Weave(
            cost, tuple(NodeTrees(node, tuple(trees), cost.of_trees(trees)) for node, trees in nodes)
        )

    @property
    def total_cost(self) -> float:
        return fsum(node.cost for node in self.nodes)

    @property
    def max_cost(self) -> float:
        return max(node.cost for node in self.nodes)

    @property
    def max_load(self) -> float:
        return max(node.load for node in self.nodes)

    def trees(self) -> Iterator[Tree]:
        return (tree for node in self.nodes for tree in node.trees)

    def node_of(self) -> dict[str, str]:
        """The node of each query."""
        return {
            query.id: node.node.name for node in self.nodes for tree in node.trees for query in tree.queries
        }
