"""Which plumbings a plan offers: other ways to make a delta from what the plan has already.

    copy    dR at m   from dR' at another site, or at m itself: R' is R, or contains it (and is filtered)
    join    a half of R at m   from another delta of its driving part, or other rows of the rest, at m
    both    dR at m   as the union of two halves joined at m, for any two parts of R that the plan has deltas
                      of; a part that is not at m is copied there ("up to two copies")
    again   dR at m   as a view of the plan first made it, when that is possible without anything new

Halves are joined where they are united, so a half is never copied.  Only vertices of the same inputs can be
candidates for each other, so they are looked up by their inputs.  Where a part must be copied, all sites that
have it are offered, and the judge chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from headwater.planning.graph.graph import Edge, EdgeKind, Vertex
from headwater.planning.improve.inventory import Inventory
from headwater.planning.improve.wiring import Rewire, Wiring
from headwater.planning.relations.parts import names_of, part
from headwater.planning.relations.relations import Relation

__all__ = ["Offers"]

Supply = tuple[Vertex, tuple[Edge, ...]]  # a vertex, and the edges that make it if it is not there


class Offers:
    """The plumbings of a wiring as it is now."""

    def __init__(self, wiring: Wiring, first: Mapping[Vertex, Iterable[Edge]]) -> None:
        self.wiring = wiring
        self.first = first
        self.inventory = Inventory(wiring.serves)

    def __iter__(self) -> Iterator[Rewire]:
        """All that could save something; what cannot is left out without being judged."""
        for vertex, edge in self.wiring.makers.items():
            if vertex.delta and edge.kind is not EdgeKind.CAPTURE and not vertex.relation.view:
                most = self.wiring.at_most(vertex)
                rewires = (rewire for rewire in self.of(vertex) if rewire.edge != edge)
                yield from (rewire for rewire in rewires if self.wiring.at_least(rewire) < most)

    def of(self, vertex: Vertex) -> Iterator[Rewire]:
        yield from self._again(vertex)
        if vertex.driven is not None:
            yield from (Rewire(edge, further) for edge, further in self._joins(vertex))
            return
        yield from self._copies(vertex)
        if len(vertex.relation.inputs) > 1:
            yield from self._unions(vertex)

    def _again(self, vertex: Vertex) -> Iterator[Rewire]:
        for edge in self.first.get(vertex, ()):
            if all(source in self.wiring.serves for source in edge.sources):
                yield Rewire(edge)

    def _copies(self, vertex: Vertex) -> Iterator[Rewire]:
        for delta in self.inventory.deltas(vertex.relation):
            if delta != vertex:
                yield Rewire(Edge(EdgeKind.COPY, (delta,), vertex))

    def _joins(self, half: Vertex) -> Iterator[tuple[Edge, tuple[Edge, ...]]]:
        """Joins that make a half, each with the edges that bring what it reads."""
        driving = half.driven
        assert driving is not None
        rest = part(half.relation, names_of(half.relation) - names_of(driving))
        deltas = list(self._deltas(driving, half.site))
        for (delta, first), (rows, second) in product(deltas, self._rows(rest, half.site)):
            yield Edge(EdgeKind.JOIN, (delta, rows), half), (*first, *second)

    def _unions(self, vertex: Vertex) -> Iterator[Rewire]:
        """Both halves joined where the delta is wanted."""
        relation, names = vertex.relation, names_of(vertex.relation)
        parts = self.inventory.parts_of(names)
        for left in parts:
            if min(names) in left and names - left in parts:
                yield from self._union(vertex, part(relation, left), part(relation, names - left))

    def _union(self, vertex: Vertex, left: Relation, right: Relation) -> Iterator[Rewire]:
        halves = tuple(Vertex(vertex.relation, vertex.site, True, driving) for driving in (left, right))
        edge = Edge(EdgeKind.UNION, halves, vertex)
        supplies = [[()] if half in self.inventory else list(self._made(half)) for half in halves]
        for first, second in product(*supplies):
            further = tuple(dict.fromkeys((*first, *second)))
            if len({edge.target for edge in further}) == len(further):  # nothing is made twice
                yield Rewire(edge, further)

    def _made(self, half: Vertex) -> Iterator[tuple[Edge, ...]]:
        return ((join, *further) for join, further in self._joins(half))

    def _deltas(self, relation: Relation, site: str) -> Iterator[Supply]:
        """A delta with the changes of a relation at a site: one that is there, else copied from elsewhere."""
        anywhere = self.inventory.deltas(relation)
        here = [delta for delta in anywhere if delta.site == site]
        yield from ((delta, ()) for delta in here)
        if not here:
            copy = Vertex(relation, site, delta=True)
            yield from ((copy, (Edge(EdgeKind.COPY, (delta,), copy),)) for delta in anywhere)

    def _rows(self, relation: Relation, site: str) -> Iterator[Supply]:
        """The rows of a relation at a site: as they are there, else applied from a delta."""
        here = self.inventory.rows(relation, site)
        yield from ((rows, ()) for rows in here)
        if not here:
            for delta, further in self._deltas(relation, site):
                rows = Vertex(delta.relation, site)
                yield rows, (*further, Edge(EdgeKind.APPLY, (delta,), rows))
