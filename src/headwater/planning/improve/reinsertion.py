"""Look further than greedy plumbing: take some views out of the plan and put them back where they cost least.

A plumbing changes how one vertex is made; a better plan may need several changes of which the first alone
costs.  So, again and again:

    take out   a view, or a few views that have much in common; what only they used is gone
    put back   one after the other, in some order, each as cheaply as the rest of the plan offers
    keep it    if the whole is cheaper, every promise is kept and no site has too much to do; else undo

First each view alone, until none moves.  The same is done with a plan that is made from nothing, by putting
in one view after the other, small joins first, and the cheaper one is kept.  Then groups of 2 to 5, chosen
by a seeded generator, for a fixed number of rounds: the same plan always gives the same result.

Cost: a round costs some tens of milliseconds for each view taken out.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.planning.cost.costs import Load, exceeded, longest, resource_dollars, window
from headwater.planning.cost.pricing import Pricing, carries_of
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, PlanGraph, Vertex, part_of, result_vertex
from headwater.planning.improve.insertion import insert
from headwater.planning.improve.inventory import Inventory
from headwater.planning.relations.relations import Sharing

__all__ = ["Draft", "Reinserter", "Tail", "tail_of"]

NOISE = 1e-9  # a plan is cheaper if it saves more than this part


@dataclass(frozen=True, slots=True)
class Tail:
    """What a view does after its core: the edges from the core's delta to the view."""

    result: Vertex
    core: Vertex
    edges: tuple[Edge, ...]


def tail_of(graph: PlanGraph, sharing: Sharing) -> Tail:
    """The last edges of a view's plan, which any other plan for it has too."""
    makers = {edge.target: edge for edge in part_of(graph, sharing.view).edges}
    result = result_vertex(graph, sharing.view)
    core = Vertex(sharing.core, sharing.site, delta=True)
    edges: list[Edge] = []
    waiting = [result]
    while waiting:
        edge = makers.get(waiting.pop())
        if edge is not None and edge not in edges:
            edges.append(edge)
            waiting += [source for source in edge.sources if source != core]
    return Tail(result, core, tuple(reversed(edges)))


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole plan: the edge that makes each vertex, the views (as bits) it serves, dollars per second."""

    makers: Mapping[Vertex, Edge]
    serves: Mapping[Vertex, int]
    dollars: float


class Reinserter:
    """Takes views out of plans and puts them back; all plans are of the same views and priced alike."""

    def __init__(
        self,
        graph: PlanGraph,
        sharings: Sequence[Sharing],
        situation: Situation,
        taken: Mapping[str, Load] | None = None,
        carries: Mapping[str, float] | None = None,
    ) -> None:
        self.sharings = {sharing.view: sharing for sharing in sharings}
        self.situation, self.taken = situation, dict(taken or {})
        self.pricing = Pricing(sharings, situation, carries or carries_of(graph, sharings, situation))
        self.tails = {sharing.view: tail_of(graph, sharing) for sharing in sharings}
        self.sites = tuple(situation.sites)
        self._readers: defaultdict[str, set[str]] = defaultdict(set)  # of each source
        for sharing in sharings:
            for relation in _read(sharing):
                self._readers[relation].add(sharing.view)

    def draft(self, makers: Mapping[Vertex, Edge], views: Iterable[str]) -> Draft:
        """The plan of these views, if vertices are made so; what they do not need is left out."""
        serves = self.serves(makers, views)
        needed = {vertex: makers[vertex] for vertex in serves if vertex in makers}
        dollars = sum(self.pricing.vertex(vertex) for vertex in serves)
        dollars += sum(self.pricing.edge(edge, serves[vertex]) for vertex, edge in needed.items())
        return Draft(needed, serves, dollars)

    def serves(self, makers: Mapping[Vertex, Edge], views: Iterable[str]) -> dict[Vertex, int]:
        """What these views need, if vertices are made so, with those of them that need it (as bits)."""
        serves: dict[Vertex, int] = {}
        for view in views:
            bit = self.pricing.bits[view]
            waiting = [self.tails[view].result]
            while waiting:
                vertex = waiting.pop()
                before = serves.get(vertex, 0)
                if not before & bit:
                    serves[vertex] = before | bit
                    if vertex in makers:
                        waiting += makers[vertex].sources
        return serves

    def draft_of(self, graph: PlanGraph) -> Draft:
        """A graph in which one edge makes each vertex, as a draft."""
        return self.draft({edge.target: edge for edge in graph.edges}, self.sharings)

    def graph(self, draft: Draft) -> PlanGraph:
        names = {serves: self.pricing.views_of(serves) for serves in set(draft.serves.values())}
        return PlanGraph(
            {edge: names[draft.serves[vertex]] for vertex, edge in draft.makers.items()},
            {vertex: names[serves] for vertex, serves in draft.serves.items()},
        )

    def put_back(
        self,
        existing: Mapping[Vertex, Edge],
        there: Collection[Vertex],
        views: Sequence[str],
        all_views: Iterable[str],
    ) -> Draft:
        """A plan with further views, put in one after the other, each as cheaply as what is there allows."""
        inventory = Inventory(there)
        makers = {vertex: existing[vertex] for vertex in there if vertex in existing}
        for view in views:
            tail = self.tails[view]
            if tail.core not in inventory:
                makers |= insert(self.sharings[view], self.sites, inventory, self.pricing)
            for edge in tail.edges:
                makers.setdefault(edge.target, edge)
            for vertex in self.serves(makers, (view,)):
                if vertex not in inventory:
                    inventory.add(vertex)
        return self.draft(makers, all_views)

    def related(self, views: Iterable[str]) -> list[str]:
        """The views that read something that these read, with themselves: only their plans can meet."""
        read = {relation for view in views for relation in _read(self.sharings[view])}
        readers = set().union(*(self._readers[relation] for relation in read))
        return [view for view in self.sharings if view in readers]

    def reinserted(self, draft: Draft, views: Sequence[str]) -> Draft | None:
        """These views taken out and put back in this order, if that is cheaper."""
        related = self.related(views)
        rest = self.serves(draft.makers, [view for view in related if view not in views])
        put = self.put_back(draft.makers, rest, views, related)
        whole = len(related) == len(self.sharings)
        before = draft if whole else self.draft(draft.makers, related)
        if put.dollars >= before.dollars - NOISE * draft.dollars:
            return None
        return put if whole else self.draft({**draft.makers, **put.makers}, self.sharings)

    def is_feasible(self, draft: Draft, views: Iterable[str]) -> bool:
        """Whether the promises to these views are kept, and no site has too much to do."""
        graph = self.graph(draft)
        for view in views:
            freshness = self.sharings[view].freshness
            path = longest(part_of(graph, view), window(freshness), self.situation)
            if path.seconds > freshness.total_seconds():
                return False
        return not self.situation.is_limited or not exceeded(self._loads(graph), self.taken, self.situation)

    def _loads(self, graph: PlanGraph) -> Mapping[str, Load]:
        carries = dict(zip(self.sharings, self.pricing.carries, strict=True))
        return resource_dollars(graph, self.situation, carries).loads

    def search(self, draft: Draft, rounds: int = 0, seed: int = 0) -> Draft:
        """From the plan that is there, and from nothing: each view alone, then random related groups."""
        randomly = random.Random(seed)
        draft = self._each_alone(draft)
        fresh = self._from_nothing()
        if fresh is not None:
            fresh = self._each_alone(fresh)
            draft = fresh if _is_cheaper(fresh, draft) else draft
        for _ in range(rounds if len(self.sharings) > 1 else 0):
            draft = self._improved(draft, self._related(randomly)) or draft
        return draft

    def _each_alone(self, draft: Draft) -> Draft:
        """Each view reinserted alone, until none moves."""
        moved = True
        while moved:
            moved = False
            for view in self.sharings:
                improved = self._improved(draft, (view,))
                moved = moved or improved is not None
                draft = improved or draft
        return draft

    def _from_nothing(self) -> Draft | None:
        """All views put in one after the other, small joins first: they are what large ones are made of."""
        order = sorted(self.sharings, key=lambda view: len(self.sharings[view].core.inputs))
        draft = self.put_back({}, (), order, self.sharings)
        return draft if self.is_feasible(draft, self.sharings) else None

    def _improved(self, draft: Draft, views: Sequence[str]) -> Draft | None:
        """The draft with these views reinserted, if that is cheaper and keeps their promises."""
        reinserted = self.reinserted(draft, views)
        return reinserted if reinserted is not None and self.is_feasible(reinserted, views) else None

    def _related(self, randomly: random.Random) -> list[str]:
        """A view and those that have most inputs in common with it, with some luck; in random order."""
        first = randomly.choice(list(self.sharings))
        names = self.sharings[first].core.names
        others = [view for view in self.sharings if view != first]
        luck = {view: randomly.random() for view in others}
        others.sort(key=lambda view: -len(names & self.sharings[view].core.names) - 1.5 * luck[view])
        group = [first, *others[: randomly.randint(1, 4)]]
        randomly.shuffle(group)
        return group


def _read(sharing: Sharing) -> set[str]:
    return {input.relation for input in (*sharing.core.inputs, *sharing.also)}


def _is_cheaper(draft: Draft, other: Draft) -> bool:
    return draft.dollars < other.dollars * (1 - NOISE)
