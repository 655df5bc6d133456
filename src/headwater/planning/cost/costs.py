"""How long a plan takes and what it uses: CP(plan, x), and CPU, network and disk by vertex and edge.

**Time.**  When a view advances by x seconds of changes, an edge handles (rate of its delta) * x tuples, and
takes what the operator's model says.  CP(plan, x) is the longest path from the sources to the view.  An edge
begins when everything that it reads is there, so a relation that the plan itself keeps counts with its apply
edge.

**How many seconds of changes does a push carry?**  A push that starts x seconds after the last one's time
ends when the view is x + CP(x) stale, and the executor lets that become SLACK * freshness, so

    x = SLACK * freshness - CP(x)          but at least CP(x): a push begins after the one before it

CP is piecewise linear and convex in x; the chord from CP(0) to CP(SLACK * freshness) is used instead, which
lies above it, so x comes out a little too small.  Admission looks at CP(SLACK * freshness), the most
that a push may ever have to carry within its promise; prices rest on x.

**Resources**, in dollars per second of real time:

    CPU      seconds of the edge / x, on one core of the site where its target lies
    network  bytes that a copy edge brings to another site, paid by the site that sends
    disk     rows of every relation and the kept changes of every delta, but not of sources: those are there
             whether or not a view reads them

An edge that serves several views is pushed as often as the most impatient of them needs it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, part_of
from headwater.scheduling.due import SLACK
from headwater.units import HOURS_PER_MONTH, number_text

__all__ = [
    "Load",
    "Path",
    "Resources",
    "Situation",
    "Timed",
    "carried",
    "carried_between",
    "critical_path",
    "edge_cost",
    "exceeded",
    "longest",
    "network_dollars",
    "resource_dollars",
    "timed",
    "vertex_cost",
    "window",
]

HOUR = 3600.0
MONTH = HOURS_PER_MONTH * HOUR
SCANNING = {EdgeKind.JOIN, EdgeKind.COMPUTE, EdgeKind.AGGREGATE}


@dataclass(frozen=True, slots=True)
class Timed:
    """An edge with what it has to do in one push and how long that takes."""

    edge: Edge
    seconds: float
    tuples: float
    scanned: float

    @property
    def text(self) -> str:
        scan = f", {self.scanned:,.0f} scanned" if self.scanned else ""
        return f"{self.seconds:8.3f} s  {self.edge.text}  ({self.tuples:,.0f} changes{scan})"


@dataclass(frozen=True, slots=True)
class Path:
    """A longest path, from a source to the view."""

    seconds: float
    steps: tuple[Timed, ...] = ()
    delay: float = 0.0  # before the first step: the path of a view that is read

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(step.edge for step in self.steps)

    @property
    def text(self) -> tuple[str, ...]:
        """Line by line; capturing changes takes no time and is left out."""
        first = (f"{self.delay:8.3f} s  until the view that is read is fresh",) if self.delay else ()
        lines = (step.text for step in self.steps if step.edge.kind is not EdgeKind.CAPTURE)
        return (*first, *lines, f"{self.seconds:8.3f} s  in all")


@dataclass(frozen=True, slots=True)
class Load:
    """The cores and gigabytes of a site that a plan uses, or that are in use already."""

    cores: float = 0.0
    gb: float = 0.0

    def __add__(self, other: Load) -> Load:
        return Load(self.cores + other.cores, self.gb + other.gb)


@dataclass(frozen=True, slots=True)
class Resources:
    """Dollars per second, vertex by vertex and edge by edge, and the load of each site."""

    vertices: Mapping[Vertex, float] = field(default_factory=dict)
    edges: Mapping[Edge, float] = field(default_factory=dict)
    loads: Mapping[str, Load] = field(default_factory=dict)

    @property
    def per_second(self) -> float:
        return sum(self.vertices.values()) + sum(self.edges.values())

    def split(self, graph: PlanGraph) -> dict[str, float]:
        """Dollars per second of each view: what serves several is paid by them in equal parts."""
        shares: defaultdict[str, float] = defaultdict(float)
        for vertex, dollars in self.vertices.items():
            for view in graph.vertices[vertex]:
                shares[view] += dollars / len(graph.vertices[vertex])
        for edge, dollars in self.edges.items():
            for view in graph.edges[edge]:
                shares[view] += dollars / len(graph.edges[edge])
        return dict(shares)


def timed(edge: Edge, seconds: float, situation: Situation) -> Timed:
    """An edge that handles some seconds of changes."""
    rates = [situation.vertex_size(source).rate for source in edge.sources if source.delta]
    read = max(rates, default=0) * seconds
    made = situation.vertex_size(edge.target).rate * seconds
    if edge.kind is EdgeKind.JOIN:
        # Changes without a partner are only read, which is much cheaper than what is written.
        scanned = read + _scanned(edge, situation)
        return Timed(edge, _duration(edge.kind, edge, situation, made, scanned), made, scanned)
    tuples = max(read, made)
    if edge.kind is EdgeKind.CAPTURE:
        return Timed(edge, 0.0, tuples, 0.0)
    scanned = _scanned(edge, situation) if edge.kind in SCANNING else 0.0
    # A copy within a site filters: no file is copied; an action reads and writes the changes, as in a join.
    kind = EdgeKind.JOIN if _filters(edge) else edge.kind
    return Timed(edge, _duration(kind, edge, situation, tuples, scanned), tuples, scanned)


def _duration(kind: EdgeKind, edge: Edge, situation: Situation, tuples: float, scanned: float) -> float:
    return situation.operators.seconds(kind, edge.target.site, tuples, scanned)


def _filters(edge: Edge) -> bool:
    return edge.kind is EdgeKind.COPY and edge.sources[0].site == edge.target.site


def _scanned(edge: Edge, situation: Situation) -> float:
    """What is read of the relation beside the delta; an aggregate reads its own groups."""
    if edge.kind is EdgeKind.AGGREGATE:
        return situation.size(edge.target.relation).rows
    if edge.kind is EdgeKind.JOIN:
        changed, beside = edge.sources
        part = situation.read_share(changed.relation, beside.relation, edge.target.relation)
        return part * situation.size(beside.relation).rows
    return sum(situation.size(source.relation).rows for source in edge.sources if not source.delta)


def critical_path(graph: PlanGraph, view: str, seconds: float, situation: Situation) -> Path:
    """CP of a view's part of a graph when it advances by some seconds of changes."""
    return longest(part_of(graph, view), seconds, situation)


def longest(graph: PlanGraph, seconds: float, situation: Situation) -> Path:
    """The longest path of a whole graph, with its edges.

    The part of a view is the same in most of the plans that are compared, so its path is looked for once.
    """
    if not graph.edges:
        return Path(max((_delay(vertex, situation) for vertex in graph.vertices), default=0.0))
    key = tuple(graph.edges), seconds
    path = situation.paths.get(key)
    if path is None:
        path = situation.paths[key] = _longest(graph, seconds, situation)
    return path


def _longest(graph: PlanGraph, seconds: float, situation: Situation) -> Path:
    ready: dict[Vertex, tuple[float, Timed | None]] = {}

    def ready_at(source: Vertex) -> float:
        return ready[source][0] if source in ready else _delay(source, situation)

    for edge in graph.order:
        begin = max(ready_at(source) for source in edge.sources)
        step = timed(edge, seconds, situation)
        if begin + step.seconds >= ready.get(edge.target, (-1.0, None))[0]:
            ready[edge.target] = (begin + step.seconds, step)
    end = max(ready, key=lambda vertex: ready[vertex][0])
    steps: list[Timed] = []
    at: Vertex = end
    while at in ready:
        last = ready[at][1]
        assert last is not None
        steps.append(last)
        at = max(last.edge.sources, key=ready_at)
    return Path(ready[end][0], tuple(reversed(steps)), _delay(at, situation))


def _delay(source: Vertex, situation: Situation) -> float:
    return situation.delays.get(source.relation.inputs[0].relation, 0.0)


def window(freshness: timedelta) -> float:
    """The most seconds of changes that a push may have to carry."""
    return SLACK * freshness.total_seconds()


def carried(graph: PlanGraph, view: str, freshness: timedelta, situation: Situation) -> float:
    """The seconds of changes that a push of the view carries, as described at the top of this file."""
    most, part = window(freshness), part_of(graph, view)
    low, high = (longest(part, seconds, situation).seconds for seconds in (0.0, most))
    return carried_between(low, high, most)


def carried_between(low: float, high: float, most: float) -> float:
    """The same, given CP of no changes (`low`) and of `most` seconds of changes (`high`)."""
    slope = (high - low) / most
    lazy = (most - low) / (1.0 + slope)
    busy = low / (1.0 - slope) if slope < 1.0 else most
    return max(min(max(lazy, busy), most), 0.001)


def resource_dollars(graph: PlanGraph, situation: Situation, carries: Mapping[str, float]) -> Resources:
    """resCost: dollars per second, when pushes of each view carry so many seconds of changes."""
    edges: dict[Edge, float] = {}
    vertices: dict[Vertex, float] = {}
    cores: defaultdict[str, float] = defaultdict(float)
    gb: defaultdict[str, float] = defaultdict(float)
    for edge, views in graph.edges.items():
        edges[edge], busy = edge_cost(edge, min(carries[view] for view in views), situation)
        cores[edge.target.site] += busy
    for vertex in graph.vertices:
        vertices[vertex], stored = vertex_cost(vertex, situation)
        gb[vertex.site] += stored
    return Resources(
        vertices, edges, {site: Load(cores[site], gb[site]) for site in dict.fromkeys((*cores, *gb))}
    )


def edge_cost(edge: Edge, seconds: float, situation: Situation) -> tuple[float, float]:
    """Dollars per second of an edge whose pushes carry so many seconds of changes, and its busy cores."""
    busy = timed(edge, seconds, situation).seconds / seconds
    return busy * _core_second(edge.target.site, situation) + network_dollars(edge, situation), busy


def vertex_cost(vertex: Vertex, situation: Situation) -> tuple[float, float]:
    """Dollars per second of what a vertex stores, and its gigabytes."""
    stored = situation.stored_bytes(vertex) / 1e9
    return stored * float(situation.sites[vertex.site].prices.gb_month) / MONTH, stored


def _core_second(site: str, situation: Situation) -> float:
    return float(situation.sites[site].prices.core_hour) / HOUR


def network_dollars(edge: Edge, situation: Situation) -> float:
    """Dollars per second of what goes to another site."""
    source, target = edge.sources[0], edge.target
    if edge.kind is not EdgeKind.COPY or source.site == target.site:
        return 0.0
    size = situation.vertex_size(target)
    return size.rate * size.bytes_per_row / 1e9 * float(situation.sites[source.site].prices.gb_transfer)


def exceeded(loads: Mapping[str, Load], taken: Mapping[str, Load], situation: Situation) -> tuple[str, ...]:
    """The capacities that are exceeded, in words."""
    words = []
    for name, load in sorted(loads.items()):
        site, total = situation.sites[name], load + taken.get(name, Load())
        if site.cores is not None and load.cores > 0 and total.cores > site.cores:
            words.append(f"site {name} would need {total.cores:.2f} cores and has {site.cores:g}")
        if site.gb is not None and load.gb > 0 and total.gb > site.gb:
            words.append(f"site {name} would need {number_text(total.gb)} GB and has {number_text(site.gb)}")
    return tuple(words)
