"""Look further than greedy plumbing: take some views out of the plan and put them back where they cost least.

A plumbing changes how one vertex is made; a better plan may need several changes of which the first alone
costs.  So, again and again:

    take out   a view, or a few views that have much in common; what only they used is gone
    put back   one after the other, in some order, each the cheapest way that the rest of the plan offers
    keep it    if the whole is cheaper, every promise is kept and no site has too much to do; else undo

First each view alone, until none moves.  The same is done with a plan that is made from nothing, by putting
in one view after the other, small joins first, and the cheaper one is kept.  Then groups of 2 to 5, chosen
by a seeded generator, for a fixed number of rounds: the same plan always gives the same result.

Cost: a round costs some tens of milliseconds for each view taken out.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.sharing.costs import Load, exceeded, longest, resource_dollars, window
from headwater.sharing.graph import Edge, PlanGraph, Vertex, part_of, result_vertex
from headwater.sharing.insertion import insert
from headwater.sharing.pricing import Pricing, carries_of
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation
from headwater.sharing.stock import Stock

__all__ = ["Choice", "Searcher", "Tail", "tail_of"]

Made = dict[Vertex, Edge]


@dataclass(frozen=True, slots=True)
class Tail:
    """What a view does after its core: the edges from the core's delta to the view."""

    result: Vertex
    core: Vertex
    edges: tuple[Edge, ...]


def tail_of(graph: PlanGraph, sharing: Sharing) -> Tail:
    """The last edges of a view's plan, which any other plan for it has too."""
    made = {edge.target: edge for edge, views in graph.edges.items() if sharing.view in views}
    result = result_vertex(graph, sharing.view)
    core = Vertex(sharing.core, sharing.site, delta=True)
    edges: list[Edge] = []
    waiting = [result]
    while waiting:
        edge = made.get(waiting.pop())
        if edge is not None and edge not in edges:
            edges.append(edge)
            waiting += [one for one in edge.sources if one != core]
    return Tail(result, core, tuple(reversed(edges)))


@dataclass(frozen=True, slots=True)
class Choice:
    """A whole plan: how each vertex is made, whom it serves, what it costs per second."""

    made: Mapping[Vertex, Edge]
    serves: Mapping[Vertex, int]
    dollars: float


class Searcher:
    """Plans of the same views, priced alike."""

    def __init__(
        self,
        graph: PlanGraph,
        sharings: Sequence[Sharing],
        situation: Situation,
        taken: Mapping[str, Load] | None = None,
        carries: Mapping[str, float] | None = None,
    ) -> None:
        self.sharings = {one.view: one for one in sharings}
        self.situation, self.taken = situation, dict(taken or {})
        self.pricing = Pricing(sharings, situation, carries or carries_of(graph, sharings, situation))
        self.tails = {one.view: tail_of(graph, one) for one in sharings}
        self.sites = tuple(situation.sites)

    def choice(self, made: Mapping[Vertex, Edge], views: Iterable[str]) -> Choice:
        """What some views need of how things are made."""
        serves: dict[Vertex, int] = {}
        for view in views:
            bit = self.pricing.bits[view]
            waiting = [self.tails[view].result]
            while waiting:
                vertex = waiting.pop()
                known = serves.get(vertex, 0)
                if not known & bit:
                    serves[vertex] = known | bit
                    if vertex in made:
                        waiting += made[vertex].sources
        needed = {vertex: made[vertex] for vertex in serves if vertex in made}
        dollars = sum(self.pricing.vertex(vertex) for vertex in serves)
        dollars += sum(self.pricing.edge(edge, serves[vertex]) for vertex, edge in needed.items())
        return Choice(needed, serves, dollars)

    def graph(self, choice: Choice) -> PlanGraph:
        names = {serves: self.pricing.views_of(serves) for serves in set(choice.serves.values())}
        return PlanGraph(
            {edge: names[choice.serves[vertex]] for vertex, edge in choice.made.items()},
            {vertex: names[serves] for vertex, serves in choice.serves.items()},
        )

    def put_back(self, choice: Choice, views: Sequence[str], all_views: Iterable[str]) -> Choice:
        """Some views more, one after the other, each as cheaply as what is there allows."""
        made = dict(choice.made)
        stock = Stock(choice.serves)
        for view in views:
            tail = self.tails[view]
            if tail.core not in stock:
                made |= insert(self.sharings[view], self.sites, stock, self.pricing)
            for edge in tail.edges:
                made.setdefault(edge.target, edge)
            for vertex in self.choice(made, (view,)).serves:
                if vertex not in stock:
                    stock.add(vertex)
        return self.choice(made, all_views)

    def replanned(self, choice: Choice, views: Sequence[str]) -> Choice:
        """Some views taken out and put back in this order."""
        rest = [view for view in self.sharings if view not in views]
        return self.put_back(self.choice(choice.made, rest), views, self.sharings)

    def is_kept(self, choice: Choice, views: Iterable[str]) -> bool:
        """Whether the promises to some views are kept, and no site has too much to do."""
        graph = self.graph(choice)
        for view in views:
            one = self.sharings[view]
            path = longest(part_of(graph, view), window(one.freshness), self.situation)
            if path.seconds > one.freshness.total_seconds():
                return False
        return not exceeded(self._loads(graph), self.taken, self.situation)

    def _loads(self, graph: PlanGraph) -> Mapping[str, Load]:
        if all(site.cores is None and site.gb is None for site in self.situation.sites.values()):
            return {}
        carries = dict(zip(self.sharings, self.pricing.carries, strict=True))
        return resource_dollars(graph, self.situation, carries).loads

    def settle_each(self, choice: Choice) -> Choice:
        """Each view alone, until none moves."""
        moved = True
        while moved:
            moved = False
            for view in self.sharings:
                better = self._better(choice, (view,))
                moved = moved or better is not None
                choice = better or choice
        return choice

    def from_nothing(self) -> Choice | None:
        """All views put in one after the other, small joins first: they are what large ones are made of."""
        order = sorted(self.sharings, key=lambda view: len(self.sharings[view].core.inputs))
        found = self.put_back(self.choice({}, ()), order, self.sharings)
        return found if self.is_kept(found, self.sharings) else None

    def search(self, choice: Choice, rounds: int = 0, seed: int = 0) -> Choice:
        """From the plan that is there, and from nothing: each view alone, then random related groups."""
        randomly = random.Random(seed)
        choice = self.settle_each(choice)
        afresh = self.from_nothing()
        if afresh is not None:
            afresh = self.settle_each(afresh)
            choice = afresh if afresh.dollars < choice.dollars * (1 - 1e-9) else choice
        for _ in range(rounds if len(self.sharings) > 1 else 0):
            choice = self._better(choice, self._group(choice, randomly)) or choice
        return choice

    def _better(self, choice: Choice, views: Sequence[str]) -> Choice | None:
        found = self.replanned(choice, views)
        if found.dollars < choice.dollars * (1 - 1e-9) and self.is_kept(found, views):
            return found
        return None

    def _group(self, choice: Choice, randomly: random.Random) -> list[str]:
        """A view and those that have most inputs in common with it, with some luck; in random order."""
        first = randomly.choice(list(self.sharings))
        mine = self.sharings[first].core.names
        others = [view for view in self.sharings if view != first]
        luck = {view: randomly.random() for view in others}
        others.sort(key=lambda view: -len(mine & self.sharings[view].core.names) - 1.5 * luck[view])
        group = [first, *others[: randomly.randint(1, 4)]]
        randomly.shuffle(group)
        return group
