"""From the global plan to what is stored and pushed: which relations are kept, where, and from what.

    graph                                           stages
    s05 = tweets * users                            s05          Join(users, tweets)
    s03 = (tweets * users) * urls                   s03          Join(s05, urls)
    s02, n: two readers of curloc * tweets          curloc+tweets~1f0c  Join(curloc, tweets), read by both

A timeline is a relation and its delta at once, so a relation vertex, its delta vertex and the apply edge
between them are one stored stage.  demand.py says which relations are stored; a join that only one consumer
at the same site reads is fused: it runs inside the consumer's Spark plan and is never written.

A join runs at one site, on relations that are there; what is elsewhere is copied there first, as a replica
timeline.  A view that only filters or projects one relation of another site reads it there: that is a copy
that filters on the way.  Views that are no such join (outer joins, set operations) read replicas too, if
they read more than changes of one relation.

Names: a stored relation is called after its inputs and a fingerprint of all it depends on, so two runs that
plan alike find what the other stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.tree import Column, Expr, conjunction, equal
from headwater.algebra.passes.fuse_projects import fuse_projects
from headwater.algebra.plans.nodes import Filter, Join, Plan, Project, Scan
from headwater.algebra.plans.walks import reads, rewrite_up, scan_rows
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.planning.graph.graph import PlanGraph, Vertex
from headwater.planning.relations.equal_columns import (
    class_members,
    plain_names,
    representative,
    with_available,
)
from headwater.planning.relations.relations import Relation, Sharing, column_of, input_of
from headwater.planning.relations.sharings import Block
from headwater.planning.stages.demand import Demand, StoredRelation, core_vertex, demand_of
from headwater.planning.stages.recipes import Base, Copied, Joined, Recipes, recipes_of

__all__ = ["Compiled", "compile_plan"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """Views over shared stages, the shared stages, and the site of each."""

    kept: Mapping[str, Kept]
    shared: Mapping[str, Kept]
    sites: Mapping[str, str]  # of views and shared stages
    copies: Mapping[str, str]  # a replica -> the relation it is a copy of
    relations: Mapping[str, Relation] = field(default_factory=dict)  # what shared stages stand for


def compile_plan(
    graph: PlanGraph,
    sharings: Mapping[str, Sharing],
    blocks: Mapping[str, Block],
    kept: Mapping[str, Kept],
    homes: Mapping[str, str],
) -> Compiled:
    """Stages for the views that have a block; `homes` says at which site each source and view is."""
    tails = frozenset(vertex.relation.view for vertex in graph.vertices)
    ordered = {name: blocks[name] for name in kept if name in blocks}  # the first of equal views is the stage
    recipes = recipes_of(graph, homes)
    demand = demand_of(recipes, sharings, ordered, kept)
    compiler = _Compiler(recipes, demand, sharings, ordered, homes, tails, dict(demand.owners))
    views = {name: compiler.view(kept_view) for name, kept_view in kept.items()}
    sites = compiler.sites | {name: sharings[name].site for name in kept}
    return Compiled(views, compiler.shared, sites, compiler.copies, compiler.relations)


@dataclass(slots=True)
class _Compiler:
    """Writes views over stored relations, and declares these as shared stages when they are first read."""

    recipes: Recipes
    demand: Demand
    sharings: Mapping[str, Sharing]
    blocks: Mapping[str, Block]
    homes: Mapping[str, str]
    tails: frozenset[str]  # views of the plan that are more than their join
    stored: dict[Vertex, StoredRelation]
    shared: dict[str, Kept] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)

    # Views

    def view(self, kept: Kept) -> Kept:
        """The view with its join replaced by one over stored relations."""
        block = self.blocks.get(kept.view)
        vertex = core_vertex(self.sharings[kept.view])
        if block is None or vertex not in self.recipes or len(vertex.relation.inputs) == 1:
            return self._with_replicas(kept) if kept.view in self.tails else kept
        owner = self.demand.owners.get(vertex)
        is_owner = owner is not None and owner.name == kept.view
        read_stored = self.demand.is_stored(vertex) and not is_owner
        join = self._element(vertex) if read_stored else self._computed(vertex)
        names = tuple(
            (name, with_available(Column(block.names[name]), vertex.relation, join.columns))
            for name in block.node.columns
        )
        stage = kept.stages[-1]
        assert stage.plan is not None
        plan = rewrite_up(stage.plan, lambda node: Project(join, names) if node == block.node else node)
        plan = fuse_projects(plan)
        return replace(kept, stages=(replace(stage, plan=plan, reads=reads(plan)),))

    def _with_replicas(self, kept: Kept) -> Kept:
        """The view with what it reads of other sites replaced by replicas at its own."""
        site = self.sharings[kept.view].site
        return replace(kept, stages=tuple(self._reading_at(site, stage) for stage in kept.stages))

    def _reading_at(self, site: str, stage: Stage) -> Stage:
        if stage.plan is None or (len(stage.reads) == 1 and stage.kind is not StageKind.GROUPS):
            return stage
        away = {name for name in stage.reads if self.homes.get(name, site) != site}

        def moved(node: Plan) -> Plan:
            if not isinstance(node, Scan) or node.relation not in away:
                return node
            return replace(node, relation=self._replica(node.relation, node.names, site))

        plan = rewrite_up(stage.plan, moved)
        return replace(stage, plan=plan, reads=reads(plan))

    # Relations

    def _computed(self, vertex: Vertex) -> Plan:
        """The plan that computes a relation at its site."""
        recipe = self.recipes[vertex]
        match recipe:
            case Copied(source, residual):
                below = self._element(source)
                tests = (with_available(test, source.relation, below.columns) for test in residual)
                condition = conjunction(tuple(tests))
                return below if condition is None else Filter(below, condition)
            case Joined():
                return self._join(vertex)
            case Base():
                return self._base(vertex, recipe)

    def _join(self, vertex: Vertex) -> Plan:
        elements = self._elements(vertex)
        plans = tuple(self._element(element) for element in elements)
        conditions: list[Expr] = []
        for group in vertex.relation.equal:
            linked = [
                name
                for element, plan in zip(elements, plans, strict=True)
                for name in class_members(group, element.relation, plan)
            ]
            conditions += [equal(Column(a), Column(b)) for a, b in zip(linked, linked[1:], strict=False)]
        applied = {condition for element in elements for condition in element.relation.conditions}
        available = {name for plan in plans for name in plan.columns}
        conditions += [
            with_available(condition, vertex.relation, available)
            for condition in vertex.relation.conditions
            if condition not in applied
        ]
        return Join(plans, tuple(conditions))

    def _elements(self, vertex: Vertex) -> list[Vertex]:
        """What is joined, at one site: stored relations and single inputs."""
        recipe = self.recipes[vertex]
        assert isinstance(recipe, Joined)
        elements: list[Vertex] = []
        for part in (Vertex(recipe.left, vertex.site), Vertex(recipe.right, vertex.site)):
            fused = isinstance(self.recipes.get(part), Joined) and not self.demand.is_stored(part)
            elements += self._elements(part) if fused else [part]
        return elements

    def _element(self, vertex: Vertex) -> Plan:
        """A relation as a join reads it: its columns under canonical names."""
        recipe = self.recipes[vertex]
        return self._base(vertex, recipe) if isinstance(recipe, Base) else self._scan_stored(vertex)

    def _scan_stored(self, vertex: Vertex) -> Plan:
        stored = self._stored(vertex)
        items = tuple((name, Column(f"{stored.name}.{column}")) for name, column in stored.columns.items())
        return Project(Scan(stored.name, stored.name, tuple(stored.columns.values())), items)

    def _base(self, vertex: Vertex, base: Base) -> Plan:
        """A source or a view, filtered; from another site, its replica or a copy that filters on the way."""
        input = vertex.relation.inputs[0]
        columns = self._columns_read_of(input.relation)
        if base.site != vertex.site:
            if input.filters:
                return self._scan_stored(vertex)
            return Scan(self._replica(base.relation, columns, vertex.site), input.name, columns)
        return self._filtered(vertex)

    def _filtered(self, vertex: Vertex) -> Plan:
        """A source or a view read at its home."""
        input = vertex.relation.inputs[0]
        scan: Plan = Scan(input.relation, input.name, self._columns_read_of(input.relation))
        condition = conjunction(input.filters)
        return scan if condition is None else Filter(scan, condition)

    def _columns_read_of(self, relation: str) -> tuple[str, ...]:
        """All columns that any view reads of a source or view: one replica, and equal scans, serve all."""
        blocks = self.blocks.values()
        inputs = {
            input.name for block in blocks for input in block.relation.inputs if input.relation == relation
        }
        columns = (column for block in blocks for column in block.names.values())
        return tuple(sorted({column_of(column) for column in columns if input_of(column) in inputs}))

    # What is stored

    def _stored(self, vertex: Vertex) -> StoredRelation:
        """The stored relation, declared as a shared stage when it is first asked for."""
        if vertex not in self.stored:
            recipe = self.recipes[vertex]
            if isinstance(recipe, Copied) and not recipe.residual:
                self.stored[vertex] = self._copy(recipe.source, vertex.site)
            else:
                computed = self._filtered(vertex) if isinstance(recipe, Base) else self._computed(vertex)
                self.stored[vertex] = self._declare(vertex, computed)
        return self.stored[vertex]

    def _copy(self, source: Vertex, site: str) -> StoredRelation:
        """A replica; at the same site the relation itself: the same rows, said in other words."""
        original = self._stored(source)
        if source.site == site:
            return original
        name = self._replica(original.name, tuple(original.columns.values()), site)
        return StoredRelation(name, original.columns)

    def _replica(self, of: str, columns: tuple[str, ...], site: str) -> str:
        """A copy of a stored relation at another site."""
        name = f"{of}@{site}"
        if name not in self.shared:
            self._add(name, scan_rows(of, columns), site)
            self.copies[name] = of
        return name

    def _declare(self, vertex: Vertex, plan: Plan) -> StoredRelation:
        relation = vertex.relation
        chosen = sorted({representative(column, relation, plan) for column in self.demand.columns(vertex)})
        names = plain_names(chosen)
        stored = fuse_projects(Project(plan, tuple((names[column], Column(column)) for column in chosen)))
        fingerprint = hashlib.sha256(repr((relation, vertex.site, stored)).encode()).hexdigest()[:8]
        inputs = "+".join(input.name.replace("#", "_") for input in relation.inputs)
        name = f"{inputs}~{fingerprint}"
        self._add(name, stored, vertex.site)
        self.relations[name] = relation
        return StoredRelation(name, names)

    def _add(self, name: str, plan: Plan, site: str) -> None:
        stage = Stage(name, StageKind.ROWS, plan.columns, plan, reads(plan))
        finish = scan_rows(name, plan.columns)
        empty = ("",) * len(plan.columns)
        self.shared[name] = Kept(name, (stage,), finish, plan.columns, empty, stage.reads)
        self.sites[name] = site
