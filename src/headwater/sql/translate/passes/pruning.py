"""Read only what is needed: every Scan lists the columns that something above it uses, and no others.

A change that touches none of them then cancels out at the Scan: its old and new rows are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import assert_never

from headwater.algebra.expressions.tree import Column, Expr, columns_of
from headwater.algebra.plans.nodes import (
    Aggregate,
    AggregateCall,
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

__all__ = ["prune"]


def _used(exprs: Iterable[Expr | None]) -> frozenset[str]:
    return frozenset(name for expr in exprs if expr is not None for name in columns_of(expr))


def prune(plan: Plan, needed: Set[str]) -> Plan:
    """The plan with the columns `needed`, and no others that nothing reads."""
    match plan:
        case Scan(_, alias, names):
            return replace(plan, names=tuple(name for name in names if f"{alias}.{name}" in needed))
        case Filter(child, condition):
            return Filter(prune(child, needed | columns_of(condition)), condition)
        case Project(child, items):
            kept = tuple((name, expr) for name, expr in items if name in needed)
            return _project(prune(child, _used(expr for _, expr in kept)), kept)
        case Windows():
            return replace(plan, child=prune(plan.child, (needed - {plan.name}) | columns_of(plan.time)))
        case Over():
            return _over(plan, needed)
        case Explode():
            wanted = (needed - set(plan.names)) | columns_of(plan.generator)
            return replace(plan, child=prune(plan.child, wanted))
        case Join(inputs, conditions):
            wanted = needed | _used(conditions)
            return replace(plan, inputs=tuple(prune(child, wanted & set(child.columns)) for child in inputs))
        case OuterJoin() | SemiJoin():
            return _two_sides(plan, needed)
        case Union(inputs):
            return Union(tuple(prune(child, needed) for child in inputs))
        case Aggregate():
            return _aggregate(plan, needed)
        case Negate() | Restrict():
            raise AssertionError("only delta plans hold these")
        case _:
            assert_never(plan)


def _project(child: Plan, items: tuple[tuple[str, Expr], ...]) -> Plan:
    """A projection, unless it would change nothing."""
    if items == tuple((name, Column(name)) for name in child.columns):
        return child
    return Project(child, items)


def _two_sides(plan: OuterJoin | SemiJoin, needed: Set[str]) -> Plan:
    wanted = needed | _used([key for pair in plan.keys for key in pair]) | _used([plan.residual])
    left, right = set(plan.left.columns), set(plan.right.columns)
    return replace(plan, left=prune(plan.left, wanted & left), right=prune(plan.right, wanted & right))


def _over(plan: Over, needed: Set[str]) -> Plan:
    """Without the functions that nothing reads; without any, the rows as they are."""
    limited = plan.most[0] if plan.most is not None else ""
    calls = tuple(over for over in plan.calls if over.name in needed or over.name == limited)
    below = needed & set(plan.child.columns)
    if not calls:
        return prune(plan.child, below)
    below |= _used(plan.partition) | _used(item.expr for item in plan.order)
    below |= _used(expr for over in calls for expr in (*over.call.arguments, over.call.where))
    return replace(plan, child=prune(plan.child, below), calls=calls)


def _aggregate(plan: Aggregate, needed: Set[str]) -> Plan:
    """Keep the keys, which make the groups, and the aggregates that are read; at least one column stays."""
    kept: tuple[AggregateCall, ...] = tuple(
        aggregate for aggregate in plan.aggregates if aggregate.name in needed
    )
    if not plan.keys and not kept:
        kept = plan.aggregates[:1]
    used = _used(expr for _, expr in plan.keys)
    used |= _used(expr for aggregate in kept for expr in (*aggregate.arguments, aggregate.where))
    return replace(plan, child=prune(plan.child, used), aggregates=kept)
