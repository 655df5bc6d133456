"""Edges and steps of a plan in a few words, for people; `--text` and `--json` have them whole."""

from __future__ import annotations

from typing import assert_never

from headwater.algebra.expressions import spark_sql
from headwater.sharing.graph import Edge, EdgeKind, Vertex
from headwater.sharing.plumbing import Step
from headwater.sharing.relations import Input, Relation

__all__ = ["edge_words", "relation_words", "step_words"]

LONGEST = 32  # characters of a filter


def relation_words(relation: Relation) -> str:
    """`order_items ⋈ orders[status <> 'cancelled']`, or a view's name."""
    return relation.view or " ⋈ ".join(_input(one) for one in relation.inputs)


def _input(one: Input) -> str:
    if not one.filters:
        return one.name
    told = " AND ".join(spark_sql(condition) for condition in one.filters).replace("`", "")
    told = told.replace(f"{one.name}.", "").removeprefix("(").removesuffix(")")
    return f"{one.name}[{told if len(told) <= LONGEST else told[: LONGEST - 1] + '…'}]"


def _vertex(vertex: Vertex) -> str:
    return f"{'Δ ' if vertex.delta else ''}{relation_words(vertex.relation)}"


def edge_words(edge: Edge) -> str:
    """What an edge does."""
    first, target = edge.sources[0], edge.target
    match edge.kind:
        case EdgeKind.CAPTURE:
            return f"capture {_vertex(target)}"
        case EdgeKind.COPY:
            where = f" from {first.site} to {target.site}" if first.site != target.site else ""
            return f"copy {_vertex(target)}{where}"
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


def step_words(step: Step) -> str:
    """What a plumbing changed, and what is no longer needed."""
    gone = f"{step.vertices_removed} vertices and {step.edges_removed} edges fewer"
    halves = [relation_words(one.driven) for one in step.sources if one.driven is not None]
    match step.kind:
        case "union" if len(halves) == len(step.sources):
            return f"{_vertex(step.target)}: made of {' and '.join(halves)}; {gone}"
        case "copy" | "filter" | "join" | "union":
            taken = ", ".join(_vertex(one) for one in step.sources)
            return f"{_vertex(step.target)}: by {step.kind} from {taken}; {gone}"
        case _:
            return f"{step.text}; {gone}"
