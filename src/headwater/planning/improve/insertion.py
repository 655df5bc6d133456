"""The cheapest way to get a view's core to its site when a plan exists already: what is there is free.

The dynamic program of the paper's JoinCost with three differences: a relation of the plan (or one that
contains what is wanted) costs nothing more; both sides of a join may be joins; and it is judged by what is
added.

    d(S, m)      the delta of the join of inputs S at site m is the cheapest of
      there      the plan has it, or it is a source at home
      copied     from d(S, n)
      joined     d(X, m), d(Y, m) and the rows of both at m, for two parts X and Y of S
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

from headwater.planning.cost.pricing import Pricing
from headwater.planning.graph.graph import Edge, EdgeKind, Vertex
from headwater.planning.graph.site_relations import base, captured
from headwater.planning.improve.inventory import Inventory
from headwater.planning.relations.parts import is_connected, part, splits
from headwater.planning.relations.relations import Names, Relation, Sharing

__all__ = ["insert"]


class Derivation(NamedTuple):
    """A vertex, what it costs to add it, and the edge and the other derivations that it is made by."""

    cost: float
    vertex: Vertex
    edge: Edge | None = None
    before: tuple[Derivation, ...] = ()

    def edges(self) -> Iterator[Edge]:
        for derivation in self.before:
            yield from derivation.edges()
        if self.edge is not None:
            yield self.edge


def insert(
    sharing: Sharing, sites: Sequence[str], inventory: Inventory, pricing: Pricing
) -> dict[Vertex, Edge]:
    """The edges to add to what the plan has, so that the delta of the view's core is at its site."""
    derivation = _Insertion(sharing, sites, inventory, pricing).best()
    added: dict[Vertex, Edge] = {}
    for edge in derivation.edges():
        if edge.target not in inventory:
            added.setdefault(edge.target, edge)
    return added


@lru_cache(maxsize=200_000)
def _vertex(relation: Relation, site: str, delta: bool = True, driven: Relation | None = None) -> Vertex:
    return Vertex(relation, site, delta, driven)


@lru_cache(maxsize=200_000)
def _edge(kind: EdgeKind, target: Vertex, *sources: Vertex) -> Edge:
    return Edge(kind, sources, target)


def _cost(derivation: Derivation) -> float:
    return derivation.cost


class _Insertion:
    def __init__(
        self, sharing: Sharing, sites: Sequence[str], inventory: Inventory, pricing: Pricing
    ) -> None:
        self.core, self.site = sharing.core, sharing.site
        self.sites, self.inventory, self.pricing = sites, inventory, pricing
        self.period = pricing.period(pricing.bits[sharing.view])
        self.deltas: dict[Names, dict[str, Derivation]] = {}
        self.rows: dict[tuple[Names, str], Derivation] = {}

    def best(self) -> Derivation:
        """The delta of the core itself at the view's site, not of something that contains it."""
        names = self.core.names
        crossing = not is_connected(self.core, names)  # then any parts may be joined
        for count in range(1, len(names) + 1):
            for chosen in map(frozenset, combinations(sorted(names), count)):
                if crossing or is_connected(self.core, chosen):
                    self.deltas[chosen] = self._cheapest_deltas(chosen)
        delta = self.deltas[names][self.site]
        if delta.vertex.relation == self.core:
            return delta
        return self._made(_vertex(self.core, self.site), EdgeKind.COPY, delta)

    def _cheapest_deltas(self, names: Names) -> dict[str, Derivation]:
        """The cheapest delta of a join of inputs at every site."""
        relation = part(self.core, names)
        cheapest = {delta.vertex.site: delta for delta in self._existing(relation)}
        for left, right in splits(names):
            if left in self.deltas and right in self.deltas:
                for site in self.sites:
                    if site not in cheapest or cheapest[site].cost > 0:
                        joined = self._joined(relation, left, right, site)
                        cheapest[site] = min(cheapest.get(site, joined), joined, key=_cost)
        return {site: self._brought(relation, site, cheapest) for site in self.sites}

    def _existing(self, relation: Relation) -> Iterator[Derivation]:
        """Deltas that are there: of the plan, or captured at home. The relation itself comes last."""
        if len(relation.inputs) == 1:
            source = base(relation.inputs[0], self.pricing.situation.home(relation.inputs[0]))
            yield Derivation(0.0, source.delta, captured(source))
        for delta in sorted(self.inventory.deltas(relation), key=lambda delta: delta.relation == relation):
            yield Derivation(0.0, delta)

    def _brought(self, relation: Relation, site: str, deltas: dict[str, Derivation]) -> Derivation:
        """The cheapest delta at a site: made there, or copied from another."""
        target = _vertex(relation, site)
        here = [deltas[site]] if site in deltas else []
        copies = [
            self._made(target, EdgeKind.COPY, delta) for other, delta in deltas.items() if other != site
        ]
        return min(here + copies, key=_cost)

    def _joined(self, relation: Relation, left: Names, right: Names, site: str) -> Derivation:
        """Both halves joined at a site, and united."""
        halves = self._half(relation, left, right, site), self._half(relation, right, left, site)
        union = self._made(_vertex(relation, site), EdgeKind.UNION, *halves)
        if not (halves[0].before and halves[1].before):
            return union
        # Each delta was counted for its half and, unless the plan has them, for its rows.
        twice = sum(self.deltas[side][site].cost for side in (left, right) if self._rows(side, site).cost)
        return union._replace(cost=union.cost - twice)

    def _half(self, relation: Relation, driving: Names, rest: Names, site: str) -> Derivation:
        """The delta of one part against the rows of the other, joined at a site."""
        half = _vertex(relation, site, True, part(self.core, driving))
        if half in self.inventory:
            return Derivation(0.0, half)
        return self._made(half, EdgeKind.JOIN, self.deltas[driving][site], self._rows(rest, site))

    def _rows(self, names: Names, site: str) -> Derivation:
        """The rows where a delta is: there already, or applied from it."""
        rows = self.rows.get((names, site))
        if rows is None:
            rows = self.rows[names, site] = self._rows_beside(names, self.deltas[names][site])
        return rows

    def _rows_beside(self, names: Names, delta: Derivation) -> Derivation:
        site = delta.vertex.site
        for rows in self.inventory.rows(part(self.core, names), site):
            return Derivation(0.0, rows)
        rows = _vertex(delta.vertex.relation, site, False)
        if rows.relation.is_base and self.pricing.situation.home(rows.relation.inputs[0]) == site:
            return Derivation(0.0, rows)
        return self._made(rows, EdgeKind.APPLY, delta)

    def _made(self, target: Vertex, kind: EdgeKind, *before: Derivation) -> Derivation:
        edge = _edge(kind, target, *[derivation.vertex for derivation in before])
        own = self.pricing.edge_every(edge, self.period) + self.pricing.vertex(target)
        return Derivation(own + sum([derivation.cost for derivation in before]), target, edge, before)
