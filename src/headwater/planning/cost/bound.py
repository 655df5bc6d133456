"""A lower bound on the dollars of any plan of some views, however much it shares: a yardstick for the search.

Views that join different inputs show different relations, and each of those is made somewhere, at least once:

    two joins   the delta of one part with the rows of the other, and the other way round
    a union     of these halves
    an apply    and the disk of its rows, unless the view has a tail and shows something else

None of those edges makes a relation of other inputs, so the bound sums over all different sets of inputs,
each split in its cheapest way.  A part that no view shows must be made, too; all the larger relations that
could use it pay for it in equal parts, so that it is never paid for more than once.  Views of the same inputs
with other filters may all be filtered out of one relation, no smaller than any of them: the dearest counts.

An edge costs less per second the more seconds of changes a push carries.  A push of a view carries
x = SLACK * freshness - CP(x), and no path is shorter than that of the best order of joins at one site.
(Plans with a path longer than half of SLACK * freshness may carry more, because pushes follow each other; the
bound is not meant for them.)

Not counted: copies, tails, further disk.  So no plan reaches the bound, and the distance to it is more than
could still be saved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from headwater.planning.cost.costs import HOUR, MONTH, carried_between, timed, window
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, Vertex
from headwater.planning.relations.parts import part, splits
from headwater.planning.relations.relations import Names, Relation, Sharing

__all__ = ["least_dollars"]


def least_dollars(sharings: Sequence[Sharing], situation: Situation) -> float:
    """Resource dollars per hour that any plan of all these views needs."""
    bound = _Bound(sharings, situation)
    dollars: defaultdict[Names, float] = defaultdict(float)
    for sharing in sharings:
        names = sharing.core.names
        if len(sharing.core.inputs) > 1:
            dollars[names] = max(dollars[names], bound.least(sharing))
    return sum(dollars.values()) * HOUR


def _parts(relation: Relation) -> Iterator[tuple[Relation, Relation]]:
    """All ways to split a join in two."""
    for left, right in splits(relation.names):
        yield part(relation, left), part(relation, right)


class _Bound:
    def __init__(self, sharings: Sequence[Sharing], situation: Situation) -> None:
        self.situation = situation
        self.shown = {sharing.core.names for sharing in sharings}
        self.longest_window = max((window(sharing.freshness) for sharing in sharings), default=1.0)
        speeds = situation.operators.speeds
        self.site = max(situation.sites, key=lambda name: speeds.get(name, 1.0))  # edges take least there
        self.price = min(float(site.prices.core_hour) for site in situation.sites.values()) / HOUR
        self.disk = min(float(site.prices.gb_month) for site in situation.sites.values()) / MONTH
        self.ready = cache(self._ready)

    def least(self, sharing: Sharing) -> float:
        """Dollars per second of what only the view's join needs."""
        most, core = window(sharing.freshness), sharing.core
        last = 0.0 if sharing.tail else self._applied(core, most)
        seconds = carried_between(self.ready(core, 0.0), self.ready(core, most) + last, most)
        dollars = min(
            self._made(core, left, right, seconds) + self._share(left) + self._share(right)
            for left, right in _parts(core)
        )
        if sharing.tail:
            return dollars
        applied = self._applied(core, seconds) / seconds * self.price
        return dollars + applied + self.situation.size(core).gigabytes * self.disk

    def _share(self, relation: Relation) -> float:
        """What a part adds, if no view shows it: its own last joins, paid by all that could use it."""
        if len(relation.inputs) == 1 or relation.names in self.shown:
            return 0.0
        users = sum(relation.names < names for names in self.shown)
        ways = (self._made(relation, left, right, self.longest_window) for left, right in _parts(relation))
        return min(ways) / users

    def _made(self, relation: Relation, left: Relation, right: Relation, seconds: float) -> float:
        """Dollars per second of two joins and their union."""
        pushed = self._half(relation, left, right, seconds) + self._half(relation, right, left, seconds)
        return (pushed + self._united(relation, left, right, seconds)) / seconds * self.price

    def _ready(self, relation: Relation, seconds: float) -> float:
        """When the delta of a join is there at the earliest: no copies, no filters, any order of joins."""
        if len(relation.inputs) == 1:
            return 0.0
        return min(self._end(relation, left, right, seconds) for left, right in _parts(relation))

    def _end(self, whole: Relation, left: Relation, right: Relation, seconds: float) -> float:
        begin = max(self.ready(left, seconds), self.ready(right, seconds))
        half = max(self._half(whole, left, right, seconds), self._half(whole, right, left, seconds))
        return begin + half + self._united(whole, left, right, seconds)

    def _half(self, whole: Relation, by: Relation, rest: Relation, seconds: float) -> float:
        sources = self._vertex(by, delta=True), self._vertex(rest)
        return self._seconds(EdgeKind.JOIN, sources, self._vertex(whole, True, by), seconds)

    def _united(self, whole: Relation, left: Relation, right: Relation, seconds: float) -> float:
        halves = self._vertex(whole, True, left), self._vertex(whole, True, right)
        return self._seconds(EdgeKind.UNION, halves, self._vertex(whole, True), seconds)

    def _applied(self, relation: Relation, seconds: float) -> float:
        delta = self._vertex(relation, delta=True)
        return self._seconds(EdgeKind.APPLY, (delta,), self._vertex(relation), seconds)

    def _vertex(self, relation: Relation, delta: bool = False, driven: Relation | None = None) -> Vertex:
        return Vertex(relation, self.site, delta, driven)

    def _seconds(self, kind: EdgeKind, sources: tuple[Vertex, ...], target: Vertex, seconds: float) -> float:
        return timed(Edge(kind, sources, target), seconds, self.situation).seconds
