"""From the global plan to what is stored and pushed: which relations are kept, where, and from what.

    graph                                           stages
    s05 = tweets * users                            s05          Join(users, tweets)
    s03 = (tweets * users) * urls                   s03          Join(s05, urls)
    s02, n: two readers of curloc * tweets          curloc+tweets~1f0c  Join(curloc, tweets), read by both

A timeline is a relation and its delta at once, so a relation vertex, its delta vertex and the apply edge
between them are one stored stage.  A relation is stored if several consumers read it, or one at another
site, or if it is filtered out of a stored one; a join that only one consumer at the same site reads is fused:
it runs inside the consumer's Spark plan and is never written.  A view that shows all columns its relation is
wanted for *is* that stored relation.

A join runs at one site, on relations that lie there; what lies elsewhere is copied there first, as a replica
timeline.  A half of an in-place join is therefore done where the other half is: a replica of a delta is a
replica of its relation, so nothing would be saved by splitting them.  A view that only filters or projects
one relation of another site reads it there: that is a copy that filters on the way.  Views that are no such
join (outer joins, set operations) read replicas too, if they read more than changes of one relation.

Names: a stored relation is called after its inputs and a fingerprint of all it depends on, so two runs that
plan alike find what the other stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions import Column, Expr, conjunction, equal, rename
from headwater.algebra.nodes import Filter, Join, Plan, Project, Scan
from headwater.algebra.passes.fuse_projects import fuse_projects
from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.algebra.walks import reads, rewrite_up, scan_rows
from headwater.sharing.equal_columns import (
    column_in,
    columns_in,
    found_in,
    input_of,
    name_in,
    of_class,
    plain_columns,
    represented,
    with_available,
)
from headwater.sharing.graph import PlanGraph
from headwater.sharing.making import Base, Copied, Joined, Made, Place, made_of
from headwater.sharing.relations import Sharing
from headwater.sharing.sharings import Block

__all__ = ["Compiled", "compile_plan"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """Views over shared stages, the shared stages, and where everything lies."""

    kept: Mapping[str, Kept]
    shared: Mapping[str, Kept]
    sites: Mapping[str, str]  # of views and shared stages
    copies: Mapping[str, str]  # a replica -> the relation it is a copy of


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored relation as others read it: canonical column -> stored column."""

    name: str
    columns: Mapping[str, str]


def compile_plan(
    graph: PlanGraph,
    sharings: Mapping[str, Sharing],
    blocks: Mapping[str, Block],
    kept: Mapping[str, Kept],
    homes: Mapping[str, str],
) -> Compiled:
    """Stages for the views that have a block; `homes` says where sources and views lie."""
    tails = frozenset(vertex.relation.view for vertex in graph.vertices)
    ordered = {name: blocks[name] for name in kept if name in blocks}  # the first of equal views is the stage
    compiler = _Compiler(made_of(graph, homes), sharings, ordered, kept, homes, tails)
    return compiler.run()


@dataclass(slots=True)
class _Compiler:
    made: Made
    sharings: Mapping[str, Sharing]
    blocks: Mapping[str, Block]
    kept: Mapping[str, Kept]
    homes: Mapping[str, str]
    tails: frozenset[str]  # views of the plan that are more than their join
    # Who reads a relation at a site, and which canonical columns of it.
    consumers: dict[Place, dict[str | Place, frozenset[str]]] = field(default_factory=dict)
    owners: dict[Place, str] = field(default_factory=dict)  # the view that is the stored relation
    shared: dict[str, Kept] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    _known: dict[Place, _Stored] = field(default_factory=dict)

    def run(self) -> Compiled:
        for view in self.blocks:
            place = Place(self.sharings[view].core, self.sharings[view].site)
            self._want(place, view, frozenset(self.blocks[view].names.values()))
        for view in self.blocks:
            self._own(view)
        rewritten = {name: self._rewritten(one) for name, one in self.kept.items()}
        self.sites |= {name: self.sharings[name].site for name in self.kept}
        return Compiled(rewritten, self.shared, self.sites, self.copies)

    # Who needs what

    def _want(self, place: Place, consumer: str | Place, columns: frozenset[str]) -> None:
        """Note that a consumer reads columns of a relation at a site, and what that needs in turn."""
        mine = frozenset(one for one in columns if input_of(one) in place.relation.names)
        known = self.consumers.setdefault(place, {})
        if not mine <= known.get(consumer, frozenset()) or consumer not in known:
            known[consumer] = mine | known.get(consumer, frozenset())
            needed = self._wanted(place)
            match self.made.get(place):
                case Joined(left, right):
                    joining = columns_in(place.relation.join_conditions())
                    for part in (left, right):
                        self._want(Place(part, place.site), place, needed | joining)
                case Copied(source, residual):
                    self._want(source, place, needed | columns_in(residual))
                case _:
                    pass

    def _wanted(self, place: Place, but: str = "") -> frozenset[str]:
        """The columns that all consumers, or all but a view itself, want of a relation."""
        return frozenset().union(
            *(columns for who, columns in self.consumers[place].items() if who != but or not but)
        )

    def _own(self, view: str) -> None:
        """Let a view be the stored relation of its join, if it shows what the others want of it."""
        place = Place(self.sharings[view].core, self.sharings[view].site)
        shown = self._shown(view)
        if place in self.owners or shown is None or len(place.relation.inputs) == 1:
            return
        if all(found_in(one, place.relation, shown) is not None for one in self._wanted(place, but=view)):
            self.owners[place] = view
            self._known[place] = _Stored(view, shown)

    def _shown(self, view: str) -> dict[str, str] | None:
        """Canonical column -> the view's column, of a view that is nothing but a projection of its join."""
        block, stage = self.blocks[view], self.kept[view].stages[-1]
        if stage.kind is not StageKind.ROWS or not isinstance(stage.plan, Project):
            return None
        if stage.plan.child != block.node or self.kept[view].finish != scan_rows(view, stage.columns):
            return None
        return {block.names[expr.name]: name for name, expr in stage.plan.items if isinstance(expr, Column)}

    # Stages

    def _is_stored(self, place: Place) -> bool:
        if place in self.owners:
            return True
        if len(self.consumers.get(place, ())) > 1:
            return True
        wanted = (self.made[other] for other in self.consumers if other in self.made)
        return any(isinstance(one, Copied) and one.source == place for one in wanted)

    def _rewritten(self, kept: Kept) -> Kept:
        """The view with its join replaced by one over stored relations."""
        block = self.blocks.get(kept.view)
        place = Place(self.sharings[kept.view].core, self.sharings[kept.view].site)
        if block is None or place not in self.made or len(place.relation.inputs) == 1:
            return self._with_replicas(kept) if kept.view in self.tails else kept
        if self.owners.get(place) != kept.view and self._is_stored(place):
            over = self._element(place)
        else:
            over = self._making(place)
        names = tuple(
            (name, column_in(block.names[name], place.relation, over)) for name in block.node.columns
        )
        stage = kept.stages[-1]
        assert stage.plan is not None
        plan = rewrite_up(stage.plan, lambda node: Project(over, names) if node == block.node else node)
        plan = fuse_projects(plan)
        return replace(kept, stages=(replace(stage, plan=plan, reads=reads(plan)),))

    def _with_replicas(self, kept: Kept) -> Kept:
        """The view with what it reads of other sites replaced by replicas at its own."""
        site = self.sharings[kept.view].site
        return replace(kept, stages=tuple(self._at_home(stage, site) for stage in kept.stages))

    def _at_home(self, stage: Stage, site: str) -> Stage:
        if stage.plan is None or (len(stage.reads) == 1 and stage.kind is not StageKind.GROUPS):
            return stage
        away = {name for name in stage.reads if self.homes.get(name, site) != site}

        def moved(node: Plan) -> Plan:
            if not isinstance(node, Scan) or node.relation not in away:
                return node
            return replace(node, relation=self._replica(node.relation, node.names, site))

        plan = rewrite_up(stage.plan, moved)
        return replace(stage, plan=plan, reads=reads(plan))

    def _making(self, place: Place) -> Plan:
        """The plan that computes a relation at its site."""
        made = self.made[place]
        match made:
            case Copied(source, residual):
                below = self._element(source)
                if not residual:
                    return below
                available = {
                    one: Column(name_in(one, source.relation, below)) for one in columns_in(residual)
                }
                whole = conjunction(tuple(rename(one, available) for one in residual))
                assert whole is not None
                return Filter(below, whole)
            case Joined():
                return self._join(place)
            case Base():
                return self._base(place, made)

    def _join(self, place: Place) -> Plan:
        elements = self._elements(place)
        plans = tuple(self._element(one) for one in elements)
        conditions: list[Expr] = []
        for group in place.relation.equal:
            linked = [
                name
                for element, plan in zip(elements, plans, strict=True)
                for name in of_class(group, element.relation, plan)
            ]
            conditions += [equal(Column(a), Column(b)) for a, b in zip(linked, linked[1:], strict=False)]
        inside = {one for element in elements for one in element.relation.conditions}
        available = {name for plan in plans for name in plan.columns}
        for one in place.relation.conditions:
            if one not in inside:
                conditions.append(with_available(one, place.relation, available))
        return Join(plans, tuple(conditions))

    def _elements(self, place: Place) -> list[Place]:
        """What is joined, at one site: stored relations and single inputs."""
        made = self.made[place]
        assert isinstance(made, Joined)
        found: list[Place] = []
        for part in (made.left, made.right):
            below = Place(part, place.site)
            fused = isinstance(self.made.get(below), Joined) and not self._is_stored(below)
            found += self._elements(below) if fused else [below]
        return found

    def _element(self, place: Place) -> Plan:
        """A relation as a join reads it: its columns under canonical names."""
        made = self.made[place]
        if isinstance(made, Base):
            return self._base(place, made)
        stored = self._stored(place)
        items = tuple((name, Column(f"{stored.name}.{column}")) for name, column in stored.columns.items())
        return Project(Scan(stored.name, stored.name, tuple(stored.columns.values())), items)

    def _base(self, place: Place, base: Base) -> Plan:
        """A source or a view as it is, or its replica at another site, filtered."""
        one = place.relation.inputs[0]
        columns = tuple(sorted({column.rsplit(".", 1)[1] for column in self._wanted_of(one.relation)}))
        name = base.relation if base.site == place.site else self._replica(base.relation, columns, place.site)
        scan: Plan = Scan(name, one.name, columns)
        whole = conjunction(one.filters)
        return scan if whole is None else Filter(scan, whole)

    def _wanted_of(self, relation: str) -> set[str]:
        """All columns that any view reads of a source or view: one replica, and equal scans, serve all."""
        inputs = {
            one.name
            for block in self.blocks.values()
            for one in block.relation.inputs
            if one.relation == relation
        }
        return {
            one for block in self.blocks.values() for one in block.names.values() if input_of(one) in inputs
        }

    def _stored(self, place: Place) -> _Stored:
        """The stored relation, declared as a shared stage when it is first asked for."""
        if place not in self._known:
            made = self.made[place]
            if isinstance(made, Copied) and not made.residual and made.source.site == place.site:
                self._known[place] = self._stored(made.source)  # the same rows, said in other words
            elif isinstance(made, Copied) and not made.residual:
                source = self._stored(made.source)
                name = self._replica(source.name, tuple(source.columns.values()), place.site)
                self._known[place] = _Stored(name, source.columns)
            else:
                self._known[place] = self._declare(place, self._making(place))
        return self._known[place]

    def _replica(self, of: str, columns: tuple[str, ...], site: str) -> str:
        """A copy of a stored relation at another site."""
        name = f"{of}@{site}"
        if name not in self.shared:
            self._add(name, scan_rows(of, columns), site)
            self.copies[name] = of
        return name

    def _declare(self, place: Place, plan: Plan) -> _Stored:
        chosen = sorted({represented(one, place.relation, plan) for one in self._wanted(place)})
        names = plain_columns(chosen)
        items = tuple((names[one], Column(one)) for one in chosen)
        stored = fuse_projects(Project(plan, items))
        told = hashlib.sha256(repr((place.relation, place.site, stored)).encode()).hexdigest()[:8]
        name = f"{'+'.join(one.name.replace('#', '_') for one in place.relation.inputs)}~{told}"
        self._add(name, stored, place.site)
        return _Stored(name, dict(zip(chosen, (names[one] for one in chosen), strict=True)))

    def _add(self, name: str, plan: Plan, site: str) -> None:
        stage = Stage(name, StageKind.ROWS, plan.columns, plan, reads(plan))
        finish = scan_rows(name, plan.columns)
        empty = ("",) * len(plan.columns)
        self.shared[name] = Kept(name, (stage,), finish, plan.columns, empty, stage.reads)
        self.sites[name] = site
