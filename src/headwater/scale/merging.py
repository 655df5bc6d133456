"""Simpler blocks of the same meaning: which subqueries merge, and which left joins are inner joins."""

from __future__ import annotations

from dataclasses import replace

from headwater.scale.block import Output, Query, Select, Union
from headwater.scale.expr import (
    Aggregate,
    Col,
    SubQuery,
    walk,
)

__all__ = ["inner_where_possible", "mergeable", "renamed"]


def mergeable(query: Query) -> bool:
    return (
        isinstance(query, Select)
        and bool(query.sources)
        and query.group is None
        and not (query.distinct or query.having or query.windowed)
        and query.limit is None
        and query.offset is None
        and not any(
            isinstance(part, SubQuery | Aggregate) for one in query.outputs for part in walk(one.expr)
        )
    )


def renamed(query: Query, names: tuple[str, ...]) -> Query:
    if names == query.columns:
        return query
    if isinstance(query, Union):
        first = renamed(query.branches[0], names)
        old = dict(zip(query.columns, names, strict=True))
        order = tuple(
            replace(one, expr=Col("", old[one.expr.name])) for one in query.order if isinstance(one.expr, Col)
        )
        return replace(query, branches=(first, *query.branches[1:]), order=order)
    return replace(query, outputs=tuple(Output(n, o.expr) for n, o in zip(names, query.outputs, strict=True)))


_NULL_REJECTING = {"eq", "neq", "lt", "lte", "gt", "gte", "like", "in", "not_null"}


def inner_where_possible(block: Select) -> Select:
    """A left join whose optional source is compared in WHERE drops its NULL rows: it is an inner join."""
    for join in block.left_joins:
        for condition in block.where:
            rejecting = getattr(condition, "name", "") in _NULL_REJECTING
            direct = any(
                isinstance(one, Col) and one.alias == join.alias
                for one in getattr(condition, "arguments", ())
            )
            if rejecting and direct:
                rest = tuple(one for one in block.left_joins if one != join)
                where = (*block.where, *(one for one in join.on if one not in block.where))
                return inner_where_possible(replace(block, left_joins=rest, where=where))
    return block
