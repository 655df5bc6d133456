"""How a relation comes to a site: copied, or joined in place; each as edges that a graph can take up.

    copied(A at m1, m2)              dA@m1 -copy-> dA@m2 -apply-> A@m2
                                     (the paper counts one vertex and two edges: dA@m2 comes with the copy)

    joined(A at m1, B at m2, m3)     dA@m1 -copy-> dA@m2, with B@m2 -join-> half@m2 -copy-> half@m3
                                     dB@m2 -copy-> dB@m1, with A@m1 -join-> half@m1 -copy-> half@m3
                                     both halves -union-> d(AB)@m3, and then -apply-> AB@m3

which is Figure 2 of the paper: 8 vertices and 8 edges beyond A, dA, B, dB, and fewer when sites coincide.
The four cases of Figure 3 are these two put together: (a) joined as they lie, (b) and (c) one copied to the
other, (d) both copied to where the result is wanted.

When both halves arise at one site and the result is wanted at another, they are united first and copied
once (`united_first`): the same bytes, a copy fewer.  The paper copies both; its counts are had without it.

Filters are pushed down to the first edge.  A source lies at its home as it is, unfiltered; the edge that
first reads it (a copy, a half-way join) keeps what passes, which shows in the relation of its target.  So
`Placed` says both: the relation that is meant and the vertices that hold it, perhaps with more rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.relations import Input, Relation

__all__ = ["Placed", "applied", "base", "captured", "copied", "joined", "made", "moved"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A relation at a site: the vertices that hold its delta and its rows."""

    relation: Relation
    delta: Vertex
    rows: Vertex

    @property
    def site(self) -> str:
        return self.delta.site


def base(one: Input, site: str) -> Placed:
    """An input where it lies: the source (or view) itself, of which only what passes the filters is meant."""
    whole = Relation((Input(one.name, one.relation),))
    return Placed(Relation((one,)), Vertex(whole, site, delta=True), Vertex(whole, site))


def made(relation: Relation, site: str) -> Placed:
    """A relation that a plan makes at a site."""
    return Placed(relation, Vertex(relation, site, delta=True), Vertex(relation, site))


def captured(placed: Placed) -> Edge:
    return Edge(EdgeKind.CAPTURE, (placed.rows,), placed.delta)


def applied(placed: Placed) -> Edge:
    return Edge(EdgeKind.APPLY, (placed.delta,), placed.rows)


def moved(placed: Placed, site: str) -> tuple[Placed, tuple[Edge, ...]]:
    """Only the delta at another site, for a half-way join there."""
    if placed.site == site:
        return placed, ()
    there = made(placed.relation, site)
    return there, (Edge(EdgeKind.COPY, (placed.delta,), there.delta),)


def copied(placed: Placed, site: str) -> tuple[Placed, tuple[Edge, ...]]:
    """Delta and rows at another site; nothing to do where it lies."""
    there, edges = moved(placed, site)
    return there, (*edges, applied(there)) if edges else ()


def joined(
    left: Placed, right: Placed, relation: Relation, site: str, united_first: bool = True
) -> tuple[Placed, tuple[Edge, ...]]:
    """Both joined where they lie, the delta of the result at `site`. Add `applied` for its rows."""
    to_right, first = moved(left, right.site)
    to_left, second = moved(right, left.site)
    by_left = Vertex(relation, right.site, delta=True, driven=left.relation)
    by_right = Vertex(relation, left.site, delta=True, driven=right.relation)
    halves = (
        Edge(EdgeKind.JOIN, (to_right.delta, right.rows), by_left),
        Edge(EdgeKind.JOIN, (to_left.delta, left.rows), by_right),
    )
    together = left.site == right.site
    united, last = _united(by_left, by_right, relation, left.site if together and united_first else site)
    there, copy = moved(united, site)
    return there, (*first, *second, *halves, *last, *copy)


def _united(one: Vertex, other: Vertex, relation: Relation, site: str) -> tuple[Placed, tuple[Edge, ...]]:
    """The union of two halves at a site, to which they are copied if they are elsewhere."""
    there = made(relation, site)
    halves = tuple(Vertex(relation, site, delta=True, driven=half.driven) for half in (one, other))
    copies = (
        Edge(EdgeKind.COPY, (half,), target)
        for half, target in zip((one, other), halves, strict=True)
        if half.site != site
    )
    return there, (*copies, Edge(EdgeKind.UNION, halves, there.delta))
