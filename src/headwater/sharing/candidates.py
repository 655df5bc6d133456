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

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product

from headwater.algebra.expressions import Expr
from headwater.sharing import containment
from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.wiring import Rewire, Wiring

__all__ = ["Offers", "contains"]

Names = frozenset[str]
Recipe = tuple[Vertex, tuple[Edge, ...]]  # a vertex, and the edges that make it if it is not there


@lru_cache(maxsize=100_000)
def _residual(part: Relation, whole: Relation) -> tuple[Expr, ...] | None:
    return containment.residual(part, whole)


def contains(whole: Relation, part: Relation) -> bool:
    return whole is part or _residual(part, whole) is not None


@lru_cache(maxsize=20_000)
def _part(relation: Relation, names: Names) -> Relation:
    return Sharing("", relation).part(names)


class Offers:
    """The plumbings of a wiring as it is now."""

    def __init__(self, wiring: Wiring, first: Mapping[Vertex, Iterable[Edge]]) -> None:
        self.wiring = wiring
        self.first = first
        self.deltas: defaultdict[tuple[Names, Names | None], list[Vertex]] = defaultdict(list)
        self.rows: defaultdict[tuple[Names, str], list[Vertex]] = defaultdict(list)
        for vertex in wiring.serves:
            names = _names(vertex.relation)
            if vertex.delta:
                self.deltas[names, _driven(vertex)].append(vertex)
            else:
                self.rows[names, vertex.site].append(vertex)

    def __iter__(self) -> Iterator[Rewire]:
        for vertex, edge in self.wiring.made.items():
            if vertex.delta and edge.kind is not EdgeKind.CAPTURE and not vertex.relation.view:
                yield from (one for one in self.of(vertex) if one.edge != edge)

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
        for other in self.deltas[_names(vertex.relation), _driven(vertex)]:
            if other != vertex and contains(other.relation, vertex.relation):
                yield Rewire(Edge(EdgeKind.COPY, (other,), vertex))

    def _halves(self, half: Vertex) -> Iterator[tuple[Edge, tuple[Edge, ...]]]:
        """Joins that make a half where it lies."""
        driving = half.driven
        assert driving is not None
        rest = _part(half.relation, _names(half.relation) - _names(driving))
        deltas = list(self._deltas(driving, half.site))
        for (delta, first), (rows, second) in product(deltas, self._rows(rest, half.site)):
            yield Edge(EdgeKind.JOIN, (delta, rows), half), (*first, *second)

    def _unions(self, vertex: Vertex) -> Iterator[Rewire]:
        """Both halves made where the delta lies."""
        relation, names = vertex.relation, _names(vertex.relation)
        for left in {found for found, driven in self.deltas if driven is None and found < names}:
            right = names - left
            if min(names) in left and (right, None) in self.deltas:
                yield from self._union(vertex, _part(relation, left), _part(relation, right))

    def _union(self, vertex: Vertex, left: Relation, right: Relation) -> Iterator[Rewire]:
        halves = tuple(Vertex(vertex.relation, vertex.site, True, part) for part in (left, right))
        edge = Edge(EdgeKind.UNION, halves, vertex)
        ways = [[()] if half in self.wiring.serves else list(self._made(half)) for half in halves]
        for first, second in product(*ways):
            yield Rewire(edge, tuple(dict.fromkeys((*first, *second))))

    def _made(self, half: Vertex) -> Iterator[tuple[Edge, ...]]:
        return ((edge, *further) for edge, further in self._halves(half))

    def _deltas(self, relation: Relation, site: str) -> Iterator[Recipe]:
        """A delta with the changes of a relation at a site: one that is there, else copied from elsewhere."""
        found = [one for one in self.deltas[_names(relation), None] if contains(one.relation, relation)]
        here = [one for one in found if one.site == site]
        yield from ((one, ()) for one in here)
        if not here:
            there = Vertex(relation, site, delta=True)
            yield from ((there, (Edge(EdgeKind.COPY, (one,), there),)) for one in found)

    def _rows(self, relation: Relation, site: str) -> Iterator[Recipe]:
        """The rows of a relation at a site: as they are there, else applied from a delta."""
        here = [one for one in self.rows[_names(relation), site] if contains(one.relation, relation)]
        yield from ((one, ()) for one in here)
        if not here:
            for delta, further in self._deltas(relation, site):
                rows = Vertex(delta.relation, site)
                yield rows, (*further, Edge(EdgeKind.APPLY, (delta,), rows))


@lru_cache(maxsize=20_000)
def _names(relation: Relation) -> Names:
    return relation.names


def _driven(vertex: Vertex) -> Names | None:
    return None if vertex.driven is None else _names(vertex.driven)
