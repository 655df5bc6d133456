"""Keep a plan while queries come and go, and the rate changes, moving as little as possible.

Running trees hold state, so planning everything anew for one new dashboard would be worse than a plan that
is a little above the best.  A change is dealt with where it occurs:

    add       the query joins the tree, or opens one on the node, that serves the objective best
    remove    the query leaves its tree; a tree without queries ends
    rate      a node whose trees now cost noticeably more than woven afresh is woven afresh; no query
              changes its node
    level     moves queries off the most loaded node while that helps, up to a share that the caller allows

Every revision reports the moved share: the part of the earlier queries whose running state must be
rebuilt.  A tree lives on in the tree of the same node that keeps most of its queries; queries that went
elsewhere have moved.  Adding and removing move none.

Cost: add and remove try one union per tree; 500 queries take a few milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

from headwater.errors import InputError
from headwater.planning.windows.best.best_placement import Objective
from headwater.planning.windows.best.board import Board
from headwater.planning.windows.best.level import level
from headwater.planning.windows.best.reweave import afresh
from headwater.planning.windows.model import NodeTrees, Query, Tree, Weave, tree_of, weave

__all__ = ["Revision", "add_query", "change_rate", "level_loads", "remove_query"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A changed plan, and which queries that were there before have to be rebuilt elsewhere."""

    plan: Weave
    moved: tuple[str, ...]
    moved_share: float


def add_query(plan: Weave, query: Query, objective: Objective = Objective.BALANCED) -> Revision:
    """The plan with one more query; nothing else moves."""
    if query.id in plan.node_of():
        raise InputError("HW508", f'two of the query names are "{query.id}"', hint="Give each query its own.")
    new = tree_of((query,))
    node, at = _best_tree(plan, new, objective)
    trees = list(plan.nodes[node].trees)
    if at == len(trees):
        trees.append(new)
    else:
        trees[at] = weave(trees[at], new)
    return _revision(plan, _with_trees(plan, {node: trees}))


def _best_tree(plan: Weave, new: Tree, objective: Objective) -> tuple[int, int]:
    """The node, and the tree on it (one past the last: a new one), that serve the objective best.

    Trees are tried from the lowest bound upwards, and the rest is skipped once no bound can win.
    """
    cost, most = plan.cost, plan.max_load

    def score(node: NodeTrees, increase: float) -> tuple[float, float]:
        load = (node.cost + increase) / node.node.capacity
        return (increase, load) if objective is Objective.TOTAL else (max(load, most), increase)

    bounds = []
    for at_node, node in enumerate(plan.nodes):
        for at, into in enumerate(node.trees):
            bounds.append((score(node, cost.woven_at_least(into, new) - cost.of(into)), at_node, at))
        bounds.append((score(node, cost.of(new)), at_node, len(node.trees)))
    best: tuple[tuple[float, float], int, int] | None = None
    for bound, at_node, at in sorted(bounds):
        if best is not None and bound >= best[0]:
            break
        node = plan.nodes[at_node]
        if at < len(node.trees):
            bound = score(node, cost.woven(node.trees[at], new) - cost.of(node.trees[at]))
        best = (bound, at_node, at) if best is None else min(best, (bound, at_node, at))
    assert best is not None
    return best[1:]


def remove_query(plan: Weave, name: str) -> Revision:
    """Take one query out; the others stay where they are."""
    for at_node, node in enumerate(plan.nodes):
        for at, tree in enumerate(node.trees):
            left = [query for query in tree.queries if query.id != name]
            if len(left) < len(tree.queries):
                trees = [*node.trees[:at], *([tree_of(left)] if left else []), *node.trees[at + 1 :]]
                return _revision(plan, _with_trees(plan, {at_node: trees}))
    raise InputError("HW510", f'there is no query "{name}" in the plan')


def change_rate(plan: Weave, rate: float, *, least_saving: float = 0.05) -> Revision:
    """A new input rate: weave a node afresh where that saves at least this share of its cost."""
    if not (isfinite(rate) and rate >= 0):
        raise InputError("HW504", f"the rate must be a number that is not negative, not {rate}")
    cost = replace(plan.cost, rate=rate)
    changed: dict[int, list[Tree]] = {}
    for at_node, node in enumerate(plan.nodes):
        fresh = afresh(list(node.trees), cost) if node.trees else []
        if fresh and cost.of_trees(fresh) < cost.of_trees(node.trees) * (1 - least_saving):
            changed[at_node] = fresh
    return _revision(plan, _with_trees(replace(plan, cost=cost), changed))


def level_loads(plan: Weave, most_moved_share: float = 0.1) -> Revision:
    """Level the loads by moving at most this share of the queries; each move lowers the largest load."""
    nodes = [node.node for node in plan.nodes]
    board = Board(nodes, plan.cost, [list(node.trees) for node in plan.nodes])
    revision = _revision(plan, plan)
    while True:
        before = board.max_load
        level(board, float("inf"), steps=1)
        tried = _revision(plan, _with_trees(plan, dict(enumerate(board.placement))))
        if board.max_load >= before or tried.moved_share > most_moved_share:
            return revision
        revision = tried


def _with_trees(plan: Weave, changed: dict[int, list[Tree]]) -> Weave:
    """The plan with other trees on these nodes, and all costs worked out again."""
    nodes = []
    for at, node in enumerate(plan.nodes):
        trees = tuple(changed.get(at, node.trees))
        nodes.append(NodeTrees(node.node, trees, plan.cost.of_trees(trees)))
    return Weave(plan.cost, tuple(nodes))


def _revision(before: Weave, after: Weave) -> Revision:
    """Compare two plans: a kept query stays only where its tree's state can be carried over."""
    stayed = {name for old, new in zip(before.nodes, after.nodes, strict=True) for name in _stayed(old, new)}
    present = {query.id for tree in after.trees() for query in tree.queries}
    kept = [query.id for tree in before.trees() for query in tree.queries if query.id in present]
    moved = tuple(name for name in kept if name not in stayed)
    return Revision(after, moved, len(moved) / len(kept) if kept else 0.0)


def _stayed(old: NodeTrees, new: NodeTrees) -> set[str]:
    """Each old tree lives on in one new tree of its node, the one that keeps most of it, largest first."""
    after = [{query.id for query in tree.queries} for tree in new.trees]
    before = sorted(({query.id for query in tree.queries} for tree in old.trees), key=len, reverse=True)
    stayed: set[str] = set()
    for names in before:
        heir = max(after, key=lambda tree: len(tree & names), default=set())
        stayed |= heir & names
        after = [tree for tree in after if tree is not heir]
    return stayed
