"""Where a condition belongs: as far down the plan as its columns allow.

    WHERE over a Join       into the one input that has all its columns, else a condition of the join
    WHERE over LEFT JOIN    into the left side, if it has all its columns (RIGHT: the right side)
    WHERE over a semi-join  below it
    HAVING on group keys    below the aggregate, as Spark does: `GROUP BY v HAVING v <> 0` computes no
                            aggregate of the group v = 0, which might fail

Conditions on one relation then filter its changes before any join sees them, and conditions of a WHERE that
compare two relations connect them like an ON.  Joins of joins become one Join of many inputs.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, columns_of, rename
from headwater.algebra.plans.nodes import Aggregate, Filter, Join, JoinKind, OuterJoin, Over, Plan, SemiJoin

__all__ = ["combine", "push_filter", "push_semi_join"]


def combine(left: Plan, right: Plan) -> Plan:
    """The inner join of two plans with no condition yet; nested joins are flattened."""
    parts = [
        (plan.inputs, plan.conditions) if isinstance(plan, Join) else ((plan,), ()) for plan in (left, right)
    ]
    return Join(parts[0][0] + parts[1][0], parts[0][1] + parts[1][1])


def push_filter(plan: Plan, condition: Expr) -> Plan:
    """The plan with a condition, applied as far down as possible."""
    if _always(condition):
        return plan
    used = columns_of(condition)
    match plan:
        case Join(inputs, conditions) if used:
            for index, child in enumerate(inputs):
                if used <= set(child.columns):
                    pushed = push_filter(child, condition)
                    return replace(plan, inputs=(*inputs[:index], pushed, *inputs[index + 1 :]))
            return replace(plan, conditions=(*conditions, condition))
        case OuterJoin(left, _, JoinKind.LEFT) if used and used <= set(left.columns):
            return replace(plan, left=push_filter(left, condition))
        case OuterJoin(_, right, JoinKind.RIGHT) if used and used <= set(right.columns):
            return replace(plan, right=push_filter(right, condition))
        case SemiJoin():
            return replace(plan, left=push_filter(plan.left, condition))
        case Aggregate(child, keys) if used and used <= dict(keys).keys():
            return replace(plan, child=push_filter(child, rename(condition, dict(keys))))
        case Over(child, partition) if used and used <= _columns(partition):
            return replace(plan, child=push_filter(child, condition))
        case Filter(Join() | OuterJoin() | SemiJoin(), first) if used:
            return Filter(push_filter(plan.child, condition), first)
        case Filter(Aggregate(_, keys), first) if used and used <= dict(keys).keys():
            return Filter(push_filter(plan.child, condition), first)
        case Filter(child, first):
            return Filter(child, call("and", first, condition))
        case _:
            return Filter(plan, condition)


def _columns(partition: tuple[Expr, ...]) -> set[str]:
    """Columns with one value in a partition: a condition on them keeps it as a whole, or not at all."""
    return {expr.name for expr in partition if isinstance(expr, Column)}


def _always(condition: Expr) -> bool:
    """TRUE, and the 1 = 1 that programs like to write."""
    match condition:
        case Literal(value, _):
            return value is True
        case Call("eq", (Literal(left, _), Literal(right, _)), _):
            return left is not None and type(left) is type(right) and left == right
        case _:
            return False


def push_semi_join(plan: Plan, right: Plan, node: SemiJoin) -> Plan:
    """`node` (whose left is not looked at) over the input of a join that has all the columns it needs."""
    used = {name for key, _ in node.keys for name in columns_of(key)}
    if node.residual is not None:
        used |= columns_of(node.residual) - set(right.columns)
    if isinstance(plan, Join):
        for index, child in enumerate(plan.inputs):
            if used <= set(child.columns):
                pushed = push_semi_join(child, right, node)
                return replace(plan, inputs=(*plan.inputs[:index], pushed, *plan.inputs[index + 1 :]))
    return replace(node, left=plan)
