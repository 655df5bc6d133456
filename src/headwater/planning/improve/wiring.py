"""A global plan that is being changed: for every vertex the one edge that makes it, and the views it serves.

A `Rewire` gives a vertex another edge, and brings the edges that make what the new one reads and is not there
yet.  Then the views of the vertex flow up the new edge and no longer up the old one; what serves nobody any
more is gone.

    gain   the views of v are added to everything that the new edge comes from, as far as they are new there
    loss   what the old edge reads serves the union of what its remaining readers serve; where that is less
           than before, the same is asked of what it is made from

Cost: a rewiring is judged in time proportional to the vertices whose views change, without touching the plan.
Invariants: no circle (the new edge must not come from v itself); every vertex but a source has one edge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from headwater.errors import InternalError
from headwater.planning.cost.costs import Load
from headwater.planning.cost.pricing import Pricing
from headwater.planning.graph.graph import Edge, PlanGraph, Vertex

__all__ = ["Change", "Rewire", "Wiring"]


@dataclass(frozen=True, slots=True)
class Rewire:
    """Make a vertex by this edge from now on; `further` edges make what it reads and is not there."""

    edge: Edge
    further: tuple[Edge, ...] = ()

    @property
    def target(self) -> Vertex:
        return self.edge.target


@dataclass(frozen=True, slots=True)
class Change:
    """What a rewiring would do: dollars per second saved, who serves whom then, and what it looked at."""

    rewire: Rewire
    saved: float
    serves: Mapping[Vertex, int]  # of every vertex whose views change
    seen: frozenset[Vertex]
    removed: tuple[tuple[Vertex, ...], tuple[Edge, ...]]


class Wiring:
    """Changes in place: `apply` is the only method that does."""

    def __init__(self, graph: PlanGraph, results: Mapping[str, Vertex], pricing: Pricing) -> None:
        self.pricing = pricing
        self.results = dict(results)
        self.makers: dict[Vertex, Edge] = {}
        self.serves: dict[Vertex, int] = {
            vertex: pricing.bits_of(views) for vertex, views in graph.vertices.items()
        }
        self.readers: defaultdict[Vertex, set[Edge]] = defaultdict(set)
        self.pinned: defaultdict[Vertex, int] = defaultdict(int)
        for view, vertex in results.items():
            self.pinned[vertex] |= pricing.bits[view]
        for edge in graph.edges:
            if edge.target in self.makers:
                raise InternalError("HW935", f"two edges make {edge.target.text}")
            self._connect(edge)

    def _connect(self, edge: Edge) -> None:
        self.makers[edge.target] = edge
        for source in edge.sources:
            self.readers[source].add(edge)

    def graph(self) -> PlanGraph:
        """The wiring as a graph, which is a value, with the names of the views."""
        names = {serves: self.pricing.views_of(serves) for serves in set(self.serves.values())}
        return PlanGraph(
            {edge: names[self.serves[vertex]] for vertex, edge in self.makers.items()},
            {vertex: names[serves] for vertex, serves in self.serves.items()},
        )

    def comes_from(self, vertices: Iterable[Vertex], ancestor: Vertex) -> bool:
        """Whether any of these vertices is, or is made from, another one."""
        waiting, seen = list(vertices), set()
        while waiting:
            vertex = waiting.pop()
            if vertex == ancestor:
                return True
            edge = self.makers.get(vertex)
            if edge is not None and vertex not in seen:
                seen.add(vertex)
                waiting += edge.sources
        return False

    def at_most(self, vertex: Vertex) -> float:
        """No rewiring of a vertex can save more: all that serves its views alone, and its present edge."""
        views = self.serves[vertex]
        saved = self.pricing.edge(self.makers[vertex], views)
        waiting, seen = list(self.makers[vertex].sources), set()
        while waiting:
            source = waiting.pop()
            if source not in seen:
                seen.add(source)
                edge = self.makers.get(source)
                before = self.serves[source]
                saved += self._released(source, edge, before, before & ~views)
                waiting += edge.sources if edge is not None else ()
        return saved

    def _released(self, vertex: Vertex, edge: Edge | None, before: int, after: int) -> float:
        saved = 0.0 if after else self.pricing.vertex(vertex)
        if edge is not None:
            saved += self.pricing.edge(edge, before) - (self.pricing.edge(edge, after) if after else 0.0)
        return saved

    def at_least(self, rewire: Rewire) -> float:
        """What a rewiring adds, whatever it saves: its edges and the vertices that are new."""
        views = self.serves[rewire.target]
        edges = sum(self.pricing.edge(edge, views) for edge in (*rewire.further, rewire.edge))
        return edges + sum(self.pricing.vertex(edge.target) for edge in rewire.further)

    def judge(self, rewire: Rewire) -> Change | None:
        """What a rewiring would do; None if it would close a circle."""
        makers = {edge.target: edge for edge in rewire.further}
        sources = [source for edge in (rewire.edge, *rewire.further) for source in edge.sources]
        if self.comes_from((source for source in sources if source not in makers), rewire.target):
            return None
        overlay = _Overlay(self, rewire, makers)
        overlay.gain()
        overlay.lose()
        return overlay.change()

    def apply(self, change: Change) -> None:
        """Carry a change out."""
        old = self.makers[change.rewire.target]
        for edge in change.rewire.further:
            self._connect(edge)
        self._disconnect(old)
        self._connect(change.rewire.edge)
        for vertex, serves in change.serves.items():
            if serves:
                self.serves[vertex] = serves
            else:
                self._drop(vertex)

    def _disconnect(self, edge: Edge) -> None:
        for source in edge.sources:
            self.readers[source].discard(edge)

    def _drop(self, vertex: Vertex) -> None:
        del self.serves[vertex]
        edge = self.makers.pop(vertex, None)
        if edge is not None:
            self._disconnect(edge)

    def seconds(self, view: str, change: Change | None = None) -> float:
        """The view's critical path for the most that a push may carry, with a change or without."""
        window = self.pricing.windows[view]
        instead = {} if change is None else {edge.target: edge for edge in change.rewire.further}
        if change is not None:
            instead[change.rewire.target] = change.rewire.edge
        ready: dict[Vertex, float] = {}

        def ready_at(vertex: Vertex) -> float:
            seconds = ready.get(vertex)
            if seconds is None:
                edge = instead.get(vertex) or self.makers.get(vertex)
                if edge is None:
                    seconds = self.pricing.delay(vertex)
                else:
                    seconds = max(map(ready_at, edge.sources)) + self.pricing.time(edge, window)
                ready[vertex] = seconds
            return seconds

        return ready_at(self.results[view])

    def loads(self, change: Change) -> dict[str, Load]:
        """How much more each site has to do after a change, or less."""
        more: defaultdict[str, Load] = defaultdict(Load)
        for vertex, (old, new), before, after in self.effects(change):
            gb = self.pricing.gigabytes(vertex) * (bool(after) - bool(before))
            cores = self._cores(new, after) - self._cores(old, before)
            more[vertex.site] += Load(cores, gb)
        return dict(more)

    def _cores(self, edge: Edge | None, serves: int) -> float:
        return self.pricing.cores(edge, serves) if edge is not None and serves else 0.0

    def effects(self, change: Change) -> Iterator[tuple[Vertex, tuple[Edge | None, Edge | None], int, int]]:
        """Each vertex that a change concerns: its edge before and after, whom it serves before and after."""
        makers = {edge.target: edge for edge in change.rewire.further}
        target = change.rewire.target
        for vertex, after in change.serves.items():
            edge = self.makers.get(vertex)
            yield vertex, (edge, makers.get(vertex, edge)), self.serves.get(vertex, 0), after
        serves = self.serves[target]
        yield target, (self.makers[target], change.rewire.edge), serves, serves


class _Overlay:
    """A rewiring on top of a wiring that it leaves alone."""

    def __init__(self, wiring: Wiring, rewire: Rewire, makers: Mapping[Vertex, Edge]) -> None:
        self.wiring, self.rewire, self.makers = wiring, rewire, makers
        self.old = wiring.makers[rewire.target]
        self.changed: dict[Vertex, int] = {}
        self.seen: set[Vertex] = {rewire.target}
        self.new_readers: defaultdict[Vertex, list[Edge]] = defaultdict(list)
        for edge in (rewire.edge, *rewire.further):
            for source in edge.sources:
                self.new_readers[source].append(edge)

    def serves(self, vertex: Vertex) -> int:
        changed = self.changed.get(vertex)
        return self.wiring.serves.get(vertex, 0) if changed is None else changed

    def maker(self, vertex: Vertex) -> Edge | None:
        return self.makers.get(vertex) or self.wiring.makers.get(vertex)

    def gain(self) -> None:
        views = self.wiring.serves[self.rewire.target]
        waiting = list(self.rewire.edge.sources)
        while waiting:
            vertex = waiting.pop()
            self.seen.add(vertex)
            before = self.serves(vertex)
            if before | views != before:
                self.changed[vertex] = before | views
                edge = self.maker(vertex)
                waiting += edge.sources if edge is not None else ()

    def lose(self) -> None:
        waiting = list(self.old.sources)
        while waiting:
            vertex = waiting.pop()
            self.seen.add(vertex)
            remaining = self._remaining(vertex)
            if remaining != self.serves(vertex):
                self.changed[vertex] = remaining
                edge = self.maker(vertex)
                waiting += edge.sources if edge is not None else ()

    def _remaining(self, vertex: Vertex) -> int:
        views = self.wiring.pinned.get(vertex, 0)
        for edge in self.wiring.readers.get(vertex, ()):
            if edge is not self.old:
                views |= self.serves(edge.target)
        for edge in self.new_readers.get(vertex, ()):
            views |= self.serves(edge.target)
        return views

    def change(self) -> Change:
        wiring, pricing = self.wiring, self.wiring.pricing
        serves = {
            vertex: after for vertex, after in self.changed.items() if after != wiring.serves.get(vertex, 0)
        }
        change = Change(self.rewire, 0.0, serves, frozenset(self.seen), ((), ()))
        saved = 0.0
        vertices: list[Vertex] = []
        edges: list[Edge] = [self.old]
        for vertex, (old, new), before, after in wiring.effects(change):
            if before:
                saved += pricing.edge(old, before) if old is not None else 0.0
            if after:
                saved -= pricing.edge(new, after) if new is not None else 0.0
            saved += pricing.vertex(vertex) * (bool(before) - bool(after))
            if before and not after:
                vertices.append(vertex)
                edges += [old] if old is not None else []
        return Change(self.rewire, saved, serves, change.seen, (tuple(vertices), tuple(edges)))
