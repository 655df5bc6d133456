"""WeaveShare: weave the pair that saves most, until nothing saves.

The textbook loop looks at every pair in every round.  Here every pair keeps an upper bound of its saving,
and only the pair on top is worked out; when the pair on top is exact it is the best pair.  The bound
follows from edges only ever being added:  density(A and B) >= density(A), density(B), and, after A was
woven from C and D,  >= density(C and B), density(D and B).  So a round costs a few unions, not a row
of them, and the answer is that of the full loop, ties included (the first pair in reading order wins).

Trees with the same edges save a whole `rate` when woven, the most any pair can, so they come first and
need no search.

Cost: n**2 floats, n distinct edge sets; a round is O(n) plus the unions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headwater.planning.windows.edges import EdgeSet, union
from headwater.planning.windows.model import CostModel, Tree, weave

__all__ = ["weave_share"]

NOTHING = -np.inf
DECIMALS = 9  # savings closer than this are ties, and the first pair wins, as in exact arithmetic
FORBIDDEN = 1e9  # a density no tree has: such a pair never saves


def weave_share(
    trees: Sequence[Tree], cost: CostModel, *, force_to: int = 0, most_classes: int | None = None
) -> list[Tree]:
    """Weave the best pair while it saves and, saving or not, while there are more than `force_to` trees
    (zero: never against the saving). A tree gets no more than `most_classes` residue classes."""
    pairs = _Pairs(_weave_equal(trees) if cost.rate > 0 else list(trees), cost, most_classes)
    while len(pairs) > 1:
        left, right, saving = pairs.best()
        if saving <= 0 and not (force_to and len(pairs) > force_to):
            break
        pairs.weave(left, right)
    return pairs.trees()


def _weave_equal(trees: Sequence[Tree]) -> list[Tree]:
    """Weave trees with the same edges, in reading order."""
    twins: dict[EdgeSet, list[Tree]] = {}
    for tree in trees:
        twins.setdefault(tree.edges, []).append(tree)
    return [_as_one(group) for group in twins.values()]


def _as_one(group: Sequence[Tree]) -> Tree:
    queries = tuple(query for tree in group for query in tree.queries)
    return Tree(queries, group[0].edges, sum(tree.overlap for tree in group))


class _Pairs:
    """The savings of all pairs: upper bounds, made exact on demand. Only entries left < right count."""

    def __init__(self, trees: list[Tree], cost: CostModel, most_classes: int | None) -> None:
        self._most_classes = most_classes
        self._trees: list[Tree | None] = list(trees)
        self._count = len(trees)
        self._cost = cost
        self._density = np.array([tree.edges.density for tree in trees])
        self._overlap = np.array([float(tree.overlap) for tree in trees])
        self._at_least = np.maximum.outer(self._density, self._density)
        self._exact = np.zeros((len(trees), len(trees)), dtype=bool)
        self._saving = np.full((len(trees), len(trees)), NOTHING)
        for row in range(len(trees) - 1):
            self._saving[row, row + 1 :] = self._bounds(row)[row + 1 :]
        self._top = self._saving.max(axis=1, initial=NOTHING)

    def __len__(self) -> int:
        return self._count

    def trees(self) -> list[Tree]:
        return [tree for tree in self._trees if tree is not None]

    def best(self) -> tuple[int, int, float]:
        """The first pair of the largest saving."""
        while True:
            left = int(self._top.argmax())
            right = int(self._saving[left].argmax())
            if self._exact[left, right]:
                return left, right, float(self._saving[left, right])
            self._work_out(left, right)

    def weave(self, left: int, right: int) -> None:
        """Replace `left` by the woven tree and forget `right`."""
        first, second = self._pair(left, right)
        tree = weave(first, second)
        self._trees[left], self._trees[right] = tree, None
        self._count -= 1
        self._density[left], self._overlap[left] = tree.edges.density, tree.overlap
        inherited = np.maximum(self._row(left), self._row(right))
        self._forget(right)
        self._renew(left, np.maximum(inherited, np.maximum(self._density, tree.edges.density)))

    def _pair(self, left: int, right: int) -> tuple[Tree, Tree]:
        first, second = self._trees[left], self._trees[right]
        assert first is not None
        assert second is not None
        return first, second

    def _row(self, tree: int) -> NDArray[np.float64]:
        return np.concatenate((self._at_least[:tree, tree], self._at_least[tree, tree:]))

    def _bounds(self, tree: int) -> NDArray[np.float64]:
        """Savings of `tree` with every other, from the bounds of their common density."""
        apart = self._density * self._overlap + self._density[tree] * self._overlap[tree]
        together = self._row(tree) * (self._overlap + self._overlap[tree])
        return np.round(self._cost.rate + (apart - together) * self._cost.ticks_per_unit, DECIMALS)

    def _work_out(self, left: int, right: int) -> None:
        first, second = self._pair(left, right)
        if self._most_classes and len(first.edges.terms) + len(second.edges.terms) > self._most_classes:
            density = FORBIDDEN
        else:
            density = union(first.edges, second.edges).density
        apart = first.edges.density * first.overlap + second.edges.density * second.overlap
        saving = (apart - density * (first.overlap + second.overlap)) * self._cost.ticks_per_unit
        self._at_least[left, right] = density
        self._exact[left, right] = True
        self._saving[left, right] = np.round(self._cost.rate + saving, DECIMALS)
        self._top[left] = self._saving[left].max()

    def _forget(self, tree: int) -> None:
        self._saving[tree, :] = NOTHING
        self._top[tree] = NOTHING
        stale = np.flatnonzero(self._saving[:tree, tree] >= self._top[:tree])
        self._saving[:tree, tree] = NOTHING
        self._top[stale] = self._saving[stale].max(axis=1, initial=NOTHING)

    def _renew(self, tree: int, at_least: NDArray[np.float64]) -> None:
        self._at_least[:tree, tree] = at_least[:tree]
        self._at_least[tree, tree:] = at_least[tree:]
        self._exact[:tree, tree] = self._exact[tree, :] = False
        alive = np.array([other is not None for other in self._trees])
        bounds = np.where(alive, self._bounds(tree), NOTHING)
        self._saving[:tree, tree] = bounds[:tree]
        self._saving[tree, tree + 1 :] = bounds[tree + 1 :]
        self._top[: tree + 1] = self._saving[: tree + 1].max(axis=1, initial=NOTHING)
