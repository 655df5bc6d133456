"""Plans that depend on the time they are as of (crossing.py): asking, binding, taking apart.

Only a Filter and a Project have a delta rule for time that passes.  `isolated` gives any other node inputs in
which what depends on time is a column, or a condition by itself:

    Join [a.k = b.k, b.ts > now()]                Filter [b.ts > now()] of Join [a.k = b.k]
    Aggregate [] [sum(x) FILTER (ts > now())]     Aggregate [] [sum(x) FILTER (_moment0)]
                                                    of Project [..., _moment0 = ts > now()]

Cost: a Project is computed for all its rows at every push, to see which of them differ.  So a condition that
can be a Filter is worth more than a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    call,
    columns_of,
    conjunction,
    conjuncts,
    replace_largest,
    walk,
)
from headwater.algebra.expressions.tree import children as parts_of
from headwater.algebra.moments.crossing import before, bound, is_moving, moments_move
from headwater.algebra.plans.expressions import computed, with_expressions
from headwater.algebra.plans.nodes import Explode, Filter, Join, OuterJoin, Plan, Project, SemiJoin
from headwater.algebra.plans.walks import children, nodes, pick, rewrite_up, with_children

__all__ = ["TIME", "as_before", "bind", "conditions_apart", "isolated", "moves", "node_moves", "time_moves"]

TIME = "now()"  # stands among the relations that changed when the time of a plan did


@lru_cache(maxsize=5_000)
def node_moves(node: Plan) -> bool:
    """Whether an expression of the node itself depends on the time."""
    return any(map(is_moving, computed(node)))


@lru_cache(maxsize=2_000)
def moves(plan: Plan) -> bool:
    """Whether what a plan computes depends on the time that it is as of."""
    return any(map(node_moves, nodes(plan)))


def time_moves(plan: Plan, after: int, until: int) -> bool:
    """Whether the plan may give other rows at another time, from the same relations."""
    return moves(plan) and any(
        moments_move(expr, after, until) for node in nodes(plan) for expr in computed(node)
    )


def bind(plan: Plan, after: int, until: int) -> Plan:
    """The plan as it runs in a push from one time to another."""
    if not moves(plan):
        return plan
    return rewrite_up(plan, lambda node: _rewritten(node, lambda expr: bound(expr, after, until)))


def as_before(node: Plan) -> Plan:
    """A node with the time of the last push."""
    return _rewritten(node, before)


def _rewritten(node: Plan, change: Callable[[Expr], Expr]) -> Plan:
    return with_expressions(node, change) if node_moves(node) else node


def conditions_apart(node: Filter) -> Plan:
    """A Filter for each condition that depends on the time, above one for all others."""
    parts = [single for part in conjuncts(node.condition) for single in _bounds(part)]
    still = conjunction(tuple(part for part in parts if not is_moving(part)))
    plan = node.child if still is None else Filter(node.child, still)
    for part in parts:
        plan = Filter(plan, part) if is_moving(part) else plan
    return plan


def _bounds(part: Expr) -> tuple[Expr, ...]:
    """x BETWEEN a AND b as two conditions, if it depends on the time."""
    match part:
        case Call("between", (value, low, high)) if is_moving(part):
            return call("gte", value, low), call("lte", value, high)
        case _:
            return (part,)


def isolated(node: Plan) -> Plan:
    """The same relation, with what depends on time in a Filter or a Project only."""
    match node:
        case _ if not node_moves(node):
            return node
        case Filter() | Project():
            return node
        case Join():
            still = tuple(part for part in node.conditions if not is_moving(part))
            moving = conjunction(tuple(part for part in node.conditions if is_moving(part)))
            assert moving is not None
            return Filter(replace(node, conditions=still), moving)
        case OuterJoin() | SemiJoin():
            return _joined_apart(node)
        case _:
            return _with_columns(node)


def _joined_apart(node: OuterJoin | SemiJoin) -> Plan:
    """Conditions on the right rows of a semi-join filter these; of others the time becomes a column."""
    if isinstance(node, SemiJoin) and node.residual is not None:
        parts = conjuncts(node.residual)
        own = [part for part in parts if is_moving(part) and columns_of(part) <= set(node.right.columns)]
        if own:
            rest = conjunction(tuple(part for part in parts if part not in own))
            right = Filter(node.right, conjunction(tuple(own)) or own[0])
            return isolated(replace(node, right=right, residual=rest))
    names = _names([part for expr in computed(node) for part in walk(expr) if _is_leaf(part)])
    return _over_left(node, names)


def _is_leaf(part: Expr) -> bool:
    return isinstance(part, Call) and not part.arguments and is_moving(part)


def _over_left(node: OuterJoin | SemiJoin, names: dict[Expr, Expr]) -> Plan:
    """The moments themselves as columns of both sides: either may have them in its keys."""
    right_names: dict[Expr, Expr] = {
        part: Column(f"{column.name}_right") for part, column in names.items() if isinstance(column, Column)
    }
    keys = tuple(
        (replace_largest(left, names), replace_largest(right, right_names)) for left, right in node.keys
    )
    residual = None if node.residual is None else replace_largest(node.residual, names)
    left, right = _with_more(node.left, names), node.right
    if any(is_moving(key) for _, key in node.keys):
        right = _with_more(node.right, right_names)
    apart = replace(node, left=left, right=right, keys=keys, residual=residual)
    return pick(apart, node.columns)


def _with_columns(node: Plan) -> Plan:
    """Every expression that depends on time as a column of the input; of a generator its arguments."""
    (child,) = children(node)
    parts = parts_of(node.generator) if isinstance(node, Explode) else computed(node)
    names = _names([expr for expr in parts if is_moving(expr)])
    apart = with_expressions(node, lambda expr: replace_largest(expr, names))
    return pick(with_children(apart, [_with_more(child, names)]), node.columns)


def _names(exprs: list[Expr]) -> dict[Expr, Expr]:
    return {expr: Column(f"_moment{number}") for number, expr in enumerate(dict.fromkeys(exprs))}


def _with_more(child: Plan, names: dict[Expr, Expr]) -> Plan:
    items: list[tuple[str, Expr]] = [(name, Column(name)) for name in child.columns]
    items += [(column.name, expr) for expr, column in names.items() if isinstance(column, Column)]
    return Project(child, tuple(items))
