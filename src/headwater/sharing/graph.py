"""A plan: a DAG of vertices (a relation or a delta, at a site) and edges (operators that move changes on).

    capture    R -> dR                   where R is a source: changes are recorded beside the relation
    copy       dR at m -> dR at n        between sites; may filter and project on the way
    join       dA, B -> d(dA * B)        a half-way join: the delta of one side against the other, at one site
    union      halves -> dR
    aggregate  dR -> dV                  what a view with GROUP BY does last; `compute` is any other tail
    apply      dR -> R                   at one site

Every vertex and edge records the views that it serves.  Merging two plans is a union of both, and what
serves nobody is dropped.  A graph is a value: all changes make a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from headwater.sharing.relations import Relation

__all__ = ["Edge", "EdgeKind", "PlanGraph", "Vertex"]


class EdgeKind(Enum):
    CAPTURE = "capture"
    COPY = "copy"
    JOIN = "join"
    UNION = "union"
    AGGREGATE = "aggregate"
    COMPUTE = "compute"
    APPLY = "apply"


@dataclass(frozen=True, slots=True)
class Vertex:
    """A relation or its delta at a site; `driven` marks a half: its delta joined with the rest."""

    relation: Relation
    site: str
    delta: bool = False
    driven: Relation | None = None

    @property
    def text(self) -> str:
        inside = self.relation.text if self.driven is None else f"{self.relation.text} by {self.driven.text}"
        return f"{'d(' if self.delta else ''}{inside}{')' if self.delta else ''} @ {self.site}"


@dataclass(frozen=True, slots=True)
class Edge:
    kind: EdgeKind
    sources: tuple[Vertex, ...]  # of a join: the delta first, then the relation
    target: Vertex


@dataclass(frozen=True, slots=True)
class PlanGraph:
    """Edges and vertices with the views they serve."""

    edges: Mapping[Edge, frozenset[str]] = field(default_factory=dict)
    vertices: Mapping[Vertex, frozenset[str]] = field(default_factory=dict)
