"""Confine a costly input of a join to the keys that the small inputs before it can match.

    Join [dx, op(y, z)] on x.k = y.k  ->  Join [dx, Restrict(op(y, z), y.k by keys of dx)]

A scan is left alone: the engine probes it with the broadcast change.  But an outer join, a semi-join or an
aggregate would first be computed in full, only to be probed.  push_restrict then carries the Restrict down.
Only equalities with the first input count, since that is the input whose rows are at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater.algebra.expressions.build import non_null
from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    JoinKind,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)
from headwater.algebra.plans.walks import children, rewrite_up

__all__ = ["restrict_partners"]


def restrict_partners(plan: Plan) -> Plan:
    small, costly = _remembering(_is_small), _remembering(_is_costly)

    def step(node: Plan) -> Plan:
        if not isinstance(node, Join) or not small(node.inputs[0]):
            return node
        first, *rest = node.inputs
        confined = (
            _confined(node, first, child) if costly(child) and not small(child) else child for child in rest
        )
        inputs = (first, *confined)
        return node if inputs == node.inputs else replace(node, inputs=inputs)

    return rewrite_up(plan, step)


Test = Callable[[Plan], bool]


def _remembering(rule: Callable[[Plan, Test], bool]) -> Test:
    answers: dict[Plan, bool] = {}

    def ask(node: Plan) -> bool:
        if node not in answers:
            answers[node] = rule(node, ask)
        return answers[node]

    return ask


def _is_small(node: Plan, small: Test) -> bool:
    """Does the size of this plan follow that of the change?"""
    match node:
        case Scan():
            return node.version is Version.DELTA
        case Restrict():
            return True
        case Join():
            return any(map(small, node.inputs))
        case Union():
            return all(map(small, node.inputs))
        case OuterJoin(left, right, kind):
            return (kind is JoinKind.RIGHT or small(left)) and (kind is JoinKind.LEFT or small(right))
        case SemiJoin(left):
            return small(left)
        case Filter() | Project() | Windows() | Aggregate() | Over() | Explode() | Negate():
            return small(node.child)


def _is_costly(node: Plan, costly: Test) -> bool:
    if isinstance(node, OuterJoin | SemiJoin | Aggregate | Over | Join):
        return True
    return any(map(costly, children(node)))


def _confined(join: Join, first: Plan, child: Plan) -> Plan:
    near_columns, far_columns = frozenset(first.columns), frozenset(child.columns)
    sides = [sides_of(condition, near_columns, far_columns) for condition in join.conditions]
    pairs = [pair for pair in sides if pair is not None]
    if not pairs:
        return child
    near = tuple(expr for expr, _ in pairs)
    rows = Filter(first, condition) if (condition := non_null(near)) else first
    keys = tuple((f"key{index}", expr) for index, expr in enumerate(near))
    return Restrict(child, tuple(far for _, far in pairs), Aggregate(rows, keys, ()))
