"""The expressions of a plan's nodes: reading them, and rewriting them in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from headwater.algebra.expressions.tree import AggregateCall, Expr
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Windows,
)

__all__ = ["computed", "with_expressions"]

Change = Callable[[Expr], Expr]


def computed(node: Plan) -> Iterable[Expr]:
    """The expressions that a node computes for the rows of its inputs."""
    match node:
        case Scan() | Union() | Negate():
            return ()
        case Filter():
            return (node.condition,)
        case Project():
            return (expr for _, expr in node.items)
        case Windows():
            return (node.time,)
        case Join():
            return node.conditions
        case OuterJoin() | SemiJoin():
            sides = [side for pair in node.keys for side in pair]
            return sides if node.residual is None else (*sides, node.residual)
        case Aggregate():
            return (*(expr for _, expr in node.keys), *_arguments(node.aggregates))
        case Over():
            ranked = (*node.partition, *(item.expr for item in node.order))
            return (*ranked, *_arguments(over.call for over in node.calls))
        case Explode():
            return (node.generator,)
        case Restrict():
            return node.keys
        case _:
            assert_never(node)


def _arguments(aggregates: Iterable[AggregateCall]) -> Iterable[Expr]:
    for aggregate in aggregates:
        yield from aggregate.arguments
        if aggregate.where is not None:
            yield aggregate.where


def with_expressions(node: Plan, change: Change) -> Plan:
    """The node with every expression rewritten; the columns that it gives keep their names."""
    match node:
        case Scan() | Union() | Negate():
            return node
        case Filter():
            return replace(node, condition=change(node.condition))
        case Project():
            return replace(node, items=_changed_items(node.items, change))
        case Windows():
            return replace(node, time=change(node.time))
        case Join():
            return replace(node, conditions=tuple(map(change, node.conditions)))
        case OuterJoin() | SemiJoin():
            keys = tuple((change(left), change(right)) for left, right in node.keys)
            return replace(node, keys=keys, residual=None if node.residual is None else change(node.residual))
        case Aggregate():
            calls = tuple(_changed_call(call, change) for call in node.aggregates)
            return replace(node, keys=_changed_items(node.keys, change), aggregates=calls)
        case Over():
            return _changed_over(node, change)
        case Explode():
            return replace(node, generator=change(node.generator))
        case Restrict():
            return replace(node, keys=tuple(map(change, node.keys)))
        case _:
            assert_never(node)


def _changed_items(items: tuple[tuple[str, Expr], ...], change: Change) -> tuple[tuple[str, Expr], ...]:
    return tuple((name, change(expr)) for name, expr in items)


def _changed_call(call: AggregateCall, change: Change) -> AggregateCall:
    where = None if call.where is None else change(call.where)
    return replace(call, arguments=tuple(map(change, call.arguments)), where=where)


def _changed_over(node: Over, change: Change) -> Over:
    return replace(
        node,
        partition=tuple(map(change, node.partition)),
        order=tuple(replace(item, expr=change(item.expr)) for item in node.order),
        calls=tuple(replace(over, call=_changed_call(over.call, change)) for over in node.calls),
    )
