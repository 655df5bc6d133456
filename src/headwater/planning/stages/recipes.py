"""How a plan makes each relation at each site: by a join there, as a copy, or not at all.

This reads the graph backwards, from a relation to its delta and the edges into it:

    union of halves   ->  Joined(left, right)      the halves say which parts are joined
    copy              ->  Copied(source, residual) from another site, or from a relation that contains it
    capture           ->  Base                     a source (or another view) at its home

A relation at a site is a `Vertex`, as in the graph: the one of its rows.

Plans join both halves at one site.  Those that earlier versions remembered (plan.txt) may join them in place,
at two sites, and copy them to a third; then both are joined at the site of the first half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.algebra.expressions.tree import Expr
from headwater.errors import InternalError
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, incoming
from headwater.planning.relations.containment import residual
from headwater.planning.relations.relations import Relation

__all__ = ["Base", "Copied", "Joined", "Recipe", "Recipes", "recipes_of"]

Incoming = Mapping[Vertex, tuple[Edge, ...]]


@dataclass(frozen=True, slots=True)
class Base:
    """A source or view of that name, at its home."""

    relation: str
    site: str


@dataclass(frozen=True, slots=True)
class Joined:
    left: Relation
    right: Relation


@dataclass(frozen=True, slots=True)
class Copied:
    source: Vertex
    residual: tuple[Expr, ...] = ()  # what to filter it by


Recipe = Base | Joined | Copied
Recipes = dict[Vertex, Recipe]


def recipes_of(graph: PlanGraph, homes: Mapping[str, str]) -> Recipes:
    """How every relation of the graph is made at every site, and every part that a join needs there."""
    into = incoming(graph)
    recipes: Recipes = {}
    for vertex in graph.vertices:
        if vertex.driven is None and not vertex.relation.view:
            recipes |= _recipes_at(Vertex(vertex.relation, vertex.site), into, recipes, homes)
    waiting = list(recipes)
    while waiting:
        vertex = waiting.pop()
        recipe = recipes[vertex]
        parts = (recipe.left, recipe.right) if isinstance(recipe, Joined) else ()
        for part in (Vertex(relation, vertex.site) for relation in parts):
            if part not in recipes:
                recipes[part] = _brought(part, recipes, homes)
                waiting.append(part)
    return {vertex: _shortened(vertex, recipe, recipes) for vertex, recipe in recipes.items()}


def _recipes_at(vertex: Vertex, into: Incoming, recipes: Recipes, homes: Mapping[str, str]) -> Recipes:
    """The recipe of a vertex by the edge into its delta; with it the join that it is a copy of."""
    if len(vertex.relation.inputs) == 1:
        return {vertex: _base(vertex.relation, homes)}
    delta = Vertex(vertex.relation, vertex.site, delta=True)
    edges = [edge for edge in into.get(delta, ()) if edge.kind in (EdgeKind.COPY, EdgeKind.UNION)]
    if not edges:
        return {}
    edge = edges[0]
    if edge.kind is EdgeKind.COPY:
        source = edge.sources[0]
        residue = residual(vertex.relation, source.relation) or ()
        made: Recipes = {vertex: Copied(Vertex(source.relation, source.site), residue)}
    else:
        site = _joined_at(into, edge.sources[0])
        united = Vertex(vertex.relation, site)
        made = {vertex: Copied(united)}
        made[united] = Joined(*_parts(vertex.relation, edge.sources))  # perhaps the vertex itself
    return {
        target: recipe
        for target, recipe in made.items()
        if isinstance(recipe, Joined) or not isinstance(recipes.get(target), Joined)
    }


def _base(relation: Relation, homes: Mapping[str, str]) -> Base:
    name = relation.inputs[0].relation
    return Base(name, homes[name])


def _joined_at(into: Incoming, half: Vertex) -> str:
    """The site at which a half is joined, wherever it is copied afterwards."""
    while True:
        edge = into[half][0]
        if edge.kind is not EdgeKind.COPY:
            return edge.target.site
        half = edge.sources[0]


def _parts(relation: Relation, halves: tuple[Vertex, ...]) -> tuple[Relation, Relation]:
    driving = [half.driven for half in halves if half.driven is not None]
    if len(driving) != 2:
        raise InternalError("HW932", f"{relation.text} is a union of {len(driving)} halves, not of two")
    return driving[0], driving[1]


def _brought(vertex: Vertex, recipes: Recipes, homes: Mapping[str, str]) -> Base | Copied:
    """The recipe of a part that a join reads and for which the graph has no vertex at that site."""
    relation = vertex.relation
    if len(relation.inputs) == 1:
        return _base(relation, homes)
    same = [other for other in recipes if other.relation == relation]
    if same:
        return Copied(min(same, key=lambda other: (not isinstance(recipes[other], Joined), other.site)))
    # A join may read a wider relation and filter on the way.
    wider = [
        (other, residue) for other in recipes if (residue := residual(relation, other.relation)) is not None
    ]
    if not wider:
        raise InternalError("HW933", f"nothing in the plan makes {relation.text}")
    # The same plan gives the same stages, whatever the order of the graph.
    source, residue = min(wider, key=lambda pair: (pair[0].site != vertex.site, len(pair[1]), pair[0].text))
    return Copied(source, residue)


def _shortened(vertex: Vertex, recipe: Recipe, recipes: Recipes) -> Recipe:
    """A copy of something that came from this very site is taken from where it began."""
    step = recipe
    tested: tuple[Expr, ...] = ()
    while isinstance(step, Copied):
        tested += step.residual
        if step.source.site == vertex.site:
            residue = residual(vertex.relation, step.source.relation)
            return Copied(step.source, tested if residue is None else residue)
        step = recipes[step.source]
    return recipe
