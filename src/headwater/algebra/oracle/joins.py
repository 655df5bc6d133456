"""Joins of Z-sets by hashing, as the evaluator runs them.

NULL never equals NULL here: a row with a NULL among its keys finds no partner.  In an inner join weights
multiply, which is what makes it bilinear; a semi-join asks only whether a partner exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from headwater.algebra.expressions.compile import compile_row, holds
from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.expressions.tree import Expr, columns_of, conjunction
from headwater.algebra.expressions.values import Row
from headwater.algebra.oracle.zsets import ZSet, consolidate
from headwater.algebra.plans.nodes import Join, JoinKind, OuterJoin, SemiJoin

__all__ = ["inner_join", "outer_join", "semi_join"]

KeyFunction = Callable[[Row], Row]
Index = dict[Row, list[tuple[Row, int]]]


def _index(rows: ZSet, key: KeyFunction) -> Index:
    index: Index = {}
    for row, weight in rows.items():
        value = key(row)
        if None not in value:
            index.setdefault(value, []).append((row, weight))
    return index


def _matches(index: Index, key: KeyFunction, row: Row) -> list[tuple[Row, int]]:
    return index.get(key(row), [])  # a key with a NULL is never in the index


def inner_join(node: Join, inputs: list[ZSet]) -> ZSet:
    """Join from left to right; each condition is asked as soon as its columns are there."""
    columns, rows = node.inputs[0].columns, inputs[0]
    waiting = list(node.conditions)
    rows = _keep_true(rows, columns, _ready(waiting, columns))
    for child, more in zip(node.inputs[1:], inputs[1:], strict=True):
        both = columns + child.columns
        ready = _ready(waiting, both)
        rows = _join_two(rows, columns, more, child.columns, ready)
        columns = both
    return rows


def _ready(waiting: list[Expr], columns: tuple[str, ...]) -> list[Expr]:
    """Take the conditions that these columns can answer out of those still waiting."""
    available = frozenset(columns)
    ready = [condition for condition in waiting if columns_of(condition) <= available]
    for condition in ready:
        waiting.remove(condition)
    return ready


def _keep_true(rows: ZSet, columns: tuple[str, ...], conditions: list[Expr]) -> ZSet:
    if not conditions:
        return rows
    passes = holds(conjunction(tuple(conditions)), columns)
    return {row: weight for row, weight in rows.items() if passes(row)}


def _join_two(
    left: ZSet, left_columns: tuple[str, ...], right: ZSet, right_columns: tuple[str, ...], on: list[Expr]
) -> ZSet:
    pairs = [sides_of(condition, frozenset(left_columns), frozenset(right_columns)) for condition in on]
    keys = [pair for pair in pairs if pair is not None]
    rest = [condition for condition, pair in zip(on, pairs, strict=True) if pair is None]
    left_key = compile_row(tuple(expr for expr, _ in keys), left_columns)
    index = _index(right, compile_row(tuple(expr for _, expr in keys), right_columns))
    joined = (
        (row + partner, weight * other)
        for row, weight in left.items()
        for partner, other in _matches(index, left_key, row)
    )
    return _keep_true(consolidate(joined), left_columns + right_columns, rest)


def outer_join(node: OuterJoin, left: ZSet, right: ZSet) -> ZSet:
    return consolidate(_outer_rows(node, left, right))


def _outer_rows(node: OuterJoin, left: ZSet, right: ZSet) -> Iterator[tuple[Row, int]]:
    left_key = compile_row(tuple(expr for expr, _ in node.keys), node.left.columns)
    index = _index(right, compile_row(tuple(expr for _, expr in node.keys), node.right.columns))
    passes = holds(node.residual, node.columns)
    no_left, no_right = (None,) * len(node.left.columns), (None,) * len(node.right.columns)
    matched: set[Row] = set()
    for row, weight in left.items():
        partners = [pair for pair in _matches(index, left_key, row) if passes(row + pair[0])]
        matched.update(partner for partner, _ in partners)
        for partner, other in partners:
            yield row + partner, weight * other
        if not partners and node.kind is not JoinKind.RIGHT:
            yield row + no_right, weight
    if node.kind is not JoinKind.LEFT:
        yield from ((no_left + row, weight) for row, weight in right.items() if row not in matched)


def semi_join(node: SemiJoin, left: ZSet, right: ZSet) -> ZSet:
    left_key = compile_row(tuple(expr for expr, _ in node.keys), node.left.columns)
    index = _index(right, compile_row(tuple(expr for _, expr in node.keys), node.right.columns))
    passes = holds(node.residual, node.left.columns + node.right.columns)

    def has_partner(row: Row) -> bool:
        return any(passes(row + partner) for partner, _ in _matches(index, left_key, row))

    return {row: weight for row, weight in left.items() if has_partner(row) is not node.anti}
