"""Carry a Restrict down to the scans, so that rows nobody asked for are never read into a join.

    Restrict(Filter(x))             ->  Filter(Restrict(x))              Project, Windows, Negate alike
    Restrict(Union(x, y))           ->  Union(Restrict(x), Restrict(y))
    Restrict(Join(x, y), x.k)       ->  Join(Restrict(x, x.k), y)        and y too, by a condition x.k = y.k
    Restrict(Left(x, y), x.k)       ->  Left(Restrict(x, x.k), y)        Semi alike; y too, by its join key
    Restrict(Aggregate(x), group)   ->  Aggregate(Restrict(x, group))
    Restrict(Over(x), partition)    ->  Over(Restrict(x, partition))

Keys that do not all reach one input are pushed as far as each goes, as a coarser Restrict by fewer columns,
and the exact one stays above.  A restricted input comes first in its join: it is the small one.

A Restrict without keys asks only whether there is a change, and stays where it is.  Pushing the same
Restrict twice to one place leaves one, which makes the pass idempotent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of, rename
from headwater.algebra.plans.join_order import ordered
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
    SemiJoin,
    Union,
    Windows,
)
from headwater.algebra.plans.walks import pick, rewrite_up

__all__ = ["push_restrict"]

Keys = tuple[Expr | None, ...]  # the keys in an input's own terms; None where it has none


def push_restrict(plan: Plan) -> Plan:
    return rewrite_up(plan, lambda node: _push(node) if isinstance(node, Restrict) and node.keys else node)


def _push(node: Restrict) -> Plan:
    child = node.child
    match child:
        case Filter() | Negate():
            return replace(child, child=_push(replace(node, child=child.child)))
        case Project():
            names = dict(child.items)
            keys = tuple(rename(key, names) for key in node.keys)
            return replace(child, child=_push(Restrict(child.child, keys, node.by)))
        case Windows() | Explode():
            keys_below = _over(node.keys, child.child.columns)
            return _wrap(node, replace(child, child=_coarser(node, child.child, keys_below)), [keys_below])
        case Union():
            return Union(tuple(_push(replace(node, child=branch)) for branch in child.inputs))
        case Join():
            return _into_join(node, child)
        case OuterJoin() | SemiJoin():
            return _into_sided(node, child)
        case Aggregate():
            return _into_aggregate(node, child)
        case Over():
            return _into_over(node, child)
        case Restrict():
            return _past_restrict(node, child)
        case _:
            return node


def _coarser(node: Restrict, child: Plan, keys: Keys) -> Plan:
    """Restrict the child by those keys that it has; all of them, some, or none."""
    reached = [(key, column) for key, column in zip(keys, node.by.columns, strict=True) if key is not None]
    if not reached:
        return child
    by = pick(node.by, [column for _, column in reached])
    return _push(Restrict(child, tuple(key for key, _ in reached), by))


def _wrap(node: Restrict, child: Plan, reached: Iterable[Keys]) -> Plan:
    """The exact Restrict stays above unless some input has all its keys."""
    return child if any(None not in keys for keys in reached) else replace(node, child=child)


def _over(keys: Sequence[Expr], columns: Sequence[str]) -> Keys:
    available = frozenset(columns)
    return tuple(key if columns_of(key) <= available else None for key in keys)


def _into_join(node: Restrict, join: Join) -> Plan:
    reached = [_through(node.keys, child, _equalities(join.conditions)) for child in join.inputs]
    if all(key is None for keys in reached for key in keys):
        return node
    inputs = tuple(_coarser(node, child, keys) for child, keys in zip(join.inputs, reached, strict=True))
    best = max(range(len(inputs)), key=lambda index: (_known(reached[index]), -index))
    restricted = ordered(replace(join, inputs=inputs), [best])
    return pick(_wrap(node, restricted, reached), join.columns)


def _known(keys: Keys) -> int:
    return sum(key is not None for key in keys)


def _equalities(conditions: Iterable[Expr]) -> list[tuple[Expr, Expr]]:
    """Both readings of every condition a = b."""
    pairs = [c.arguments for c in conditions if isinstance(c, Call) and c.function == "eq"]
    return [(left, right) for pair in pairs for left, right in (pair, pair[::-1])]


def _through(keys: Sequence[Expr], child: Plan, equal: Iterable[tuple[Expr, Expr]]) -> Keys:
    """The keys over the child's columns: as they are, or by something they are equal to."""
    available = frozenset(child.columns)
    same: dict[Expr, Expr] = {}
    for left, right in equal:
        if columns_of(right) and columns_of(right) <= available:
            same.setdefault(left, right)
    own = _over(keys, child.columns)
    return tuple(
        same.get(key) if own_key is None else own_key for key, own_key in zip(keys, own, strict=True)
    )


def _into_sided(node: Restrict, join: OuterJoin | SemiJoin) -> Plan:
    """Into the preserved side, and by the join keys into the other, whose rows only partner those."""
    kind = join.kind if isinstance(join, OuterJoin) else JoinKind.LEFT
    if kind is JoinKind.FULL:
        return node
    swapped = kind is JoinKind.RIGHT
    kept, other = (join.right, join.left) if swapped else (join.left, join.right)
    keys = _over(node.keys, kept.columns)
    if all(key is None for key in keys):
        return node
    partner = {(right if swapped else left): (left if swapped else right) for left, right in join.keys}
    mapped = tuple(None if key is None else partner.get(key) for key in keys)
    new_kept, new_other = _coarser(node, kept, keys), _coarser(node, other, mapped)
    left, right = (new_other, new_kept) if swapped else (new_kept, new_other)
    return _wrap(node, replace(join, left=left, right=right), [keys])


def _into_aggregate(node: Restrict, aggregate: Aggregate) -> Plan:
    groups: Mapping[str, Expr] = dict(aggregate.keys)
    keys = tuple(
        rename(key, groups) if columns_of(key) and columns_of(key) <= groups.keys() else None
        for key in node.keys
    )
    return _wrap(node, replace(aggregate, child=_coarser(node, aggregate.child, keys)), [keys])


def _into_over(node: Restrict, over: Over) -> Plan:
    """By columns that partition: a partition is then there as a whole or not at all."""
    columns = {expr.name for expr in over.partition if isinstance(expr, Column)}
    keys = tuple(
        key if key in over.partition or (columns_of(key) and columns_of(key) <= columns) else None
        for key in node.keys
    )
    return _wrap(node, replace(over, child=_coarser(node, over.child, keys)), [keys])


def _past_restrict(node: Restrict, inner: Restrict) -> Plan:
    """Drop what is already there; else go below the inner one if that gets all the way into its child."""
    below: Plan = inner
    while isinstance(below, Restrict):
        if (below.keys, below.by) == (node.keys, node.by):
            return inner
        below = below.child
    pushed = _push(replace(node, child=inner.child))
    stayed = isinstance(pushed, Restrict) and (pushed.keys, pushed.by) == (node.keys, node.by)
    return node if stayed else replace(inner, child=pushed)
