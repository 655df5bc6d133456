"""Decide the trees: which views share a stage of parts.

    1  views of one relation, site, time, keys and filters are woven by an optimizer of planning/windows
    2  trees of one relation, site and time are united while that is cheaper: finer keys serve coarser ones,
       and a stage less is a stage less
    3  a tree stays if it costs less than its views cost apart

Trees that run are kept (`Known`): their stages hold state.  A new view joins a tree whose stage already holds
all it needs; else it is woven into the tree, or into a new one, that it makes least more expensive, by the
same arithmetic; views that have gone leave their tree as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd, inf

from headwater.algebra.expressions.tree import Expr
from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.weaving.edges import Edges, edges_in
from headwater.algebra.weaving.shared_parts import parts_plan
from headwater.algebra.weaving.woven import parts_relation, woven
from headwater.clock import micros
from headwater.planning.weaving.candidates import Candidate
from headwater.planning.weaving.costs import Rates, groups_of
from headwater.planning.weaving.needs import Needs, needs_of
from headwater.planning.windows.best.best_placement import Objective
from headwater.planning.windows.model import CostModel, Node, Query, Workload
from headwater.planning.windows.workload import plan
from headwater.units import SECOND

__all__ = ["Decided", "Known", "Tree", "WeaveSettings", "as_query", "decide", "lengths"]


@dataclass(frozen=True, slots=True)
class WeaveSettings:
    """How views are woven: the optimizer of planning/windows ("off": not at all), and its aim."""

    optimizer: str = "best"
    objective: Objective = Objective.TOTAL
    always: bool = False  # even where a stage costs more than it saves


@dataclass(frozen=True, slots=True)
class Known:
    """A tree that runs: its views, and the plan of its stage."""

    views: tuple[str, ...]
    plan: Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Views that share a stage of parts, and what they cost in rows per second, woven and apart."""

    members: tuple[Candidate, ...]
    plan: Aggregate
    needs: Needs
    cost: float
    apart: float

    @property
    def edges(self) -> Edges:
        return edges_of_plan(self.plan)

    @property
    def views(self) -> tuple[str, ...]:
        return tuple(member.view for member in self.members)

    @property
    def overlap(self) -> int:
        return self.needs.overlap


@dataclass(frozen=True, slots=True)
class Decided:
    trees: tuple[Tree, ...]
    apart: Mapping[str, str]  # views that could be woven and are not, and why


Bucket = tuple[str, str]  # site, relation


def decide(
    candidates: Iterable[Candidate],
    rates: Mapping[Bucket, Rates],
    settings: WeaveSettings,
    known: Sequence[Known] = (),
) -> Decided:
    """The trees of all candidates."""
    buckets: defaultdict[Bucket, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        buckets[candidate.site, candidate.grouping.relation].append(candidate)
    trees: list[Tree] = []
    apart: dict[str, str] = {}
    for bucket, members in buckets.items():
        decided = _Weaver(rates[bucket], settings).decide(members, known)
        trees += decided.trees
        apart |= decided.apart
    return Decided(tuple(trees), apart)


@dataclass(slots=True)
class _Weaver:
    rates: Rates
    settings: WeaveSettings
    apart: dict[str, str] = field(default_factory=dict)
    pairs: dict[tuple[Tree, Tree], tuple[float, Tree]] = field(default_factory=dict)

    def decide(self, members: Sequence[Candidate], known: Sequence[Known]) -> Decided:
        kept = list(self._kept(members, known))
        placed = {view for tree in kept for view in tree.views}
        new = [member for member in members if member.view not in placed]
        for member in list(new):
            at = self._held(kept, member)
            if at is not None:
                kept[at] = self._joined(kept[at], member)
                new.remove(member)
        fresh = self._united([*kept, *self._woven(new)], len(kept))
        return Decided(tuple(self._paying(fresh)), self.apart)

    def _tree(self, members: Sequence[Candidate], plan: Aggregate | None = None) -> Tree:
        apart = sum(map(self.rates.apart, members))
        return self._of_needs(tuple(members), needs_of(members), apart, plan)

    def _of_needs(
        self, members: tuple[Candidate, ...], needs: Needs, apart: float, plan: Aggregate | None = None
    ) -> Tree:
        made = parts_plan(needs.groupings.values(), needs.edges, needs.oldest) if plan is None else plan
        return Tree(members, made, needs, self.rates.woven(made, edges_of_plan(made), needs), apart)

    def _kept(self, members: Sequence[Candidate], known: Sequence[Known]) -> Iterator[Tree]:
        """The trees that run, with those of their views that are there and find in them what they need."""
        by_name = {member.view: member for member in members}
        for tree in known:
            if parts_relation(tree.plan) != members[0].grouping.relation:
                continue
            there = [by_name[view] for view in tree.views if view in by_name]
            held = [member for member in there if woven(member.grouping, "", tree.plan) is not None]
            if held:
                yield self._tree(held, tree.plan)

    def _joined(self, tree: Tree, member: Candidate) -> Tree:
        """A tree with a view more, over the same stage."""
        needs, apart = tree.needs + needs_of((member,)), tree.apart + self.rates.apart(member)
        return self._of_needs((*tree.members, member), needs, apart, tree.plan)

    def _held(self, trees: Sequence[Tree], member: Candidate) -> int | None:
        """The tree that holds already all that a view needs, at the least cost."""
        costs = [
            (self._joined(tree, member).cost - tree.cost, at)
            for at, tree in enumerate(trees)
            if woven(member.grouping, "", tree.plan) is not None
        ]
        best = min(costs, default=(inf, 0))
        pays = best[0] < self.rates.apart(member)
        return best[1] if costs and (pays or self.rates.always) else None

    def _woven(self, members: Sequence[Candidate]) -> Iterator[Tree]:
        """Trees of views that have keys, filters and time in common."""
        alike: defaultdict[tuple[Expr | None, frozenset[Expr], frozenset[Expr]], list[Candidate]]
        alike = defaultdict(list)
        for member in members:
            grouping = member.grouping
            time = None if grouping.window is None else grouping.window.time
            alike[time, frozenset(grouping.plain_keys), frozenset(grouping.filters)].append(member)
        for (time, keys, _), same in alike.items():
            if time is None:
                yield self._tree(same)
            else:
                yield from self._optimized(same, keys)

    def _optimized(self, members: Sequence[Candidate], keys: Iterable[Expr]) -> Iterator[Tree]:
        """As the optimizer says.  A fragment has a row for each group, so the rate counts by groups."""
        unit = gcd(SECOND, *(part for member in members for part in lengths(member)))
        groups = groups_of(tuple(keys), self.rates.facts)
        cost = CostModel(self.rates.facts.rate / groups, SECOND // unit)
        queries = tuple(as_query(member, unit) for member in members)
        workload = Workload(cost, (Node(members[0].site),), queries)
        weave = plan(workload, self.settings.optimizer, objective=self.settings.objective)
        by_name = {member.view: member for member in members}
        for tree in weave.trees():
            yield self._tree([by_name[query.id] for query in tree.queries])

    def _united(self, trees: list[Tree], running: int) -> list[Tree]:
        """Unite two trees while that saves; the first ones, which run, not with each other."""
        while True:
            pairs = [
                (saved, at, beside, both)
                for at, one in enumerate(trees)
                for beside, other in enumerate(trees[at + 1 :], at + 1)
                if beside >= running and self._may_unite(one, other, at < running)
                for saved, both in (self._united_pair(one, other),)
            ]
            saved, at, beside, both = max(pairs, key=lambda pair: pair[0], default=(0.0, 0, 0, None))
            if both is None or saved <= 0.0:
                return trees
            trees = [both if index == at else tree for index, tree in enumerate(trees) if index != beside]

    def _may_unite(self, one: Tree, other: Tree, runs: bool) -> bool:
        """What one of the thirteen keeps apart stays so; `best` does not know what a stage costs."""
        alike = one.needs.keys == other.needs.keys
        one_time = len(one.needs.times | other.needs.times) <= 1
        return one_time and (runs or not alike or self.settings.optimizer == "best")

    def _united_pair(self, one: Tree, other: Tree) -> tuple[float, Tree]:
        """The tree of two and what it saves, worked out once."""
        pair = (one, other)
        if pair not in self.pairs:
            apart = one.apart + other.apart
            both = self._of_needs((*one.members, *other.members), one.needs + other.needs, apart)
            self.pairs[pair] = self._saved(one, other, both), both
        return self.pairs[pair]

    def _saved(self, one: Tree, other: Tree, both: Tree) -> float:
        """What uniting two trees saves, by what a push does if there would be two trees, and then one."""
        if all(map(self._pays, (one, other, both))):
            return self._handled(one) + self._handled(other) - self._handled(both)
        return self._least(one) + self._least(other) - both.cost

    def _handled(self, tree: Tree) -> float:
        return self.rates.handled(tree.plan, tree.edges, tree.needs)

    def _least(self, tree: Tree) -> float:
        """What the views of a tree cost in it or, if that is less, apart."""
        return min(tree.cost, tree.apart)

    def _pays(self, tree: Tree) -> bool:
        return self.rates.always or tree.cost < tree.apart

    def _paying(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        for tree in trees:
            if self._pays(tree):
                yield tree
                continue
            apart = tree.apart
            for member in tree.members:
                self.apart[member.view] = (
                    f"woven it would take {tree.cost:,.0f} rows a second, apart {apart:,.0f}"
                    if len(tree.members) == 1
                    else f"woven with {len(tree.members) - 1} others it would take {tree.cost:,.0f} rows a"
                    f" second, apart {apart:,.0f}"
                )


def edges_of_plan(plan: Aggregate) -> Edges:
    """The edges of the fragments that a stage of parts groups by."""
    return next((edges for _, expr in plan.keys if (edges := edges_in(expr))), ())


def lengths(member: Candidate) -> Iterator[int]:
    """Slide and edges, in microseconds."""
    assert member.grouping.window is not None
    for residue, modulus in member.grouping.window.edges:
        yield residue
        yield modulus


def as_query(member: Candidate, unit: int) -> Query:
    """The view's windows as the optimizers count them: they answer when a window ends."""
    window = member.grouping.window
    assert window is not None
    size, slide, offset = (micros(part) // unit for part in (window.size, window.slide, window.offset))
    return Query(member.view, size, slide, (offset + size) % slide)
