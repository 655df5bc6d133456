"""Level the loads: again and again take something off the most loaded node.

From the most loaded node, every tree offers pieces: all of it, one group of queries with equal edges, part
of such a group, or a slice through the whole tree.  Each is tried on the least loaded nodes, woven into
each of their trees or as a new tree.  Of all moves that leave both nodes below the old maximum, the best
is made: the one that lowers the pair's maximum the most, less what it adds to the total.

How much of a group to move follows from the two nodes: woven into a tree that has its edges already, x of
overlap leaves the source by x times its edge rate and joins the target by x times its own; the x that
makes both equal is the aim, and queries are taken from the largest down while they fit.

Invariant: the total never goes above `most_total` once it is below it; the sorted loads fall at every
move, so the search ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.planning.windows.best.board import Board, Groups, Move, by_edges, tree_of_group, tree_of_groups
from headwater.planning.windows.edges import EdgeSet
from headwater.planning.windows.model import Query, Tree

__all__ = ["level"]

TARGETS = 3
MOST_GROUPS = 60  # of a tree whose groups are tried one by one
LEAST_GAIN = 1e-9


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a piece may go: tree number `into` of a node (None: a new tree)."""

    node: int
    into: int | None


def level(board: Board, most_total: float, *, steps: int, patience: float = 0.0) -> Board:
    """Make at most `steps` levelling moves. `patience` is the price of one unit of total cost."""
    for _ in range(steps):
        move = _best_move(board, most_total, patience)
        if move is None:
            break
        board.make(move)
    return board


def _best_move(board: Board, most_total: float, patience: float) -> Move | None:
    order = board.by_load()
    source, targets = order[-1], [node for node in order[:TARGETS] if node != order[-1]]
    slack = most_total - board.total
    best, best_score = None, board.load(source) * LEAST_GAIN
    for move in _moves(board, source, targets):
        score = _score(board, move, slack, patience)
        if score > best_score:
            best, best_score = move, score
    return best


def _score(board: Board, move: Move, slack: float, patience: float) -> float:
    added = move.source_cost + move.target_cost - board.costs[move.source] - board.costs[move.target]
    if added > max(slack, 0.0):
        return 0.0
    highest = max(board.load(move.source, move.source_cost), board.load(move.target, move.target_cost))
    return board.load(move.source) - highest - patience * max(added, 0.0)


def _moves(board: Board, source: int, targets: list[int]) -> Iterator[Move]:
    for at, tree in enumerate(board.placement[source]):
        groups = by_edges(tree.queries)
        rests = {edges: _without(groups, edges) for edges in groups} if len(groups) <= MOST_GROUPS else {}
        for node in targets:
            into: list[int | None] = [*range(len(board.placement[node])), None]
            for target in (_Target(node, number) for number in into):
                for piece, rest in _pieces(board, source, tree, groups, rests, target):
                    yield _move(board, source, at, rest, piece, target)


def _without(groups: Groups, edges: EdgeSet) -> Tree | None:
    left = {other: queries for other, queries in groups.items() if other is not edges}
    return tree_of_groups(left) if left else None


def _pieces(
    board: Board, source: int, tree: Tree, groups: Groups, rests: dict[EdgeSet, Tree | None], target: _Target
) -> Iterator[tuple[Tree, Tree | None]]:
    """What could be taken from `tree` for `target`, each with what is left."""
    yield tree, None
    for edges, queries in groups.items():
        group = tree_of_group(edges, queries)
        if len(groups) > 1 and edges in rests:
            yield group, rests[edges]
        if len(queries) > 1:
            yield from _part(tree, group, _aim(board, source, tree, group, target))
    if len(groups) > 1:
        yield from _slice(tree, _aim(board, source, tree, tree, target))


def _aim(board: Board, source: int, tree: Tree, piece: Tree, target: _Target) -> float:
    """The overlap to move so that both nodes end up equally loaded, were overlap divisible."""
    cost, ticks = board.cost, board.cost.ticks_per_unit
    if target.into is None:
        fixed, density = cost.rate, piece.edges.density
    else:
        into = board.placement[target.node][target.into]
        woven = cost.woven(into, piece)
        density = (woven - cost.rate) / ticks / (into.overlap + piece.overlap)
        fixed = (density - into.edges.density) * ticks * into.overlap
    source_speed, target_speed = board.nodes[source].capacity, board.nodes[target.node].capacity
    gap = board.load(source) - board.load(target.node) - fixed / target_speed
    return gap / (ticks * (tree.edges.density / source_speed + density / target_speed))


def _part(tree: Tree, group: Tree, aim: float) -> Iterator[tuple[Tree, Tree | None]]:
    """Part of one group: the rest keeps the tree's edges."""
    taken = _fill(group.queries, aim)
    if taken and len(taken) < len(group.queries):
        yield tree_of_group(group.edges, taken), tree_of_group(tree.edges, _left(tree, taken))


def _slice(tree: Tree, aim: float) -> Iterator[tuple[Tree, Tree | None]]:
    """Queries of any group, the largest first: splits a heavy tree in two."""
    taken = _fill(tree.queries, aim)
    if taken and len(taken) < len(tree.queries):
        yield tree_of_groups(by_edges(taken)), tree_of_groups(by_edges(_left(tree, taken)))


def _left(tree: Tree, taken: list[Query]) -> list[Query]:
    gone = set(taken)
    return [query for query in tree.queries if query not in gone]


def _fill(queries: tuple[Query, ...], aim: float) -> list[Query]:
    taken, left = [], aim
    for query in sorted(queries, key=lambda query: -query.overlap):
        if query.overlap <= left:
            taken.append(query)
            left -= query.overlap
    return taken


def _move(board: Board, source: int, at: int, rest: Tree | None, piece: Tree, target: _Target) -> Move:
    cost = board.cost
    left = board.costs[source] - cost.of(board.placement[source][at]) + (cost.of(rest) if rest else 0.0)
    if target.into is None:
        grown = board.costs[target.node] + cost.of(piece)
    else:
        into = board.placement[target.node][target.into]
        grown = board.costs[target.node] - cost.of(into) + cost.woven(into, piece)
    return Move(source, at, rest, piece, target.node, target.into, left, grown)
