"""What single vertices and edges cost while a plan is being changed, cached so that comparing plans is cheap.

An edge is pushed as often as the most impatient of the views that it serves needs it, so its price depends on
them.  A set of views is a bit mask here, so that the `serves` of edges are united and compared in one
operation.

Invariant: adding up the prices of a graph gives what `resource_dollars` gives for it with the same carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from headwater.planning.cost.costs import carried, edge_cost, longest, timed, vertex_cost, window
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, PlanGraph, Vertex
from headwater.planning.relations.relations import Sharing

__all__ = ["Pricing", "carries_of"]

Seconds = float


def carries_of(graph: PlanGraph, sharings: Iterable[Sharing], situation: Situation) -> dict[str, Seconds]:
    """The seconds of changes that a usual push of each view carries in a graph."""
    return {sharing.view: carried(graph, sharing.view, sharing.freshness, situation) for sharing in sharings}


class Pricing:
    """Prices in one situation, for views whose pushes carry the given seconds of changes."""

    def __init__(
        self, sharings: Sequence[Sharing], situation: Situation, carries: Mapping[str, Seconds]
    ) -> None:
        self.situation = situation
        self.sharings = tuple(sharings)
        self.bits = {sharing.view: 1 << at for at, sharing in enumerate(sharings)}
        self.windows = {sharing.view: window(sharing.freshness) for sharing in sharings}
        self.carries = [carries[sharing.view] for sharing in sharings]
        self._impatient: dict[int, Seconds] = {}
        self._edges: dict[tuple[Edge, Seconds], tuple[float, float]] = {}
        self._vertices: dict[Vertex, tuple[float, float]] = {}
        self._times: dict[tuple[Edge, Seconds], Seconds] = {}

    def bits_of(self, views: Iterable[str]) -> int:
        return sum(self.bits[view] for view in views)

    def views_of(self, serves: int) -> frozenset[str]:
        return frozenset(view for view, bit in self.bits.items() if serves & bit)

    def edge(self, edge: Edge, serves: int) -> float:
        """Dollars per second of an edge that serves some views."""
        return self.edge_every(edge, self.period(serves))

    def cores(self, edge: Edge, serves: int) -> float:
        return self._edge(edge, self.period(serves))[1]

    def period(self, serves: int) -> Seconds:
        """The seconds of changes that a push for some views carries: as the most impatient of them needs."""
        seconds = self._impatient.get(serves)
        if seconds is None:
            seconds = self._impatient[serves] = min(
                carries for at, carries in enumerate(self.carries) if serves >> at & 1
            )
        return seconds

    def edge_every(self, edge: Edge, seconds: Seconds) -> float:
        """Dollars per second of an edge whose pushes carry so many seconds of changes."""
        price = self._edges.get((edge, seconds))
        return (price or self._edge(edge, seconds))[0]

    def vertex(self, vertex: Vertex) -> float:
        """Dollars per second of what a vertex stores."""
        price = self._vertices.get(vertex)
        return (price or self._vertex(vertex))[0]

    def gigabytes(self, vertex: Vertex) -> float:
        return self._vertex(vertex)[1]

    def time(self, edge: Edge, seconds: Seconds) -> Seconds:
        """How long an edge takes for some seconds of changes."""
        key = edge, seconds
        duration = self._times.get(key)
        if duration is None:
            duration = self._times[key] = timed(edge, seconds, self.situation).seconds
        return duration

    def delay(self, vertex: Vertex) -> Seconds:
        """How late a source is, if it is a view that is read by another view."""
        return longest(PlanGraph({}, {vertex: frozenset()}), 0.0, self.situation).seconds

    def _edge(self, edge: Edge, seconds: Seconds) -> tuple[float, float]:
        price = self._edges.get((edge, seconds))
        if price is None:
            price = self._edges[edge, seconds] = edge_cost(edge, seconds, self.situation)
        return price

    def _vertex(self, vertex: Vertex) -> tuple[float, float]:
        price = self._vertices.get(vertex)
        if price is None:
            price = self._vertices[vertex] = vertex_cost(vertex, self.situation)
        return price

    def each_view(self, serves: int) -> Iterator[Sharing]:
        return (sharing for at, sharing in enumerate(self.sharings) if serves >> at & 1)
