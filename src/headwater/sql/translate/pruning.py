"""Read only what is needed: every Scan lists the columns that something above it uses, and no others.

A change that touches none of them then cancels out at the Scan: its old and new rows are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import assert_never

from headwater.algebra.expressions import Column, Expr, columns_of
from headwater.algebra.nodes import (
    Aggregate,
    AggregateCall,
    Filter,
    Join,
    Negate,
    OuterJoin,
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
    return frozenset(name for one in exprs if one is not None for name in columns_of(one))


def prune(plan: Plan, needed: Set[str]) -> Plan:
    """The plan with at least the columns `needed`, and none that nobody reads."""
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
        case Join(inputs, conditions):
            wanted = needed | _used(conditions)
            return replace(plan, inputs=tuple(prune(one, wanted & set(one.columns)) for one in inputs))
        case OuterJoin() | SemiJoin():
            return _two_sides(plan, needed)
        case Union(inputs):
            return Union(tuple(prune(one, needed) for one in inputs))
        case Aggregate():
            return _aggregate(plan, needed)
        case Negate() | Restrict():
            raise AssertionError("only delta plans hold these")
        case _:
            assert_never(plan)


def _project(child: Plan, items: tuple[tuple[str, Expr], ...]) -> Plan:
    """No projection that changes nothing."""
    if items == tuple((name, Column(name)) for name in child.columns):
        return child
    return Project(child, items)


def _two_sides(plan: OuterJoin | SemiJoin, needed: Set[str]) -> Plan:
    wanted = needed | _used([one for pair in plan.keys for one in pair]) | _used([plan.residual])
    left, right = set(plan.left.columns), set(plan.right.columns)
    return replace(plan, left=prune(plan.left, wanted & left), right=prune(plan.right, wanted & right))


def _aggregate(plan: Aggregate, needed: Set[str]) -> Plan:
    """Keys make the groups and stay; an aggregate that nobody reads goes, unless nothing else is left."""
    kept: tuple[AggregateCall, ...] = tuple(one for one in plan.aggregates if one.name in needed)
    if not plan.keys and not kept:
        kept = plan.aggregates[:1]
    used = _used(expr for _, expr in plan.keys)
    used |= _used(expr for one in kept for expr in (*one.arguments, one.where))
    return replace(plan, child=prune(plan.child, used), aggregates=kept)
