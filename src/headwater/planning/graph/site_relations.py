"""Relations at sites, and the edges that bring them there: copies and joins.

    copied(A at m1, m2)              dA@m1 -copy-> dA@m2 -apply-> A@m2
                                     (the paper counts one vertex and two edges: dA@m2 comes with the copy)

    joined(A at m1, B at m1, m3)     dA@m1 with B@m1 -join-> half@m1
                                     dB@m1 with A@m1 -join-> half@m1
                                     both halves -union-> d(AB)@m1 -copy-> d(AB)@m3, then -apply-> AB@m3

Cases (b), (c) and (d) of the paper's Figure 3 are these two put together: one side is copied to the other, or
both to where the result is wanted, and then they are joined.  Case (a), in place, is not offered:
docs/sharing.md says why that loses nothing.

If the result is wanted at another site, the halves are united first and copied once: the same bytes as two
copied halves, one copy less.  The paper copies both.

Filters are pushed down to the first edge.  A source is at its home as it is, unfiltered; the edge that first
reads it (a copy, a half-way join) keeps what passes, which shows in the relation of its target.  So a
`SiteRelation` says both: the relation that is meant, and the vertices that hold it, perhaps with more rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import InternalError
from headwater.planning.graph.graph import Edge, EdgeKind, Vertex
from headwater.planning.relations.relations import Input, Relation

__all__ = ["SiteRelation", "applied", "base", "captured", "computed", "copied", "joined", "moved"]


@dataclass(frozen=True, slots=True)
class SiteRelation:
    """A relation at a site: the vertices that hold its delta and its rows."""

    relation: Relation
    delta: Vertex
    rows: Vertex

    @property
    def site(self) -> str:
        return self.delta.site


def base(input: Input, site: str) -> SiteRelation:
    """An input at its home: the source (or view) itself, of which only what passes the filters is meant."""
    whole = Relation((Input(input.name, input.relation),))
    return SiteRelation(Relation((input,)), Vertex(whole, site, delta=True), Vertex(whole, site))


def computed(relation: Relation, site: str) -> SiteRelation:
    """A relation that a plan computes at a site, or copies there."""
    return SiteRelation(relation, Vertex(relation, site, delta=True), Vertex(relation, site))


def captured(source: SiteRelation) -> Edge:
    return Edge(EdgeKind.CAPTURE, (source.rows,), source.delta)


def applied(relation: SiteRelation) -> Edge:
    return Edge(EdgeKind.APPLY, (relation.delta,), relation.rows)


def moved(relation: SiteRelation, site: str) -> tuple[SiteRelation, tuple[Edge, ...]]:
    """The relation with its delta at another site; nothing to do where it is."""
    if relation.site == site:
        return relation, ()
    there = computed(relation.relation, site)
    return there, (Edge(EdgeKind.COPY, (relation.delta,), there.delta),)


def copied(relation: SiteRelation, site: str) -> tuple[SiteRelation, tuple[Edge, ...]]:
    """Delta and rows at another site; nothing to do where they are."""
    there, edges = moved(relation, site)
    return there, (*edges, applied(there)) if edges else ()


def joined(
    left: SiteRelation, right: SiteRelation, whole: Relation, site: str
) -> tuple[SiteRelation, tuple[Edge, ...]]:
    """Both sides joined at their common site, the delta of the result at `site`. `applied` gives its rows."""
    if left.site != right.site:
        raise InternalError(
            "HW936", f"{whole.text} cannot be joined: its sides are at {left.site} and at {right.site}"
        )
    halves = tuple(Vertex(whole, left.site, delta=True, driven=side.relation) for side in (left, right))
    united = computed(whole, left.site)
    result, copy = moved(united, site)
    return result, (
        Edge(EdgeKind.JOIN, (left.delta, right.rows), halves[0]),
        Edge(EdgeKind.JOIN, (right.delta, left.rows), halves[1]),
        Edge(EdgeKind.UNION, halves, united.delta),
        *copy,
    )
