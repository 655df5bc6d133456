"""Simpler blocks of the same meaning: which subqueries merge, and which left joins are inner joins."""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Subquery, walk
from headwater.bounds.query.block import Output, Query, Select, Union

__all__ = ["inner_where_possible", "is_one_row", "mergeable", "renamed"]


def mergeable(query: Query) -> bool:
    return (
        isinstance(query, Select)
        and bool(query.sources)
        and query.group is None
        and not (query.distinct or query.having or query.windowed or query.top)
        and query.limit is None
        and query.offset is None
        and not any(
            isinstance(part, Subquery | AggregateCall)
            for output in query.outputs
            for part in walk(output.expr)
        )
    )


def is_one_row(query: Select) -> bool:
    """Aggregates of no group: one row, whatever there is."""
    cuts = query.limit is not None or query.offset is not None
    return query.group == () and not (query.having or query.windowed or cuts)


def renamed(query: Query, names: tuple[str, ...]) -> Query:
    if names == query.columns:
        return query
    if isinstance(query, Union):
        first = renamed(query.branches[0], names)
        old = dict(zip(query.columns, names, strict=True))
        order = tuple(
            replace(item, expr=Column(old[item.expr.name]))
            for item in query.order
            if isinstance(item.expr, Column)
        )
        return replace(query, branches=(first, *query.branches[1:]), order=order)
    return replace(query, outputs=tuple(Output(n, o.expr) for n, o in zip(names, query.outputs, strict=True)))


_NULL_REJECTING = {"eq", "neq", "lt", "lte", "gt", "gte", "like", "in", "not_null"}


def inner_where_possible(block: Select) -> Select:
    """Turn a left join into an inner join if WHERE compares its optional source, and so drops its NULLs."""
    for join in block.left_joins:
        for condition in block.where:
            if _rejects_null(condition, join.alias):
                rest = tuple(other for other in block.left_joins if other != join)
                where = (*block.where, *(condition for condition in join.on if condition not in block.where))
                return inner_where_possible(replace(block, left_joins=rest, where=where))
    return block


def _rejects_null(condition: Expr, alias: str) -> bool:
    """Is the condition never true for a row of NULLs in place of `alias`?"""
    if not isinstance(condition, Call) or condition.function not in _NULL_REJECTING:
        return False
    sides = condition.arguments
    if condition.function == "in":  # 1 IN (a.x, b.y) may be true by b.y alone
        sides = sides[:1]
    return any(isinstance(side, Column) and side.alias == alias for side in sides)
