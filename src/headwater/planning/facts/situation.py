"""What a plan is judged by: the sites and their prices, where sources are, how large and fast they are.

A situation is a value.  It remembers the sizes and the longest paths that it has worked out, since a search
asks for the same ones again and again: a step changes the plans of few views.  A changed situation
(`dataclasses.replace`) starts with an empty memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.model import Site
from headwater.planning.cost.operators import OPERATORS, Operators
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.sizes import Size, size_of
from headwater.planning.facts.skipping import Met, read_share
from headwater.planning.graph.graph import Edge, Vertex
from headwater.planning.relations.relations import Input, Relation

if TYPE_CHECKING:
    from headwater.planning.cost.costs import Path

__all__ = ["Situation", "only_default"]

HOUR = 3600.0


def only_default() -> dict[str, Site]:
    """The sites of a project that names none."""
    return {"default": Site()}


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that pricing needs."""

    sites: Mapping[str, Site] = field(default_factory=only_default)
    facts: Mapping[str, Facts] = field(default_factory=dict)  # of sources, and of views that are read
    homes: Mapping[str, str] = field(default_factory=dict)  # source or view -> site; else the first site
    operators: Operators = OPERATORS
    measured: Mapping[Relation, Facts] = field(default_factory=dict)  # of relations that are stored
    delays: Mapping[str, float] = field(default_factory=dict)  # view that is read -> its own critical path
    met: Met = field(default_factory=dict)  # what part of a source new rows of another meet
    retention: float = HOUR  # seconds of changes that a delta keeps
    _sizes: dict[Relation, Size] = field(default_factory=dict, init=False, repr=False, compare=False)
    _vertices: dict[Vertex, Size] = field(default_factory=dict, init=False, repr=False, compare=False)
    _read_shares: dict[tuple[Relation, Relation], float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    paths: dict[tuple[tuple[Edge, ...], float], Path] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def is_limited(self) -> bool:
        """Whether any site has a capacity that a plan could exceed."""
        return any(site.cores is not None or site.gb is not None for site in self.sites.values())

    def home(self, input: Input) -> str:
        return self.homes.get(input.relation) or next(iter(self.sites))

    def size(self, relation: Relation) -> Size:
        size = self._sizes.get(relation)
        if size is None:
            size = self._sizes[relation] = size_of(relation, self.facts, self.measured)
        return size

    def read_share(self, changed: Relation, beside: Relation, whole: Relation) -> float:
        """The part of a relation that a join of another's changes with it reads."""
        share = self._read_shares.get((changed, beside))
        if share is None:
            share = self._read_shares[changed, beside] = read_share(changed, beside, whole, self.met)
        return share

    def vertex_size(self, vertex: Vertex) -> Size:
        """The size of a vertex; of a half: as many changes as its driving delta causes in the whole."""
        size = self._vertices.get(vertex)
        if size is None:
            size = self._vertices[vertex] = self._vertex_size(vertex)
        return size

    def _vertex_size(self, vertex: Vertex) -> Size:
        whole = self.size(vertex.relation)
        if vertex.driven is None:
            return whole
        driving = self.size(vertex.driven)
        rate = driving.rate * whole.rows / driving.rows if driving.rows > 0 else 0.0
        return Size(whole.rows, rate, whole.bytes_per_row)

    def stored_bytes(self, vertex: Vertex) -> float:
        """What a vertex keeps on disk: all rows, or the changes of the time that deltas are kept.

        A source is there whether or not a plan reads it, and its changes are captured for all: both count 0.
        """
        if vertex.relation.is_base and self.home(vertex.relation.inputs[0]) == vertex.site:
            return 0.0
        size = self.vertex_size(vertex)
        rows = size.rate * self.retention if vertex.delta else size.rows
        return rows * size.bytes_per_row
