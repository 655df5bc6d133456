"""Which columns tell the rows of a plan apart.

    Scan of a table with a key       its columns under their names here
    Aggregate                        its groups
    Join                             a key of each input together; of an input that is joined by a key of its
                                     own, none is needed
    Left join by a key of the right  the left side's

A key may hold NULLs, which count as equal.  None is known of a Union or of a relation without a declared key.
Used to say whether an order is total; nothing that is stored depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
)

__all__ = ["Declared", "Key", "keys_of"]

Key = frozenset[str]
Declared = Callable[[str], Iterable[Sequence[str]]]
_MANY = 16


def keys_of(plan: Plan, declared: Declared) -> frozenset[Key]:
    """Keys of a plan; `declared` gives those of a relation."""
    match plan:
        case Scan(relation, alias, names):
            keys = (frozenset(key) for key in declared(relation))
            return frozenset(
                frozenset(f"{alias}.{name}" for name in key) for key in keys if key <= set(names)
            )
        case Filter(child) | Over(child) | Restrict(child):
            return keys_of(child, declared)
        case Project(child, items):
            shown = {expr.name: name for name, expr in reversed(items) if isinstance(expr, Column)}
            below = keys_of(child, declared)
            return frozenset(
                frozenset(shown[column] for column in key) for key in below if key <= shown.keys()
            )
        case Aggregate(_, keys):
            return frozenset([frozenset(name for name, _ in keys)])
        case SemiJoin(left):
            return keys_of(left, declared)
        case Join(inputs, conditions):
            return _joined([(child, keys_of(child, declared)) for child in inputs], conditions)
        case OuterJoin(left, right, JoinKind.LEFT, pairs):
            columns = {own.name for _, own in pairs if isinstance(own, Column)}
            of_right = keys_of(right, declared)
            if any(key <= columns for key in of_right):
                return keys_of(left, declared)
            return _products([keys_of(left, declared), of_right])
        case _:
            return frozenset()


def _joined(inputs: list[tuple[Plan, frozenset[Key]]], conditions: tuple[Expr, ...]) -> frozenset[Key]:
    """An input is needless in the key if the others determine one of its keys."""
    needed = list(inputs)
    for child, keys in inputs:
        others = {column for other, _ in needed if other is not child for column in other.columns}
        determined = _determined(child, others, conditions)
        if len(needed) > 1 and any(key <= determined for key in keys):
            needed = [pair for pair in needed if pair[0] is not child]
    return _products([keys for _, keys in needed])


def _determined(child: Plan, others: set[str], conditions: tuple[Expr, ...]) -> set[str]:
    pairs = (sides_of(condition, others, set(child.columns)) for condition in conditions)
    return {pair[1].name for pair in pairs if pair is not None and isinstance(pair[1], Column)}


def _products(parts: list[frozenset[Key]]) -> frozenset[Key]:
    chosen = list(product(*parts))[:_MANY]
    return frozenset(frozenset().union(*keys) for keys in chosen)
