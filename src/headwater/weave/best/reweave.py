"""Weave each node afresh: the queries of a node, woven by WeaveShare, as if nothing were woven yet.

Greedy insertion weaves early what later turns out not to fit.  Once it is known which queries a node
runs, WeaveShare over just those queries is cheap (a node has few distinct edge sets) and the cheaper of
the old and the new trees is kept.  No node's cost can rise, so neither the total nor the maximum can.
"""

from __future__ import annotations

from headwater.weave.best.board import Board
from headwater.weave.edges import EdgeSet
from headwater.weave.model import CostModel, Query, Tree
from headwater.weave.optimizers.weave_share import weave_share

__all__ = ["afresh", "reweave"]

MOST_SETS = 200


def reweave(board: Board) -> Board:
    """Weave every node afresh where that is cheaper."""
    for node, trees in enumerate(board.placement):
        if not trees:
            continue
        fresh = afresh(trees, board.cost)
        if fresh and board.cost.of_trees(fresh) < board.costs[node]:
            board.placement[node] = fresh
    board.refresh(range(len(board.nodes)))
    return board


def afresh(trees: list[Tree], cost: CostModel) -> list[Tree]:
    """WeaveShare over the queries of these trees; empty when there are too many distinct edge sets."""
    parts: dict[EdgeSet, list[Query]] = {}
    for tree in trees:
        for query in tree.queries:
            parts.setdefault(query.edges, []).append(query)
    if len(parts) > MOST_SETS:
        return []
    strands = [Tree(tuple(group), edges, sum(q.overlap for q in group)) for edges, group in parts.items()]
    return weave_share(strands, cost)
