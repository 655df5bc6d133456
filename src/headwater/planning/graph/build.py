"""A plan's graph from the decisions of a search: the inputs in order, and where each is joined.

After the joins comes what the view does last, at its own site:

    nothing      d(core) -apply-> core
    an aggregate d(core) -aggregate-> dV -apply-> V
    another tail d(core) and core -compute-> dV -apply-> V

A view of one input that is at the view's site and is not changed by a tail is a copy within the site: it
selects, and nothing travels.  If it does not even filter, its vertex bears the view's name, since the source
itself is there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, graph_of
from headwater.planning.graph.site_relations import (
    SiteRelation,
    applied,
    base,
    captured,
    computed,
    copied,
    joined,
    moved,
)
from headwater.planning.relations.parts import part
from headwater.planning.relations.relations import Relation, Sharing

__all__ = ["JoinStep", "build"]


@dataclass(frozen=True, slots=True)
class JoinStep:
    """An input joined with those before it: both sides at a site, the result at another (or the same)."""

    input: int
    at: str = ""
    result: str = ""


def build(sharing: Sharing, steps: Sequence[JoinStep], situation: Situation) -> PlanGraph:
    """The graph of a view's plan. The first step only names the input that the sequence begins with."""
    sources = [base(input, situation.home(input)) for input in sharing.core.inputs]
    left = sources[steps[0].input]
    edges = [captured(left)]
    names = left.relation.names
    for step in steps[1:]:
        right = sources[step.input]
        names |= right.relation.names
        left, join = _step(left, right, part(sharing.core, names), step)
        edges += [captured(right), *join]
    return graph_of((*edges, *_tail(sharing, left)), sharing.view)


def _step(
    left: SiteRelation, right: SiteRelation, whole: Relation, step: JoinStep
) -> tuple[SiteRelation, tuple[Edge, ...]]:
    left_there, first = _with_rows(left, step.at)
    right_there, second = _with_rows(right, step.at)
    result, join = joined(left_there, right_there, whole, step.result)
    return result, (*first, *second, *join)


def _with_rows(relation: SiteRelation, site: str) -> tuple[SiteRelation, tuple[Edge, ...]]:
    """Delta and rows at a site: copied there, or applied where it was joined; a source has them."""
    there, edges = copied(relation, site)
    if edges or relation.rows.relation.is_base:
        return there, edges
    return there, (applied(there),)


def _tail(sharing: Sharing, core: SiteRelation) -> tuple[Edge, ...]:
    there, copy = moved(core, sharing.site)
    is_source_here = there.rows.relation.is_base and not copy
    if not sharing.tail:
        if is_source_here:
            there, copy = _selected(sharing, there)
        return (*copy, applied(there))
    view = computed(sharing.result, sharing.site)
    if sharing.tail == "aggregate":
        return (*copy, Edge(EdgeKind.AGGREGATE, (there.delta,), view.delta), applied(view))
    rows = () if is_source_here else (applied(there),)
    return (*copy, *rows, Edge(EdgeKind.COMPUTE, (there.delta, there.rows), view.delta), applied(view))


def _selected(sharing: Sharing, source: SiteRelation) -> tuple[SiteRelation, tuple[Edge, ...]]:
    """What a view keeps of a source at its own site."""
    core = sharing.core
    relation = Relation(core.inputs, core.equal, core.conditions, sharing.view) if core.is_base else core
    there = computed(relation, sharing.site)
    return there, (Edge(EdgeKind.COPY, (source.delta,), there.delta),)
