"""What the views of a tree need of its stage, added up.

Trees are united pair by pair, and there may be a thousand views: so the needs of a tree are made from those
of the two that it unites, without looking at the views again.  Most views ask for the same keys, states and
filters as another and differ in their windows alone, which are edges here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from math import inf

from headwater.algebra.expressions.tree import Expr
from headwater.algebra.weaving.edges import Edges, least
from headwater.algebra.weaving.ending import oldest_of
from headwater.algebra.weaving.grouping import Grouping, Shape
from headwater.algebra.weaving.shared_parts import edges_of
from headwater.clock import micros
from headwater.planning.weaving.candidates import Candidate
from headwater.units import SECOND

__all__ = ["Needs", "needs_of"]


@dataclass(frozen=True, slots=True)
class Needs:
    groupings: Mapping[Shape, Grouping]  # one of each shape, in the order of the views
    edges: Edges
    overlap: int
    views: int
    panes: Fraction  # slides that end in a second, each as often as its rows lie in windows
    freshness: float  # of the most impatient view, in seconds
    keys: frozenset[Expr]  # with the filters
    times: frozenset[Expr]  # that windows are of
    oldest: timedelta | None  # row that a view needs; None if one needs all

    def __add__(self, other: Needs) -> Needs:
        groupings = dict(self.groupings)
        for shape, grouping in other.groupings.items():
            groupings.setdefault(shape, grouping)
        return Needs(
            groupings,
            least((*self.edges, *other.edges)),
            self.overlap + other.overlap,
            self.views + other.views,
            self.panes + other.panes,
            min(self.freshness, other.freshness),
            self.keys | other.keys,
            self.times | other.times,
            None if self.oldest is None or other.oldest is None else max(self.oldest, other.oldest),
        )


def needs_of(members: Iterable[Candidate]) -> Needs:
    members = tuple(members)
    groupings: dict[Shape, Grouping] = {}
    for member in members:
        groupings.setdefault(member.grouping.shape, member.grouping)
    return Needs(
        groupings,
        edges_of(member.grouping for member in members),
        sum(member.overlap for member in members),
        len(members),
        sum(map(_panes, members), Fraction()),
        min((member.freshness for member in members), default=inf),
        frozenset(key for shape in groupings for key in (*shape.keys, *shape.filters)),
        frozenset(shape.time for shape in groupings if shape.time is not None),
        oldest_of(member.grouping for member in members),
    )


def _panes(member: Candidate) -> Fraction:
    window = member.grouping.window
    return Fraction() if window is None else Fraction(member.overlap * SECOND, micros(window.slide))
