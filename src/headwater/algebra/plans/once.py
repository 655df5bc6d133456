"""Which parts of a delta plan to compute first, because the plan uses them again and again.

A delta plan is a graph, but Spark plans trees: a part that is used twice is planned twice, a part of it
twice again.  For most views that costs nothing (Spark notices equal broadcasts), for deltas of nested outer
joins the tree grows beyond what Spark can plan in seconds.  So when the tree is large, shared parts that do
real work are computed once, as small tables, before the rest is planned.

    size of the tree = 1 + sizes of the inputs, each counted as often as it is used
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from headwater.algebra.plans.both_sides import both_sides
from headwater.algebra.plans.nodes import Aggregate, Join, OuterJoin, Over, Plan, Restrict, SemiJoin, Union
from headwater.algebra.plans.walks import children, nodes

__all__ = ["LARGE_TREE", "compute_first", "tree_size"]

LARGE_TREE = 50


def tree_size(plan: Plan, first: frozenset[Plan] = frozenset()) -> int:
    """Nodes of the tree that Spark would plan, if the parts `first` are tables already."""
    sizes: dict[Plan, int] = {}
    for node in _planned(plan, set()):
        sizes[node] = 1 + sum(1 if child in first else sizes[child] for child in _below(node))
    return sizes[plan]


def compute_first(plan: Plan, first: frozenset[Plan] = frozenset()) -> frozenset[Plan]:
    """The shared parts to compute before the rest, besides those that are computed `first` in any case.

    None for a plan that Spark can plan as it is.
    """
    if tree_size(plan, first) <= LARGE_TREE:
        return frozenset()
    planned = list(_planned(plan, set()))
    uses = Counter(child for node in planned for child in _below(node))
    return frozenset(node for node in planned if uses[node] > 1 and _works(node))


def _below(node: Plan) -> Sequence[Plan]:
    """What Spark plans below a node: two terms that are both sides of one plan have it once."""
    if not isinstance(node, Union):
        return tuple(children(node))
    pairs, others = both_sides(node.inputs)
    return (*others, *(pair.merged for pair in pairs))


def _planned(plan: Plan, met: set[Plan]) -> Iterator[Plan]:
    """Every distinct node once, those below a node before it."""
    if plan not in met:
        met.add(plan)
        for child in _below(plan):
            yield from _planned(child, met)
        yield plan


def _works(node: Plan) -> bool:
    """Whether a part does more than read a relation row by row."""
    kinds = Join | OuterJoin | SemiJoin | Restrict | Aggregate | Over
    return any(isinstance(part, kinds) for part in nodes(node))
