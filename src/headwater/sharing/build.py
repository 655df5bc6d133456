"""A plan's graph from the decisions of a search: the inputs in order, and how and where each is joined.

After the joins comes what the view does last, at its own site:

    nothing      d(core) -apply-> core
    an aggregate d(core) -aggregate-> dV -apply-> V
    another tail d(core) and core -compute-> dV -apply-> V

A view of one input that lies at the view's site and is not changed by a tail is a copy within the site: it
selects, and nothing travels.  If it does not even filter, its vertex bears the view's name, since the source
itself is there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, graph_of
from headwater.sharing.placement import Placed, applied, base, captured, copied, joined, made, moved
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.situation import Situation

__all__ = ["Move", "build"]


@dataclass(frozen=True, slots=True)
class Move:
    """An input joined to those before it: both at a site (`at`), or in place (""), the result at another."""

    input: int
    at: str = ""
    result: str = ""


def build(sharing: Sharing, moves: Sequence[Move], situation: Situation) -> PlanGraph:
    """The graph of a view's plan. The first move only names the input that the sequence begins with."""
    inputs = sharing.core.inputs
    left = base(inputs[moves[0].input], situation.home(inputs[moves[0].input]))
    edges = [captured(left)]
    names = left.relation.names
    for move in moves[1:]:
        right = base(inputs[move.input], situation.home(inputs[move.input]))
        names |= right.relation.names
        whole = sharing.core if len(names) == len(inputs) else sharing.part(names)
        left, join = _step(left, right, whole, move)
        edges += [captured(right), *join]
    return graph_of((*edges, *_last(sharing, left)), sharing.view)


def _step(left: Placed, right: Placed, whole: Relation, move: Move) -> tuple[Placed, tuple[Edge, ...]]:
    here, first = stored(left, move.at or left.site)
    there, second = stored(right, move.at or right.site)
    result, join = joined(here, there, whole, move.result)
    return result, (*first, *second, *join)


def stored(placed: Placed, site: str) -> tuple[Placed, tuple[Edge, ...]]:
    """With its rows at a site: copied there, or applied where it arose; a source has them."""
    there, edges = copied(placed, site)
    if edges or placed.rows.relation.is_base:
        return there, edges
    return there, (applied(there),)


def _last(sharing: Sharing, core: Placed) -> tuple[Edge, ...]:
    there, copy = moved(core, sharing.site)
    if not sharing.tail:
        if there.rows.relation.is_base and not copy:
            there, copy = _selected(sharing, there)
        return (*copy, applied(there))
    view = made(sharing.result, sharing.site)
    if sharing.tail == "aggregate":
        return (*copy, Edge(EdgeKind.AGGREGATE, (there.delta,), view.delta), applied(view))
    rows = () if there.rows.relation.is_base and not copy else (applied(there),)
    return (*copy, *rows, Edge(EdgeKind.COMPUTE, (there.delta, there.rows), view.delta), applied(view))


def _selected(sharing: Sharing, source: Placed) -> tuple[Placed, tuple[Edge, ...]]:
    """What a view keeps of a source at its own site."""
    core = sharing.core
    relation = Relation(core.inputs, core.equal, core.conditions, sharing.view) if core.is_base else core
    there = made(relation, sharing.site)
    return there, (Edge(EdgeKind.COPY, (source.delta,), there.delta),)
