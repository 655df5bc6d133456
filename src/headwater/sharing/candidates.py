"""Which plumbings a plan offers: other ways to make a delta from what the plan has already.

    copy    dR at m   from dR' at another site, or at m itself: R' is R, or contains it (and is filtered)
    join    a half of R at m   from a delta of its driving part and the rows of the rest, each of which is
                               at m, or is copied to m ("up to two copies")
    both    dR at m   as the union of two such halves, for any two parts of R that the plan has deltas of
    again   dR at m   as a view of the plan first made it, when that is possible without anything new

Only vertices of the same inputs can be candidates for each other, so they are looked up by their inputs;
which relation contains which is worked out once for each pair.

Where a part must be copied, all sites that have it are offered, and the judge chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.relations import Relation
from headwater.sharing.stock import Stock, names_of, part
from headwater.sharing.wiring import Rewire, Wiring

__all__ = ["Offers"]

Recipe = tuple[Vertex, tuple[Edge, ...]]  # a vertex, and the edges that make it if it is not there


class Offers:
    """The plumbings of a wiring as it is now."""

    def __init__(self, wiring: Wiring, first: Mapping[Vertex, Iterable[Edge]]) -> None:
        self.wiring = wiring
        self.first = first
        self.stock = Stock(wiring.serves)

    def __iter__(self) -> Iterator[Rewire]:
        """All that could save something; what cannot is left out without being judged."""
        for vertex, edge in self.wiring.made.items():
            if vertex.delta and edge.kind is not EdgeKind.CAPTURE and not vertex.relation.view:
                most = self.wiring.at_most(vertex)
                found = (one for one in self.of(vertex) if one.edge != edge)
                yield from (one for one in found if self.wiring.at_least(one) < most)

    def of(self, vertex: Vertex) -> Iterator[Rewire]:
        yield from self._again(vertex)
        yield from self._copies(vertex)
        if vertex.driven is not None:
            yield from (Rewire(edge, further) for edge, further in self._halves(vertex))
        elif len(vertex.relation.inputs) > 1:
            yield from self._unions(vertex)

    def _again(self, vertex: Vertex) -> Iterator[Rewire]:
        for edge in self.first.get(vertex, ()):
            if all(source in self.wiring.serves for source in edge.sources):
                yield Rewire(edge)

    def _copies(self, vertex: Vertex) -> Iterator[Rewire]:
        return (Rewire(Edge(EdgeKind.COPY, (other,), vertex)) for other in self.stock.like(vertex))

    def _halves(self, half: Vertex) -> Iterator[tuple[Edge, tuple[Edge, ...]]]:
        """Joins that make a half where it lies."""
        driving = half.driven
        assert driving is not None
        rest = part(half.relation, names_of(half.relation) - names_of(driving))
        deltas = list(self._deltas(driving, half.site))
        for (delta, first), (rows, second) in product(deltas, self._rows(rest, half.site)):
            yield Edge(EdgeKind.JOIN, (delta, rows), half), (*first, *second)

    def _unions(self, vertex: Vertex) -> Iterator[Rewire]:
        """Both halves made where the delta lies."""
        relation, names = vertex.relation, names_of(vertex.relation)
        for left in [found for found in self.stock.wholes if found < names and min(names) in found]:
            if names - left in self.stock.wholes:
                yield from self._union(vertex, part(relation, left), part(relation, names - left))

    def _union(self, vertex: Vertex, left: Relation, right: Relation) -> Iterator[Rewire]:
        halves = tuple(Vertex(vertex.relation, vertex.site, True, one) for one in (left, right))
        edge = Edge(EdgeKind.UNION, halves, vertex)
        ways = [[()] if half in self.stock else list(self._made(half)) for half in halves]
        for first, second in product(*ways):
            further = tuple(dict.fromkeys((*first, *second)))
            if len({one.target for one in further}) == len(further):  # nothing in two ways
                yield Rewire(edge, further)

    def _made(self, half: Vertex) -> Iterator[tuple[Edge, ...]]:
        return ((edge, *further) for edge, further in self._halves(half))

    def _deltas(self, relation: Relation, site: str) -> Iterator[Recipe]:
        """A delta with the changes of a relation at a site: one that is there, else copied from elsewhere."""
        found = self.stock.deltas(relation)
        here = [one for one in found if one.site == site]
        yield from ((one, ()) for one in here)
        if not here:
            there = Vertex(relation, site, delta=True)
            yield from ((there, (Edge(EdgeKind.COPY, (one,), there),)) for one in found)

    def _rows(self, relation: Relation, site: str) -> Iterator[Recipe]:
        """The rows of a relation at a site: as they are there, else applied from a delta."""
        here = self.stock.rows(relation, site)
        yield from ((one, ()) for one in here)
        if not here:
            for delta, further in self._deltas(relation, site):
                rows = Vertex(delta.relation, site)
                yield rows, (*further, Edge(EdgeKind.APPLY, (delta,), rows))
