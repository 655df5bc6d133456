"""Is a plan well formed?  Every column that is used is there, no name comes twice, unions match.

The driver of the passes asks after each pass, so a pass that breaks a plan is named at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater.algebra.expressions.tree import Expr, columns_of
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    SemiJoin,
    Union,
    Windows,
)
from headwater.algebra.plans.walks import nodes

__all__ = ["faults", "lacks_columns"]


def faults(plan: Plan, sound: set[Plan] | None = None) -> list[str]:
    """What is wrong with the plan, in words; an empty list for a sound plan.

    Nodes that are known to be `sound` are not judged again; those judged now are added to them.
    """
    return [fault for node in nodes(plan, sound) for fault in _node_faults(node)]


def lacks_columns(plan: Plan) -> bool:
    """Does some node use a column that it does not have?"""
    return any(
        not columns_of(expr) <= set(available)
        for node in nodes(plan)
        for exprs, available in _uses(node)
        for expr in exprs
    )


def _node_faults(node: Plan) -> Iterator[str]:
    name = type(node).__name__
    columns = node.columns
    if len(set(columns)) != len(columns):
        yield f"{name} has a column twice: {', '.join(columns)}"
    for exprs, available in _uses(node):
        for expr in exprs:
            for column in sorted(columns_of(expr) - set(available)):
                yield f"{name} uses {column}, which is not in [{', '.join(available)}]"
    if isinstance(node, Union) and any(child.columns != columns for child in node.inputs):
        yield "Union of inputs with different columns"
    if isinstance(node, Over) and node.most is not None and node.most[0] not in columns:
        yield f"Over keeps the least {node.most[0]}, which it does not have"
    if isinstance(node, Restrict) and node.keys and len(node.keys) != len(node.by.columns):
        yield f"Restrict by {len(node.by.columns)} columns on {len(node.keys)} keys"


def _uses(node: Plan) -> Iterator[tuple[Iterable[Expr], tuple[str, ...]]]:
    """Expressions of a node, with the columns they may use."""
    match node:
        case Filter():
            yield [node.condition], node.child.columns
        case Project():
            yield [expr for _, expr in node.items], node.child.columns
        case Windows():
            yield [node.time], node.child.columns
        case Join():
            yield node.conditions, node.columns
        case OuterJoin() | SemiJoin():
            yield [left for left, _ in node.keys], node.left.columns
            yield [right for _, right in node.keys], node.right.columns
            if node.residual is not None:
                yield [node.residual], node.left.columns + node.right.columns
        case Aggregate():
            yield [expr for _, expr in node.keys], node.child.columns
            for aggregate in node.aggregates:
                yield (
                    (*aggregate.arguments, *(() if aggregate.where is None else (aggregate.where,))),
                    node.child.columns,
                )
        case Over():
            yield (*node.partition, *(item.expr for item in node.order)), node.child.columns
            for over in node.calls:
                where = () if over.call.where is None else (over.call.where,)
                yield (*over.call.arguments, *where), node.child.columns
        case Explode():
            yield [node.generator], node.child.columns
        case Restrict():
            yield node.keys, node.child.columns
