"""A plan: a DAG of vertices (a relation or a delta, at a site) and edges (operators that move changes on).

    capture    R -> dR                   where R is a source: changes are recorded beside the relation
    copy       dR at m -> dR at n        between sites; may filter and project on the way
    join       dA, B -> d(dA * B)        a half-way join: the delta of one side against the other, at one site
    union      halves -> dR              at the site where both halves were joined
    aggregate  dR -> dV                  what a view with GROUP BY does last; `compute` is any other tail
    apply      dR -> R                   at one site

Every vertex and edge records the views that it serves.  Merging two plans is a union of both, and what
serves nobody is dropped.  A graph is a value: all changes make a new one.

Within the plan of one view every vertex has at most one incoming edge.  In a merged graph it may have
several (two views make the same relation in two ways), and then the views on the edges tell them apart.

Hashes are computed once and kept: a graph is all dictionaries of vertices, and a vertex is a deep value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from headwater.errors import InternalError
from headwater.planning.relations.relations import Relation

__all__ = [
    "Edge",
    "EdgeKind",
    "PlanGraph",
    "Vertex",
    "ancestors",
    "drop_idle",
    "graph_of",
    "incoming",
    "outgoing",
    "part_of",
    "result_vertex",
    "sources_of",
    "topological",
    "trim",
    "union",
    "without_views",
]


class EdgeKind(Enum):
    __hash__ = object.__hash__  # of one object each; Enum's own hashes the name, in Python

    CAPTURE = "capture"
    COPY = "copy"
    JOIN = "join"
    UNION = "union"
    AGGREGATE = "aggregate"
    COMPUTE = "compute"
    APPLY = "apply"


@dataclass(frozen=True, slots=True)
class Vertex:
    """A relation or its delta at a site; `driven` marks a half: its delta joined with the rest."""

    relation: Relation
    site: str
    delta: bool = False
    driven: Relation | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.relation, self.site, self.delta, self.driven)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def text(self) -> str:
        inside = self.relation.text if self.driven is None else f"{self.relation.text} by {self.driven.text}"
        return f"{'d(' if self.delta else ''}{inside}{')' if self.delta else ''} @ {self.site}"


@dataclass(frozen=True, slots=True)
class Edge:
    kind: EdgeKind
    sources: tuple[Vertex, ...]  # of a join: the delta first, then the relation
    target: Vertex
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.kind.value, self.sources, self.target)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def text(self) -> str:
        sources = ", ".join(source.text for source in self.sources)
        return f"{self.kind.value} {sources} -> {self.target.text}"


@dataclass(frozen=True, slots=True)
class PlanGraph:
    """Edges and vertices with the views they serve."""

    edges: Mapping[Edge, frozenset[str]] = field(default_factory=dict)
    vertices: Mapping[Vertex, frozenset[str]] = field(default_factory=dict)
    _parts: dict[str, PlanGraph] = field(default_factory=dict, init=False, compare=False, repr=False)
    _order: list[Edge] = field(default_factory=list, init=False, compare=False, repr=False)

    def part_of(self, view: str) -> PlanGraph:
        """What serves one view, for it only.  All are found at once: a thousand views ask one by one."""
        if not self._parts:
            edges: dict[str, dict[Edge, frozenset[str]]] = {}
            vertices: dict[str, dict[Vertex, frozenset[str]]] = {}
            alone = {name: frozenset((name,)) for name in self.views}
            for edge, views in self.edges.items():
                for name in views:
                    edges.setdefault(name, {})[edge] = alone[name]
            for vertex, views in self.vertices.items():
                for name in views:
                    vertices.setdefault(name, {})[vertex] = alone[name]
            self._parts.update((name, PlanGraph(edges.get(name, {}), own)) for name, own in vertices.items())
        return self._parts.get(view, PlanGraph())

    @property
    def order(self) -> Sequence[Edge]:
        """The edges in an order in which every vertex is complete before it is read."""
        if not self._order:
            self._order.extend(topological(self))
        return self._order

    @property
    def views(self) -> frozenset[str]:
        return frozenset().union(*self.vertices.values())

    @property
    def size(self) -> int:
        """Vertices and edges: what Figure 13 of the paper counts."""
        return len(self.vertices) + len(self.edges)


def graph_of(edges: Iterable[Edge], *views: str, vertices: Iterable[Vertex] = ()) -> PlanGraph:
    """Edges and the vertices at their ends (and further ones), all serving the same views."""
    serves = frozenset(views)
    kept = dict.fromkeys(edges, serves)
    ends = (end for edge in kept for end in (*edge.sources, edge.target))
    return PlanGraph(kept, dict.fromkeys((*ends, *vertices), serves))


def union(graphs: Iterable[PlanGraph]) -> PlanGraph:
    """The paper's D: all plans as one. Equal vertices and edges are there once, for the views of all."""
    edges: dict[Edge, frozenset[str]] = {}
    vertices: dict[Vertex, frozenset[str]] = {}
    for graph in graphs:
        for edge, views in graph.edges.items():
            edges[edge] = edges.get(edge, frozenset()) | views
        for vertex, views in graph.vertices.items():
            vertices[vertex] = vertices.get(vertex, frozenset()) | views
    return PlanGraph(edges, vertices)


def part_of(graph: PlanGraph, *views: str) -> PlanGraph:
    """What serves any of these views, for them only."""
    if len(views) == 1:
        return graph.part_of(views[0])
    wanted = frozenset(views)
    return drop_idle(
        PlanGraph(
            {edge: serves & wanted for edge, serves in graph.edges.items()},
            {vertex: serves & wanted for vertex, serves in graph.vertices.items()},
        )
    )


def without_views(graph: PlanGraph, *views: str) -> PlanGraph:
    """The graph once these views are dropped: what only they used is gone, the rest is untouched."""
    return part_of(graph, *(graph.views - frozenset(views)))


def drop_idle(graph: PlanGraph) -> PlanGraph:
    """The graph without what serves nobody."""
    return PlanGraph(
        {edge: serves for edge, serves in graph.edges.items() if serves},
        {vertex: serves for vertex, serves in graph.vertices.items() if serves},
    )


def trim(graph: PlanGraph, results: Mapping[str, Vertex]) -> PlanGraph:
    """Keep for every view only what leads to its result, along edges that serve it; drop the rest."""
    parts = []
    for view, result in results.items():
        vertices, edges = ancestors(graph, (result,), view)
        parts.append(graph_of(edges, view, vertices=(*vertices, result)))
    return union(parts)


def incoming(graph: PlanGraph, view: str | None = None) -> dict[Vertex, tuple[Edge, ...]]:
    """The edges into each vertex; of one view only, if it is given."""
    into: defaultdict[Vertex, list[Edge]] = defaultdict(list)
    for edge, serves in graph.edges.items():
        if view is None or view in serves:
            into[edge.target].append(edge)
    return {vertex: tuple(edges) for vertex, edges in into.items()}


def outgoing(graph: PlanGraph, view: str | None = None) -> dict[Vertex, tuple[Edge, ...]]:
    """The edges out of each vertex; of one view only, if it is given."""
    out: defaultdict[Vertex, list[Edge]] = defaultdict(list)
    for edge, serves in graph.edges.items():
        if view is None or view in serves:
            for source in edge.sources:
                out[source].append(edge)
    return {vertex: tuple(edges) for vertex, edges in out.items()}


def ancestors(
    graph: PlanGraph, vertices: Iterable[Vertex], view: str | None = None
) -> tuple[frozenset[Vertex], frozenset[Edge]]:
    """ANC of the paper: the vertices and edges that these vertices are made from, without themselves."""
    start = frozenset(vertices)
    into = incoming(graph, view)
    seen: set[Vertex] = set()
    edges: set[Edge] = set()
    waiting = list(start)
    while waiting:
        for edge in into.get(waiting.pop(), ()):
            edges.add(edge)
            fresh = [source for source in edge.sources if source not in seen]
            seen.update(fresh)
            waiting += fresh
    return frozenset(seen - start), frozenset(edges)


def topological(graph: PlanGraph) -> tuple[Edge, ...]:
    """The edges in an order in which every vertex is complete before it is read."""
    into, out = incoming(graph), outgoing(graph)
    missing = {vertex: len(edges) for vertex, edges in into.items()}
    ready = [vertex for vertex in graph.vertices if vertex not in missing]
    open_sources = {edge: len(set(edge.sources)) for edge in graph.edges}
    order: list[Edge] = []
    for vertex in ready:  # grows while it is walked
        for edge in out.get(vertex, ()):
            open_sources[edge] -= 1
            if open_sources[edge] == 0:
                order.append(edge)
                missing[edge.target] -= 1
                if missing[edge.target] == 0:
                    ready.append(edge.target)
    if len(order) < len(graph.edges):
        raise InternalError("HW930", "a plan's edges form a circle, or one of its ends is no vertex of it")
    return tuple(order)


def sources_of(graph: PlanGraph, view: str | None = None) -> frozenset[Vertex]:
    """SRC of the paper: the vertices into which nothing leads."""
    into = incoming(graph, view)
    return frozenset(
        vertex
        for vertex, serves in graph.vertices.items()
        if vertex not in into and (view is None or view in serves)
    )


def result_vertex(graph: PlanGraph, view: str) -> Vertex:
    """MV of the paper: the vertex of a view, the one relation that nothing of its plan reads."""
    part = graph.part_of(view)
    read = {source for edge in part.edges for source in edge.sources}
    ends = [vertex for vertex in part.vertices if vertex not in read and not vertex.delta]
    if len(ends) != 1:
        raise InternalError("HW931", f"the plan of {view} ends in {len(ends)} relations, not in one")
    return ends[0]
