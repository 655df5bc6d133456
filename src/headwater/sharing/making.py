"""How a plan makes each relation at each site: by a join there, as a copy from elsewhere, or not at all.

This reads the graph backwards, from a relation to its delta and the edges into it:

    union of halves   ->  Joined(left, right)      the halves tell which parts are joined
    copy              ->  Copied(source, residual) from another site, or from a relation that contains it
    capture           ->  Base                     a source (or another view) where it lies
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.algebra.expressions import Expr
from headwater.errors import InternalError
from headwater.sharing.containment import residual
from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, Vertex, incoming
from headwater.sharing.relations import Relation

__all__ = ["Base", "Copied", "Joined", "Made", "Place", "made_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """A relation at a site."""

    relation: Relation
    site: str

    def __str__(self) -> str:
        return f"{self.relation.text} @ {self.site}"


@dataclass(frozen=True, slots=True)
class Base:
    relation: str
    site: str


@dataclass(frozen=True, slots=True)
class Joined:
    left: Relation
    right: Relation


@dataclass(frozen=True, slots=True)
class Copied:
    source: Place
    residual: tuple[Expr, ...] = ()


Made = dict[Place, Base | Joined | Copied]


def made_of(graph: PlanGraph, homes: Mapping[str, str]) -> Made:
    """How every relation of the graph is made at every site, and every part that a join needs there."""
    into = incoming(graph)
    made: Made = {}
    for vertex in graph.vertices:
        if vertex.driven is None and not vertex.relation.view:
            _note(made, into, Vertex(vertex.relation, vertex.site, delta=True), homes)
    waiting = list(made)
    while waiting:
        place = waiting.pop()
        step = made[place]
        parts = (step.left, step.right) if isinstance(step, Joined) else ()
        for part in (Place(one, place.site) for one in parts):
            if part not in made:
                made[part] = _elsewhere(made, part, homes)
                waiting.append(part)
    return {place: _straight(made, place, step) for place, step in made.items()}


def _straight(made: Made, place: Place, step: Base | Joined | Copied) -> Base | Joined | Copied:
    """A copy of something that came from this very site is taken from where it began."""
    found: Base | Joined | Copied = step
    tested: tuple[Expr, ...] = ()
    while isinstance(step, Copied):
        tested += step.residual
        if step.source.site == place.site:
            left_over = residual(place.relation, step.source.relation)
            return Copied(step.source, tested if left_over is None else left_over)
        step = made[step.source]
    return found


def _note(
    made: Made, into: Mapping[Vertex, tuple[Edge, ...]], vertex: Vertex, homes: Mapping[str, str]
) -> None:
    place = Place(vertex.relation, vertex.site)
    if len(vertex.relation.inputs) == 1:
        made[place] = _base(vertex.relation, homes)
        return
    for edge in into.get(vertex, ()):
        match edge.kind:
            case EdgeKind.COPY:
                source = edge.sources[0]
                left_over = residual(vertex.relation, source.relation)
                if not isinstance(
                    made.get(place), Joined
                ):  # else it is joined here, for another site as well
                    made[place] = Copied(Place(source.relation, source.site), left_over or ())
            case EdgeKind.UNION:
                site = _joined_at(into, edge.sources[0])
                made[Place(vertex.relation, site)] = Joined(*_parts(vertex.relation, edge.sources))
                if not isinstance(made.get(place), Joined):
                    made[place] = Copied(Place(vertex.relation, site))
            case _:
                continue
        return


def _base(relation: Relation, homes: Mapping[str, str]) -> Base:
    name = relation.inputs[0].relation
    return Base(name, homes[name])


def _joined_at(into: Mapping[Vertex, tuple[Edge, ...]], half: Vertex) -> str:
    """The site at which a half is joined, wherever it is copied afterwards."""
    while True:
        edge = into[half][0]
        if edge.kind is not EdgeKind.COPY:
            return edge.target.site
        half = edge.sources[0]


def _parts(relation: Relation, halves: tuple[Vertex, ...]) -> tuple[Relation, Relation]:
    driven = [half.driven for half in halves if half.driven is not None]
    if len(driven) != 2:
        raise InternalError("HW932", f"{relation.text} is a union of {len(driven)} halves, not of two")
    return driven[0], driven[1]


def _elsewhere(made: Made, place: Place, homes: Mapping[str, str]) -> Base | Copied:
    if len(place.relation.inputs) == 1:
        return _base(place.relation, homes)
    same = [one for one in made if one.relation == place.relation]
    if same:
        return Copied(min(same, key=lambda one: (not isinstance(made[one], Joined), one.site)))
    # A join may read a wider relation and filter on the way.
    wider = [(one, left) for one in made if (left := residual(place.relation, one.relation)) is not None]
    if not wider:
        raise InternalError("HW933", f"nothing in the plan makes {place.relation.text}")
    source, left = min(
        wider, key=lambda pair: (pair[0].site != place.site, len(pair[1]), str(pair[0]))
    )  # whatever the order of the graph: the same plan gives the same stages
    return Copied(source, left)
