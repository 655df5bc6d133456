"""What a plan has already: its deltas and rows, looked up by the inputs that they join.

A relation can be had from one that contains it, so a look-up gives all that contain what is asked; which one
contains which is worked out once for each pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from headwater.algebra.expressions import Expr
from headwater.sharing import containment
from headwater.sharing.graph import Vertex
from headwater.sharing.relations import Relation, Sharing

__all__ = ["Names", "Stock", "contains", "names_of", "part"]

Names = frozenset[str]


@lru_cache(maxsize=100_000)
def _residual(part: Relation, whole: Relation) -> tuple[Expr, ...] | None:
    return containment.residual(part, whole)


def contains(whole: Relation, part: Relation) -> bool:
    return whole is part or _residual(part, whole) is not None


@lru_cache(maxsize=20_000)
def part(relation: Relation, names: Names) -> Relation:
    """The join of some inputs of a relation, with all that concerns only those."""
    return Sharing("", relation).part(names)


@lru_cache(maxsize=20_000)
def names_of(relation: Relation) -> Names:
    return relation.names


class Stock:
    """Some vertices, to be looked up."""

    def __init__(self, vertices: Iterable[Vertex]) -> None:
        self.wholes: defaultdict[Names, list[Vertex]] = defaultdict(list)
        self._halves: defaultdict[tuple[Names, Names], list[Vertex]] = defaultdict(list)
        self._rows: defaultdict[tuple[Names, str], list[Vertex]] = defaultdict(list)
        self.vertices: set[Vertex] = set()
        for vertex in vertices:
            self.add(vertex)

    def add(self, vertex: Vertex) -> None:
        self.vertices.add(vertex)
        names = names_of(vertex.relation)
        if not vertex.delta:
            self._rows[names, vertex.site].append(vertex)
        elif vertex.driven is None:
            self.wholes[names].append(vertex)
        else:
            self._halves[names, names_of(vertex.driven)].append(vertex)

    def __contains__(self, vertex: Vertex) -> bool:
        return vertex in self.vertices

    def like(self, vertex: Vertex) -> Iterator[Vertex]:
        """Other deltas, at any site, that hold the changes of a delta and perhaps more."""
        names = names_of(vertex.relation)
        driven = vertex.driven
        found = self.wholes[names] if driven is None else self._halves[names, names_of(driven)]
        return (one for one in found if one != vertex and contains(one.relation, vertex.relation))

    def deltas(self, relation: Relation) -> list[Vertex]:
        """Deltas at any site that hold the changes of a relation."""
        return [one for one in self.wholes[names_of(relation)] if contains(one.relation, relation)]

    def rows(self, relation: Relation, site: str) -> list[Vertex]:
        """What holds the rows of a relation at a site; the relation itself first."""
        found = self._rows[names_of(relation), site]
        kept = [one for one in found if contains(one.relation, relation)]
        return sorted(kept, key=lambda one: one.relation != relation)
