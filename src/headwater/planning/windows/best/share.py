"""The cheapest trees: WeaveShare's, improved by moving groups of queries from tree to tree.

WeaveShare never takes a query back out of a tree.  Here every group of queries with equal edges is tried
in every other tree and on its own, and moved where the total falls the most; whole trees are tried
together.  The total is that of the trees alone: where they run does not change it.

Cost: a round tries (groups x trees) unions; rounds end when nothing saves, or after `rounds`.
"""

from __future__ import annotations

from headwater.planning.windows.best.board import by_edges, tree_of_group, tree_of_groups
from headwater.planning.windows.model import CostModel, Tree, weave

__all__ = ["improve_sharing"]

LEAST_SAVING = 1e-9


def improve_sharing(trees: list[Tree], cost: CostModel, *, rounds: int) -> list[Tree]:
    """Trees of the same queries whose total cost is no higher."""
    trees = list(trees)
    for _ in range(rounds):
        before = cost.of_trees(trees)
        at = 0
        while at < len(trees):
            at = _improve(trees, at, cost)
        if cost.of_trees(trees) >= before * (1 - LEAST_SAVING):
            break
    return trees


def _improve(trees: list[Tree], at: int, cost: CostModel) -> int:
    """Relocate the groups of one tree, where that saves; the number of the tree to look at next."""
    groups = by_edges(trees[at].queries)
    for edges in list(groups):
        if len(groups) == 1:
            return at if _dissolve(trees, at, cost) else at + 1
        piece = tree_of_group(edges, groups[edges])
        rest = tree_of_groups({other: queries for other, queries in groups.items() if other is not edges})
        freed = cost.of(trees[at]) - cost.of(rest)
        into, added = _cheapest(trees, piece, at, cost)
        if added < freed * (1 - LEAST_SAVING):
            del groups[edges]
            trees[at] = rest
            _put(trees, piece, into)
    return at + 1


def _dissolve(trees: list[Tree], at: int, cost: CostModel) -> bool:
    """Weave a tree of one group into another, if that saves."""
    into, added = _cheapest(trees, trees[at], at, cost)
    if into is None or added >= cost.of(trees[at]) * (1 - LEAST_SAVING):
        return False
    _put(trees, trees[at], into)
    del trees[at]
    return True


def _cheapest(trees: list[Tree], piece: Tree, but: int, cost: CostModel) -> tuple[int | None, float]:
    """Where `piece` adds least: a tree other than `but`, or None for a tree of its own."""
    best: int | None = None
    added = cost.of(piece)
    for at, into in enumerate(trees):
        before = cost.of(into)
        if at != but and cost.woven_at_least(into, piece) - before < added:
            increase = cost.woven(into, piece) - before
            if increase < added:
                best, added = at, increase
    return best, added


def _put(trees: list[Tree], piece: Tree, into: int | None) -> None:
    if into is None:
        trees.append(piece)
    else:
        trees[into] = weave(trees[into], piece)
