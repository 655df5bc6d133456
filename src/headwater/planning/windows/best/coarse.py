"""Good trees for very many different windows, in bounded work.

WeaveShare over thousands of distinct edge sets looks at millions of pairs, and unions of hundreds of
arbitrary windows are slow to count.  So: queries of equal slides first; then slides are sorted by
their largest prime factor, which puts slides that can share edges side by side, and WeaveShare runs over
blocks of them, never weaving a tree of more than MOST_CLASSES classes (fewer when ranges are no multiples
of their slides: such unions are slower to count).  Beyond MANY_CLASSES classes in all, neighbours are
woven in a row.

Doubt: blocks miss what WeaveShare over all would find; the price of planning 5,000 queries in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from headwater.planning.windows.model import CostModel, Query, Tree, tree_of, weave
from headwater.planning.windows.optimizers import merge_identical
from headwater.planning.windows.optimizers.weave_share import weave_share
from headwater.planning.windows.residues import factor

__all__ = ["coarse_trees", "split_heavy"]

BLOCK = 48
MANY_CLASSES = 2_500
MOST_CLASSES = 40
MOST_CLASSES_WITH_OFFSETS = 20


def coarse_trees(queries: Sequence[Query], cost: CostModel) -> list[Tree]:
    """Trees of all queries, from blocks of related slides."""
    strands = sorted(merge_identical(queries), key=_kinship)
    plain = all(query.range % query.slide == 0 for query in queries)
    most = MOST_CLASSES if plain else MOST_CLASSES_WITH_OFFSETS
    if sum(len(strand.edges.terms) for strand in strands) > MANY_CLASSES:
        return _in_a_row(strands, cost, most)
    blocks = [strands[at : at + BLOCK] for at in range(0, len(strands), BLOCK)]
    return [tree for block in blocks for tree in weave_share(block, cost, most_classes=most)]


def _in_a_row(strands: Sequence[Tree], cost: CostModel, most_classes: int) -> list[Tree]:
    """Weave each strand into the last tree while that saves and the tree stays small: one union a strand."""
    trees: list[Tree] = []
    for strand in strands:
        small = trees and len(trees[-1].edges.terms) + len(strand.edges.terms) <= most_classes
        if small and cost.woven(trees[-1], strand) < cost.of(trees[-1]) + cost.of(strand):
            trees[-1] = weave(trees[-1], strand)
        else:
            trees.append(strand)
    return trees


def split_heavy(trees: Sequence[Tree], nodes: int, cost: CostModel) -> list[Tree]:
    """Cut trees that cost more than an even share of the total into slices of about that share."""
    share = max(cost.of_trees(trees) / nodes, 2 * cost.rate)
    pieces: list[Tree] = []
    for tree in trees:
        wanted = 1 if cost.of(tree) <= share else ceil((cost.of(tree) - cost.rate) / (share - cost.rate))
        pieces.extend(_slices(tree, min(wanted, nodes)))
    return pieces


def _slices(tree: Tree, count: int) -> list[Tree]:
    """The tree's queries dealt into `count` trees of nearly equal overlap, equal slides kept together."""
    if count == 1:
        return [tree]
    ordered = sorted(tree.queries, key=lambda query: (query.slide, query.range % query.slide))
    slices: list[list[Query]] = [[] for _ in range(count)]
    reached = 0
    for query in ordered:
        slices[min(count - 1, reached * count // tree.overlap)].append(query)
        reached += query.overlap
    return [tree_of(queries) for queries in slices if queries]


def _kinship(tree: Tree) -> tuple[int, int]:
    slide = tree.queries[0].slide
    return max((prime for prime, _ in factor(slide)), default=1), slide
