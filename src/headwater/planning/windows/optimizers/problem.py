"""What every optimizer is given and gives back.

An optimizer sees trees (one per query, or one per slide after `merge_identical`), a number of equal
nodes and a cost model, and returns a placement: for each node the trees it runs.  The thirteen of the
paper know nothing of capacities; `best` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from headwater.planning.windows.model import CostModel, Query, Tree, tree_of

__all__ = ["Optimizer", "Placement", "Problem", "lowest", "merge_identical", "one_tree_each"]

Placement = list[list[Tree]]


@dataclass(frozen=True, slots=True)
class Problem:
    """Trees to place on `nodes` nodes; `seed` makes the random optimizers repeatable."""

    trees: tuple[Tree, ...]
    nodes: int
    cost: CostModel
    seed: int = 0

    def random(self) -> Random:
        return Random(self.seed)


Optimizer = Callable[[Problem], Placement]


def one_tree_each(queries: Sequence[Query]) -> tuple[Tree, ...]:
    """The no-share plan: each query is its own tree."""
    return tuple(tree_of((query,)) for query in queries)


def merge_identical(queries: Sequence[Query]) -> tuple[Tree, ...]:
    """The paper's preprocessing: queries with equal slides become one tree, in order of appearance.

    They share all their edges when each range is a multiple of the slide, so this never costs more in
    total then; with other ranges, or many nodes to balance, it can.
    """
    by_slide: dict[int, list[Query]] = {}
    for query in queries:
        by_slide.setdefault(query.slide, []).append(query)
    return tuple(tree_of(group) for group in by_slide.values())


def lowest(costs: Sequence[float]) -> int:
    """The first node with the lowest cost (the paper's findMinNode)."""
    return min(range(len(costs)), key=costs.__getitem__)
