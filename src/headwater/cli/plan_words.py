"""Edges and steps of a plan in a few words, for people; `--text` and `--json` have them whole."""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from headwater.algebra.expressions import spark_sql
from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.plumbing import Step
from headwater.sharing.relations import Input, Relation

__all__ = ["edge_words", "relation_words", "step_words"]

LONGEST = 32  # characters of a filter


def relation_words(relation: Relation, whole: bool = True) -> str:
    """`order_items ⋈ orders[status <> 'cancelled']`, or a view's name. Not `whole`: `orders[…]`."""
    return relation.view or " ⋈ ".join(_input(one, whole) for one in relation.inputs)


def _input(one: Input, whole: bool) -> str:
    if not one.filters:
        return one.name
    if not whole:
        return f"{one.name}[…]"
    told = " AND ".join(spark_sql(condition) for condition in one.filters).replace("`", "")
    told = told.replace(f"{one.name}.", "").removeprefix("(").removesuffix(")")
    return f"{one.name}[{told if len(told) <= LONGEST else told[: LONGEST - 1] + '…'}]"


def _vertex(vertex: Vertex, whole: bool = True) -> str:
    return f"{'Δ ' if vertex.delta else ''}{relation_words(vertex.relation, whole)}"


def edge_words(edge: Edge) -> str:
    """What an edge does."""
    first, target = edge.sources[0], edge.target
    match edge.kind:
        case EdgeKind.CAPTURE:
            return f"capture {_vertex(target)}"
        case EdgeKind.COPY:
            if first.site == target.site:
                return f"filter {_vertex(target)}"
            return f"copy {_vertex(target)} from {first.site} to {target.site}"
        case EdgeKind.JOIN:
            return f"join {_vertex(first)} with {_vertex(edge.sources[-1])}"
        case EdgeKind.UNION:
            return f"merge the halves of {_vertex(target)}"
        case EdgeKind.AGGREGATE:
            return f"aggregate {_vertex(first)} into {_vertex(target)}"
        case EdgeKind.COMPUTE:
            return f"compute {_vertex(target)}"
        case EdgeKind.APPLY:
            return f"apply {_vertex(first)}"
        case _:
            assert_never(edge.kind)


def _fewer(removed: int, what: str) -> str:
    return f"{abs(removed)} {'more' if removed < 0 else 'fewer'} {what}"


def step_words(step: Step, views: Collection[str]) -> str:
    """What a plumbing changed for some views, and what is no longer needed."""
    gone = f"{_fewer(step.vertices_removed, 'vertices')} and {_fewer(step.edges_removed, 'edges')}"
    whom = f" for {', '.join(sorted(views))}" if views else ""
    halves = [relation_words(one.driven, False) for one in step.sources if one.driven is not None]
    match step.kind:
        case "union" if len(halves) == len(step.sources):
            return f"{_vertex(step.target, False)} made of {' and '.join(halves)}{whom}; {gone}"
        case "copy" | "filter" | "join" | "union":
            taken = " and ".join(_vertex(one, False) for one in step.sources)
            return f"{_vertex(step.target, False)} by {step.kind} from {taken}{whom}; {gone}"
        case _:
            return f"{step.text}; {gone}"
