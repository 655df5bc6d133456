"""`best`: starts from the plans of the paper's optimizers and improves them, for nodes of any capacity.

Two objectives:

    total      the lowest total cost; among equals the lowest maximum load
    balanced   the lowest maximum load (cost / capacity) at a total no higher than Weave-Group Inserted's

Both start from the plans of all thirteen optimizers (of a few, for very many queries).  `total` improves
the cheapest trees and spreads them over the nodes by capacity.  `balanced` weaves every node afresh and
levels the loads, from several starts, and keeps the best plan whose total stays within the bound.
So neither can be worse, by its own measure, than a start that respects the bound.  Beyond MOST_EDGE_SETS
different windows the search is replaced by `coarse`, which keeps planning in seconds.

The paper names capacities, changes and moving rates as future work; see also `revise`.
"""

from __future__ import annotations

from enum import StrEnum

from headwater.planning.windows.best.board import Board
from headwater.planning.windows.best.coarse import coarse_trees, split_heavy
from headwater.planning.windows.best.level import level
from headwater.planning.windows.best.reweave import reweave
from headwater.planning.windows.best.share import improve_sharing
from headwater.planning.windows.best.spread import spread
from headwater.planning.windows.model import CostModel, Tree, Workload
from headwater.planning.windows.optimizers import (
    OPTIMIZERS,
    Placement,
    Problem,
    merge_identical,
    one_tree_each,
)

__all__ = ["Objective", "best_placement"]

FEW = 600
MOST_EDGE_SETS = 150
FOR_MANY = ("g-tl", "wg-tl", "wg-tn", "wg-i")
LEVELLED = ("wg-tl", "wg-tn", "w-i", "wg-i")


class Objective(StrEnum):
    """What `best` makes small."""

    TOTAL = "total"
    BALANCED = "balanced"


def best_placement(
    workload: Workload, objective: Objective, *, merge: bool = False, seed: int = 0
) -> Placement:
    """The best placement of the search; the same for the same seed."""
    if len({query.edges for query in workload.queries}) > MOST_EDGE_SETS:
        return _coarse(workload, objective)
    plans = _starts(workload, merge, seed)
    cheapest = _cheapest_trees(plans, workload.cost, len(workload.queries))
    shared = spread(cheapest, workload.nodes, workload.cost)
    match objective:
        case Objective.TOTAL:
            return shared
        case Objective.BALANCED:
            most_total = _total(plans["wg-i"], workload.cost)
            return _balanced(workload, [shared, *_other_starts(plans)], most_total)


def _coarse(workload: Workload, objective: Objective) -> Placement:
    trees = coarse_trees(workload.queries, workload.cost)
    if objective is Objective.BALANCED:
        trees = split_heavy(trees, len(workload.nodes), workload.cost)
    return spread(trees, workload.nodes, workload.cost)


def _other_starts(plans: dict[str, Placement]) -> list[Placement]:
    """w-tn spreads well where there are many nodes; the others are there for where it does not."""
    return [plans[name] for name in ("w-tn", *LEVELLED) if name in plans]


def _starts(workload: Workload, merge: bool, seed: int) -> dict[str, Placement]:
    many = len(workload.queries) > FEW
    trees = (merge_identical if merge or many else one_tree_each)(workload.queries)
    problem = Problem(trees, len(workload.nodes), workload.cost, seed)
    return {name: OPTIMIZERS[name](problem) for name in (FOR_MANY if many else OPTIMIZERS)}


def _total(placement: Placement, cost: CostModel) -> float:
    return sum(cost.of_trees(trees) for trees in placement)


def _cheapest_trees(plans: dict[str, Placement], cost: CostModel, queries: int) -> list[Tree]:
    placement = min(plans.values(), key=lambda plan: _total(plan, cost))
    return improve_sharing(
        [tree for trees in placement for tree in trees], cost, rounds=4 if queries <= FEW else 1
    )


def _balanced(workload: Workload, starts: list[Placement], most_total: float) -> Placement:
    """Level the first two starts and the best of the others, each with and without thrift."""
    boards = [reweave(_board(workload, _fit(start, workload))) for start in starts]
    others = sorted(boards[2:], key=lambda board: _rank(board, most_total))
    finished = [
        _levelled(_board(workload, start.placement), most_total, patience)
        for start in [*boards[:2], *others[:1]]
        for patience in (0.0, 1.0 / len(workload.nodes))
    ]
    return min([*boards, *finished], key=lambda board: _rank(board, most_total)).placement


def _levelled(board: Board, most_total: float, patience: float) -> Board:
    for _ in range(2):
        reweave(level(board, most_total, steps=len(board.nodes) + 20, patience=patience))
    return board


def _rank(board: Board, most_total: float) -> tuple[float, float, float]:
    return (
        max(0.0, board.total / most_total - 1 - 1e-12) if most_total else 0.0,
        board.max_load,
        board.total,
    )


def _board(workload: Workload, placement: Placement) -> Board:
    return Board(workload.nodes, workload.cost, placement)


def _fit(placement: Placement, workload: Workload) -> Placement:
    """The most costly trees on the fastest node: the thirteen optimizers take all nodes for equal."""
    fastest = sorted(range(len(workload.nodes)), key=lambda node: -workload.nodes[node].capacity)
    costly = sorted(placement, key=workload.cost.of_trees, reverse=True)
    fitted: Placement = [[] for _ in placement]
    for node, trees in zip(fastest, costly, strict=True):
        fitted[node] = trees
    return fitted
