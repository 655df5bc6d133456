"""The cheapest way to have a view's core at its site when a plan exists already: what is there is free.

The dynamic program of the paper's JoinCost with three differences: a relation of the plan (or one that
contains what is wanted) costs nothing more; both sides of a join may be joins; and it is judged by what is
added.

    d(S, m)      the delta of the join of inputs S at site m is the cheapest of
      there      the plan has it, or it is a source at home
      copied     from d(S, n)
      joined     d(X, m), d(Y, m) and the rows of both at m, for two parts X and Y of S
      in place   d(X) against Y wherever that is cheapest, d(Y) against X likewise, the halves copied to m
    rows(S, m)   d(S, m) applied, unless the plan has the rows there

Sums count what two branches have in common twice, so a plan that shares within itself may be missed; what is
built from the result has everything once, and its true price is for the caller to find out.

Cost: parts of S * sites^2.  Five inputs on six sites take some tens of milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.placement import base, captured
from headwater.sharing.pricing import Pricing
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.stock import Names, Stock, part

__all__ = ["Way", "insert"]


class Way(NamedTuple):
    """A vertex, what must be added to have it, and by which edge of which other ways it is made."""

    cost: float
    vertex: Vertex
    edge: Edge | None = None
    before: tuple[Way, ...] = ()

    def edges(self) -> Iterator[Edge]:
        for one in self.before:
            yield from one.edges()
        if self.edge is not None:
            yield self.edge


def insert(sharing: Sharing, sites: Sequence[str], stock: Stock, pricing: Pricing) -> dict[Vertex, Edge]:
    """The edges to add to what is in stock, so that the delta of the view's core is at its site."""
    way = _Insertion(sharing, sites, stock, pricing).best()
    added: dict[Vertex, Edge] = {}
    for edge in way.edges():
        if edge.target not in stock:
            added.setdefault(edge.target, edge)
    return added


@lru_cache(maxsize=200_000)
def _vertex(relation: Relation, site: str, delta: bool = True, driven: Relation | None = None) -> Vertex:
    return Vertex(relation, site, delta, driven)


@lru_cache(maxsize=200_000)
def _edge(kind: EdgeKind, target: Vertex, *sources: Vertex) -> Edge:
    return Edge(kind, sources, target)


class _Insertion:
    def __init__(self, sharing: Sharing, sites: Sequence[str], stock: Stock, pricing: Pricing) -> None:
        self.sharing, self.sites, self.stock, self.pricing = sharing, sites, stock, pricing
        self.serves = pricing.bits[sharing.view]
        self.deltas: dict[Names, dict[str, Way]] = {}
        self.rows: dict[tuple[Names, str], Way] = {}
        self.halves: dict[tuple[Names, Names, str], Way] = {}

    def best(self) -> Way:
        """The delta of the core itself at the view's site, not of something that contains it."""
        names = self.sharing.core.names
        crossing = not self.sharing.connected(names)  # then any parts may be joined
        for count in range(1, len(names) + 1):
            for chosen in map(frozenset, combinations(sorted(names), count)):
                if crossing or self.sharing.connected(chosen):
                    self.deltas[chosen] = self._delta(chosen)
        way = self.deltas[names][self.sharing.site]
        if way.vertex.relation == self.sharing.core:
            return way
        return self._copy(way, _vertex(self.sharing.core, self.sharing.site))

    def _relation(self, names: Names) -> Relation:
        return self.sharing.core if names == self.sharing.core.names else part(self.sharing.core, names)

    def _delta(self, names: Names) -> dict[str, Way]:
        """The cheapest delta of a join of inputs at every site."""
        relation = self._relation(names)
        found = {one.vertex.site: one for one in self._there(relation)}
        for left, right in self._parts(names):
            for site in self.sites:
                if site not in found or found[site].cost > 0:
                    way = min(self._joined(relation, left, right, site), key=lambda one: one.cost)
                    if site not in found or way.cost < found[site].cost:
                        found[site] = way
        return {site: self._brought(relation, site, found) for site in self.sites}

    def _there(self, relation: Relation) -> Iterator[Way]:
        if len(relation.inputs) == 1:
            source = base(relation.inputs[0], self.pricing.situation.home(relation.inputs[0]))
            yield Way(0.0, source.delta, captured(source))
        for delta in sorted(self.stock.deltas(relation), key=lambda one: one.relation == relation):
            yield Way(0.0, delta)

    def _brought(self, relation: Relation, site: str, found: dict[str, Way]) -> Way:
        target = _vertex(relation, site)
        copies = [self._copy(way, target) for at, way in found.items() if at != site]
        return min(([found[site]] if site in found else []) + copies, key=lambda one: one.cost)

    def _parts(self, names: Names) -> Iterator[tuple[Names, Names]]:
        """Two joins that make it up, both worth having."""
        first, *others = sorted(names)
        for count in range(len(others)):
            for chosen in combinations(others, count):
                left = frozenset((first, *chosen))
                if left in self.deltas and names - left in self.deltas:
                    yield left, names - left

    def _joined(self, relation: Relation, left: Names, right: Names, site: str) -> Iterator[Way]:
        one, other = self.deltas[left][site], self.deltas[right][site]
        here = (self._half(relation, left, right, site), self._half(relation, right, left, site))
        both = here[0].before and here[1].before  # then each delta was counted for its half and for its rows
        twice = one.cost if both and self._rows(left, site).cost else 0.0
        twice += other.cost if both and self._rows(right, site).cost else 0.0
        yield self._united(relation, here, site, twice)
        brought = (
            self._brought_half(relation, left, right, site),
            self._brought_half(relation, right, left, site),
        )
        yield self._united(relation, brought, site, 0.0)

    def _rows(self, names: Names, site: str) -> Way:
        """The rows where a delta is: there already, or applied from it."""
        found = self.rows.get((names, site))
        if found is None:
            found = self.rows[names, site] = self._rows_at(names, self.deltas[names][site])
        return found

    def _rows_at(self, names: Names, delta: Way) -> Way:
        site = delta.vertex.site
        for rows in self.stock.rows(self._relation(names), site):
            return Way(0.0, rows)
        rows = _vertex(delta.vertex.relation, site, False)
        if rows.relation.is_base and self.pricing.situation.home(rows.relation.inputs[0]) == site:
            return Way(0.0, rows)
        return self._make(rows, EdgeKind.APPLY, delta)

    def _half(self, relation: Relation, by: Names, rest: Names, site: str) -> Way:
        """The delta of one part against the rows of the other, joined at a site."""
        found = self.halves.get((by, rest, site))
        if found is None:
            half = _vertex(relation, site, True, self._relation(by))
            if half in self.stock:
                found = Way(0.0, half)
            else:
                found = self._make(half, EdgeKind.JOIN, self.deltas[by][site], self._rows(rest, site))
            self.halves[by, rest, site] = found
        return found

    def _brought_half(self, relation: Relation, by: Names, rest: Names, site: str) -> Way:
        """A half, joined where that is cheapest and copied to a site."""
        best = self._half(relation, by, rest, site)
        target = _vertex(relation, site, True, self._relation(by))
        for at in self.sites:
            half = self._half(relation, by, rest, at)
            if at != site and half.cost < best.cost:
                best = min(best, self._copy(half, target), key=lambda one: one.cost)
        return best

    def _united(self, relation: Relation, halves: tuple[Way, Way], site: str, twice: float) -> Way:
        way = self._make(_vertex(relation, site), EdgeKind.UNION, *halves)
        return way._replace(cost=way.cost - twice)

    def _copy(self, way: Way, target: Vertex) -> Way:
        return self._make(target, EdgeKind.COPY, way)

    def _make(self, target: Vertex, kind: EdgeKind, *before: Way) -> Way:
        edge = _edge(kind, target, *(one.vertex for one in before))
        own = self.pricing.edge(edge, self.serves) + self.pricing.vertex(target)
        return Way(own + sum(one.cost for one in before), target, edge, before)
