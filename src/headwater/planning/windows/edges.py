"""Edges: where the partial aggregates of a query, and of a tree of queries, end.

A query answers at every multiple of its slide, over the last `range` ticks.  With paired windows the
stream is cut where an answer ends (0 mod slide) and where a window starts (-range mod slide), so each
slide holds two fragments, of lengths g2 = slide - g1 and then g1 = range mod slide, or one when g1 = 0.
A tree cuts the stream at the edges of all its queries; its edge rate is the share of ticks that are cut.

    range 5, slide 3:   g1 = 2, g2 = 1   edges 0, 1, 3, 4, 6, ...   2 edges in 3 ticks

The paper names the two lengths but not their order.  The order cannot change an edge rate (turning
time round maps one order to the other for all queries at once), and only this one puts an edge at the
start of every window, so that an answer is a whole number of fragments.

Invariant: an EdgeSet holds no class inside another, and equal sets are one object, so `is` compares
them and unions are remembered by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from headwater.planning.windows.density import density, forget_densities
from headwater.planning.windows.residues import Term, absorb, term

__all__ = [
    "NO_EDGES",
    "EdgeSet",
    "edge_set",
    "edges_of_window",
    "forget_edges",
    "paired_window",
    "union",
    "union_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeSet:
    """A set of edges that repeats: its classes, and the share of ticks that are edges."""

    terms: frozenset[Term]
    density: float

    def __reduce__(self) -> tuple[Callable[[frozenset[Term]], EdgeSet], tuple[frozenset[Term]]]:
        return edge_set, (self.terms,)


REMEMBERED = 400_000
_sets: dict[frozenset[Term], EdgeSet] = {}
_unions: dict[tuple[EdgeSet, EdgeSet], EdgeSet] = {}


def paired_window(window: int, slide: int) -> tuple[int, int]:
    """The two fragment lengths (g1, g2) of a range and a slide; g1 is zero when the slide divides it."""
    first = window % slide
    return first, slide - first


@lru_cache(maxsize=200_000)
def edges_of_window(window: int, slide: int, offset: int = 0) -> EdgeSet:
    """The edges of one query."""
    return edge_set(frozenset((term(offset % slide, slide), term((offset - window) % slide, slide))))


def edge_set(terms: frozenset[Term]) -> EdgeSet:
    """The one EdgeSet of a union of classes; contained classes are dropped."""
    edges = _sets.get(terms)
    if edges is not None:
        return edges
    kept = frozenset([()]) if () in terms else frozenset(absorb(dict.fromkeys(terms, 1.0), terms))
    edges = _sets.get(kept)
    if edges is None:
        edges = _sets[kept] = EdgeSet(kept, density(kept))
    return edges


def union(left: EdgeSet, right: EdgeSet) -> EdgeSet:
    """All edges of both, remembered."""
    if left is right or not right.terms:
        return left
    if not left.terms:
        return right
    pair = (left, right)
    both = _unions.get(pair)
    if both is None:
        if len(_unions) >= REMEMBERED:
            _unions.clear()
        both = _unions[pair] = _unions[right, left] = edge_set(left.terms | right.terms)
    return both


def union_of(sets: Iterable[EdgeSet]) -> EdgeSet:
    """All edges of many sets, each looked at once."""
    return edge_set(frozenset().union(*(edges.terms for edges in sets)))


def forget_edges() -> None:
    """Empty the memory of unions and densities; sets in use stay valid."""
    _unions.clear()
    forget_densities()


NO_EDGES = edge_set(frozenset())
