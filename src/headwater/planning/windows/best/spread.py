"""Spread finished trees over nodes of different capacity.

The most expensive tree first, each to the node that is least loaded with it: Group to Lowest, with load
(cost / capacity) in place of cost.  For equal capacities it is exactly Group to Lowest.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.planning.windows.model import CostModel, Node, Tree
from headwater.planning.windows.optimizers.problem import Placement

__all__ = ["spread"]


def spread(trees: Sequence[Tree], nodes: Sequence[Node], cost: CostModel) -> Placement:
    """A placement of whole trees with a low maximum load."""
    placement: Placement = [[] for _ in nodes]
    costs = [0.0] * len(nodes)
    for tree in sorted(trees, key=cost.of, reverse=True):
        own = cost.of(tree)
        node = min(range(len(nodes)), key=lambda at: (costs[at] + own) / nodes[at].capacity)
        placement[node].append(tree)
        costs[node] += own
    return placement
