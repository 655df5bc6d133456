"""Weave each node afresh: the queries of a node, woven by WeaveShare, as if nothing were woven yet.

Greedy insertion weaves early what later turns out not to fit.  Once each node has its queries, WeaveShare
over just those is cheap (a node has few distinct edge sets) and the cheaper of the old and the new trees is
kept.  No node's cost can rise, so neither the total nor the maximum can.
"""

from __future__ import annotations

from headwater.planning.windows.best.board import Board, by_edges, tree_of_group
from headwater.planning.windows.model import CostModel, Tree
from headwater.planning.windows.optimizers.weave_share import weave_share

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
    groups = by_edges(query for tree in trees for query in tree.queries)
    if len(groups) > MOST_SETS:
        return []
    return weave_share([tree_of_group(edges, queries) for edges, queries in groups.items()], cost)
