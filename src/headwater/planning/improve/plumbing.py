"""Plumbing: views take what they need from each other, as long as every promise is kept.

Section 7 of the paper, in three steps:

    union    the plans of all views as one graph, D                                           (graph.py)
    settle   what several views make at the same site by different edges is made by one       (settling.py)
    climb    again and again the plumbing that saves most dollars, until none saves any       (candidates.py)

A plumbing makes a delta from what the plan has already (a copy, perhaps filtered; a join; a union of joins),
and then drops what served only the old edge.  Its benefit is the dollars of what is dropped minus those of
what is added.  It is carried out if the critical path of every view that gets its changes through it stays
within the view's freshness, no site is asked for more than it has, and no circle arises.

Plumbings affect one another (Figure 4c), so each one is judged again after a step that touched what it reads
or drops; all others keep their judgement, which is what makes climbing fast.

Doubt: greedy.  reinsertion.py looks further, and shows how much climbing leaves on the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.planning.cost.costs import HOUR, Load, exceeded, resource_dollars
from headwater.planning.cost.pricing import Pricing, carries_of
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, incoming, result_vertex
from headwater.planning.improve.candidates import Offers
from headwater.planning.improve.settling import settle, total
from headwater.planning.improve.wiring import Change, Rewire, Wiring
from headwater.planning.relations.relations import Sharing

__all__ = ["Climber", "Plumbed", "Step", "climb"]

LEAST = 1e-9  # of the dollars of the whole plan: less is noise


@dataclass(frozen=True, slots=True)
class Step:
    """A plumbing that was carried out."""

    kind: str  # "settle", "copy", "filter", "join", "union" or "replan"
    sources: tuple[Vertex, ...]
    target: Vertex
    benefit: float  # dollars per hour
    vertices_removed: int  # net of those that were added
    edges_removed: int
    text: str


@dataclass(frozen=True, slots=True)
class Plumbed:
    """A global plan after plumbing. Dollars are resources, per hour."""

    graph: PlanGraph
    steps: tuple[Step, ...]
    dollars_before: float
    dollars_after: float
    before: PlanGraph = field(default_factory=PlanGraph)


def climb(
    graph: PlanGraph,
    sharings: Sequence[Sharing],
    situation: Situation,
    taken: Mapping[str, Load] | None = None,
) -> Plumbed:
    """Plumb a global plan until no plumbing helps. `taken` is what others use of the sites."""
    before = total(graph, sharings, situation)
    settled, steps = _settled(graph, sharings, situation, before)
    climber = Climber(settled, sharings, situation, taken or {}, first=incoming(graph))
    steps += climber.climb()
    after = total(climber.graph, sharings, situation)
    return Plumbed(climber.graph, tuple(steps), before * HOUR, after * HOUR, graph)


def _settled(
    graph: PlanGraph, sharings: Sequence[Sharing], situation: Situation, dollars: float
) -> tuple[PlanGraph, list[Step]]:
    steps = []
    for settled in settle(graph, sharings, _results(graph, sharings), situation):
        vertex, edge = settled.vertex, settled.edge
        text = f"{vertex.text} was made in several ways; now only as {edge.text}"
        vertices = len(graph.vertices) - len(settled.graph.vertices)
        edges = len(graph.edges) - len(settled.graph.edges)
        benefit = (dollars - settled.dollars) * HOUR
        steps.append(Step("settle", edge.sources, vertex, benefit, vertices, edges, text))
        graph, dollars = settled.graph, settled.dollars
    return graph, steps


def _results(graph: PlanGraph, sharings: Iterable[Sharing]) -> dict[str, Vertex]:
    """The vertex of each view."""
    return {sharing.view: result_vertex(graph, sharing.view) for sharing in sharings}


class Climber:
    """Greedy hill climbing. Keeps the judgements of plumbings that a step did not touch."""

    def __init__(
        self,
        graph: PlanGraph,
        sharings: Sequence[Sharing],
        situation: Situation,
        taken: Mapping[str, Load],
        first: Mapping[Vertex, tuple[Edge, ...]] | None = None,
        fixed: frozenset[Vertex] = frozenset(),
    ) -> None:
        self.sharings, self.situation, self.taken = tuple(sharings), situation, dict(taken)
        self.first = first or {}
        self.fixed = fixed  # vertices that must stay as they are made
        self._start(graph)

    def _start(self, graph: PlanGraph) -> None:
        carries = carries_of(graph, self.sharings, self.situation)
        self.pricing = Pricing(self.sharings, self.situation, carries)
        self.wiring = Wiring(graph, _results(graph, self.sharings), self.pricing)
        resources = resource_dollars(graph, self.situation, carries)
        self.dollars = resources.per_second
        self.loads = dict(resources.loads)
        self.least = LEAST * max(resources.per_second, 1e-12)
        self.judged: dict[Rewire, tuple[Change | None, int]] = {}
        self.touched: dict[Vertex, int] = {}
        self.round = 0

    @property
    def graph(self) -> PlanGraph:
        return self.wiring.graph()

    def climb(self) -> list[Step]:
        """Steps until none helps; then again with the seconds that pushes carry now, as long as that pays.

        Within a round the seconds are held, or a step could undo the one before it without end.
        """
        steps: list[Step] = []
        while True:
            before, dollars = self.graph, self.dollars
            new_steps = list(iter(self.step, None))
            self._start(self.graph)
            if self.dollars >= dollars - self.least:
                self._start(before)
                return steps
            steps += new_steps

    def step(self) -> Step | None:
        """Carry out the plumbing that saves most and keeps all promises."""
        for change in self.changes():
            if self.is_feasible(change):
                return self.carry_out(change)
        return None

    def changes(self) -> list[Change]:
        """All plumbings that save something, best first."""
        saving = []
        for rewire in Offers(self.wiring, self.first):
            change = None if rewire.target in self.fixed else self._judge(rewire)
            if change is not None and change.saved > self.least:
                saving.append(change)
        return sorted(saving, key=lambda change: (-change.saved, change.rewire.edge.text))

    def _judge(self, rewire: Rewire) -> Change | None:
        change, at = self.judged.get(rewire, (None, -1))
        if at >= 0 and all(self.touched.get(vertex, 0) <= at for vertex in _looked_at(rewire, change)):
            return change
        change = self.wiring.judge(rewire)
        self.judged[rewire] = (change, self.round)
        return change

    def is_feasible(self, change: Change) -> bool:
        """Whether every promise is kept and no site is asked for more than it has."""
        serves = self.wiring.serves[change.rewire.target]
        for sharing in self.pricing.each_view(serves):
            if self.wiring.seconds(sharing.view, change) > sharing.freshness.total_seconds():
                return False
        return not self.situation.is_limited or not self._overloads(change)

    def _overloads(self, change: Change) -> bool:
        for site, more in self.wiring.loads(change).items():
            if more.cores > 0 or more.gb > 0:
                load = {site: self.loads.get(site, Load()) + more}
                if exceeded(load, self.taken, self.situation):
                    return True
        return False

    def carry_out(self, change: Change) -> Step:
        added = change.rewire.further
        vertices, edges = change.removed
        for site, more in self.wiring.loads(change).items():
            self.loads[site] = self.loads.get(site, Load()) + more
        self.wiring.apply(change)
        self.round += 1
        for vertex in (*change.serves, *change.seen, change.rewire.target):
            self.touched[vertex] = self.round
        return Step(
            _kind(change.rewire),
            change.rewire.edge.sources,
            change.rewire.target,
            change.saved * HOUR,
            len(vertices) - len(added),
            len(edges) - len(added) - 1,
            _text(change),
        )


def _looked_at(rewire: Rewire, change: Change | None) -> Iterable[Vertex]:
    return (rewire.target, *rewire.edge.sources) if change is None else change.seen


def _kind(rewire: Rewire) -> str:
    edge = rewire.edge
    if edge.kind is EdgeKind.COPY and edge.sources[0].site == edge.target.site:
        return "filter"
    return edge.kind.value


def _text(change: Change) -> str:
    edge, (vertices, edges) = change.rewire.edge, change.removed
    sources = " and ".join(source.text for source in edge.sources)
    copies = sum(further.kind is EdgeKind.COPY for further in change.rewire.further)
    extra = f" with {copies} further cop{'y' if copies == 1 else 'ies'}" if copies else ""
    return (
        f"{edge.target.text} by {edge.kind.value} from {sources}{extra};"
        f" {len(vertices)} vertices and {len(edges)} edges are no longer needed"
    )
