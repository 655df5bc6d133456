"""Who reads which columns of each relation at a site; hence what is stored, and as which view.

A relation is stored if several consumers read it, if it is copied or filtered for another one, or if a view
is it: a view that shows all columns that others want of its join *is* the stored relation of that join,
unless a row could make what else it shows fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.algebra.expressions.tree import Column
from headwater.algebra.failures.can_fail import can_fail
from headwater.algebra.plans.nodes import Project
from headwater.algebra.plans.walks import scan_rows
from headwater.algebra.stages.stage import Kept, StageKind
from headwater.planning.graph.graph import Vertex
from headwater.planning.relations.equal_columns import columns_in, equal_column
from headwater.planning.relations.relations import Sharing, input_of
from headwater.planning.relations.sharings import Block
from headwater.planning.stages.recipes import Copied, Joined, Recipes

__all__ = ["Demand", "StoredRelation", "core_vertex", "demand_of"]

Consumer = str | Vertex  # a view, or a relation that is made from another


@dataclass(frozen=True, slots=True)
class StoredRelation:
    """A stored relation as others read it: canonical column -> stored column."""

    name: str
    columns: Mapping[str, str]


@dataclass(slots=True)
class Demand:
    """The consumers of every relation at a site, each with the canonical columns that it reads."""

    recipes: Recipes
    consumers: dict[Vertex, dict[Consumer, frozenset[str]]] = field(default_factory=dict)
    owners: dict[Vertex, StoredRelation] = field(default_factory=dict)  # relations that are views
    copied: set[Vertex] = field(default_factory=set)

    def columns(self, vertex: Vertex, but: str = "") -> frozenset[str]:
        """The columns that all consumers, or all but one view, want of a relation."""
        wanted = self.consumers[vertex].items()
        return frozenset().union(*(columns for consumer, columns in wanted if not but or consumer != but))

    def is_stored(self, vertex: Vertex) -> bool:
        return vertex in self.owners or len(self.consumers.get(vertex, ())) > 1 or vertex in self.copied

    def add(self, vertex: Vertex, consumer: Consumer, columns: frozenset[str]) -> None:
        """Note that a consumer reads columns of a relation, and what that needs in turn."""
        own = frozenset(column for column in columns if input_of(column) in vertex.relation.names)
        consumers = self.consumers.setdefault(vertex, {})
        if consumer in consumers and own <= consumers[consumer]:
            return
        consumers[consumer] = own | consumers.get(consumer, frozenset())
        match self.recipes.get(vertex):
            case Joined(left, right):
                wanted = self.columns(vertex) | columns_in(vertex.relation.join_conditions())
                for part in (left, right):
                    self.add(Vertex(part, vertex.site), vertex, wanted)
            case Copied(source, residual):
                self.copied.add(source)
                self.add(source, vertex, self.columns(vertex) | columns_in(residual))


def core_vertex(sharing: Sharing) -> Vertex:
    """The join of a view at its site."""
    return Vertex(sharing.core, sharing.site)


def demand_of(
    recipes: Recipes,
    sharings: Mapping[str, Sharing],
    blocks: Mapping[str, Block],
    kept: Mapping[str, Kept],
) -> Demand:
    """What the views with a block want; of views that could be the same relation, the first is."""
    demand = Demand(recipes)
    for view, block in blocks.items():
        demand.add(core_vertex(sharings[view]), view, frozenset(block.names.values()))
    for view, block in blocks.items():
        vertex, shown = core_vertex(sharings[view]), _shown_columns(kept[view], block)
        if vertex not in demand.owners and shown is not None and len(vertex.relation.inputs) > 1:
            wanted = demand.columns(vertex, but=view)
            if all(equal_column(column, vertex.relation, shown) is not None for column in wanted):
                demand.owners[vertex] = StoredRelation(view, shown)
    return demand


def _shown_columns(kept: Kept, block: Block) -> dict[str, str] | None:
    """Canonical column -> the view's column, of a view that is nothing but a projection of its join."""
    stage = kept.stages[-1]
    if stage.kind is not StageKind.ROWS or not isinstance(stage.plan, Project):
        return None
    if stage.plan.child != block.node or kept.finish != scan_rows(kept.view, stage.columns):
        return None
    if any(can_fail(expr) for _, expr in stage.plan.items):
        return None
    return {block.names[expr.name]: name for name, expr in stage.plan.items if isinstance(expr, Column)}
