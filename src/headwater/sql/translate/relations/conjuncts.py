"""Conditions taken apart, so that each finds its place in the plan.

    a AND (b AND c)               [a, b, c]
    (a AND b) OR (a AND c)        [a, b OR c]: what all the alternatives ask for, then what is left of them

The second is how TPC-H and TPC-DS write joins: `(p_partkey = l_partkey AND ...) OR (p_partkey = l_partkey AND
...)` connects the two relations by a key only once the equality stands by itself.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["split_and"]


def split_and(node: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that must all hold."""
    match node:
        case None:
            return []
        case exp.Paren() if isinstance(node.unnest(), exp.And | exp.Or):
            return split_and(node.unnest())
        case exp.And():
            return split_and(node.this) + split_and(node.expression)
        case exp.Or():
            return _factored(node)
        case _:
            return [node]


def _factored(node: exp.Or) -> list[exp.Expr]:
    alternatives = [split_and(alternative) for alternative in _split_or(node)]
    first, *others = alternatives
    common = [part for part in first if all(part in other for other in others)]
    if not common:
        return [node]
    rests = [[part for part in parts if part not in common] for parts in alternatives]
    if not all(rests):  # one alternative asks for nothing else
        return common
    return [*common, exp.or_(*(exp.and_(*rest) for rest in rests))]


def _split_or(node: exp.Expr) -> list[exp.Expr]:
    bare = node.unnest() if isinstance(node, exp.Paren) else node
    return _split_or(bare.this) + _split_or(bare.expression) if isinstance(bare, exp.Or) else [node]
