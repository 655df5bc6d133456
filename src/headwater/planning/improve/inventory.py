"""What a plan has already: its deltas and rows, looked up by the inputs that they join.

A relation can be taken from one that contains it, so a look-up gives everything that contains what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.planning.graph.graph import Vertex
from headwater.planning.relations.containment import contains
from headwater.planning.relations.parts import names_of
from headwater.planning.relations.relations import Names, Relation

__all__ = ["Inventory"]


class Inventory:
    """Vertices to be looked up. Halves are not indexed: a plan never takes one from elsewhere."""

    def __init__(self, vertices: Iterable[Vertex]) -> None:
        self.vertices: set[Vertex] = set()
        self._deltas: dict[Names, list[Vertex]] = {}
        self._rows: dict[tuple[Names, str], list[Vertex]] = {}
        for vertex in vertices:
            self.add(vertex)

    def add(self, vertex: Vertex) -> None:
        self.vertices.add(vertex)
        names = names_of(vertex.relation)
        if not vertex.delta:
            self._rows.setdefault((names, vertex.site), []).append(vertex)
        elif vertex.driven is None:
            self._deltas.setdefault(names, []).append(vertex)

    def __contains__(self, vertex: Vertex) -> bool:
        return vertex in self.vertices

    def parts_of(self, names: Names) -> list[Names]:
        """The parts of a join of these inputs that there are deltas of."""
        return [joined for joined in self._deltas if joined < names]

    def deltas(self, relation: Relation) -> list[Vertex]:
        """Deltas at any site that hold the changes of a relation."""
        deltas = self._deltas.get(names_of(relation), ())
        return [delta for delta in deltas if contains(delta.relation, relation)]

    def rows(self, relation: Relation, site: str) -> list[Vertex]:
        """What holds the rows of a relation at a site; the relation itself first."""
        there = self._rows.get((names_of(relation), site), ())
        holders = [rows for rows in there if contains(rows.relation, relation)]
        return sorted(holders, key=lambda rows: rows.relation != relation)
