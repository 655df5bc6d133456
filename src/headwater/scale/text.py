"""Blocks as SQL text, for view definitions, delta queries and rewritten queries."""

from __future__ import annotations

from headwater.scale.block import Base, Order, Query, Select, Source, Union
from headwater.scale.expr import Col, Expr, sql_of

__all__ = ["select_sql"]


def _order(item: Order) -> str:
    text = sql_of(item.expr) + (" DESC" if item.descending else "")
    if item.nulls_first == item.descending:
        text += " NULLS FIRST" if item.nulls_first else " NULLS LAST"
    return text


def _source(source: Source) -> str:
    if isinstance(source, Base):
        return source.table if source.alias == source.table else f"{source.table} {source.alias}"
    return f"({select_sql(source.query)}) {source.alias}"


def _output(name: str, expr: Expr) -> str:
    if isinstance(expr, Col) and expr.name == name:
        return sql_of(expr)
    return f"{sql_of(expr)} AS {name}"


def _union(query: Union) -> str:
    word = {"all": " UNION ALL ", "distinct": " UNION "}.get(query.kind, f" {query.kind.upper()} ")
    text = word.join(select_sql(one) for one in query.branches)
    if query.order:
        text += " ORDER BY " + ", ".join(_order(one) for one in query.order)
    if query.limit is not None:
        text += f" LIMIT {sql_of(query.limit)}"
    return text


def select_sql(query: Query) -> str:
    """One line of SQL; single-source blocks without aliases where they add nothing."""
    if not isinstance(query, Select):
        return _union(query)
    optional = {join.alias for join in query.left_joins}
    text = "SELECT " + ("DISTINCT " if query.distinct else "")
    text += ", ".join(_output(one.name, one.expr) for one in query.outputs)
    if query.sources:
        text += " FROM " + ", ".join(_source(one) for one in query.sources if one.alias not in optional)
    for join in query.left_joins:
        on = " AND ".join(sql_of(one, 2) for one in join.on) or "TRUE"
        text += f" LEFT JOIN {_source(query.source(join.alias))} ON {on}"
    if query.where:
        text += " WHERE " + " AND ".join(sql_of(one, 2) for one in query.where)
    if query.group:
        text += " GROUP BY " + ", ".join(sql_of(one) for one in query.group)
    if query.having:
        text += " HAVING " + " AND ".join(sql_of(one, 2) for one in query.having)
    if query.order:
        text += " ORDER BY " + ", ".join(_order(one) for one in query.order)
    if query.limit is not None:
        text += f" LIMIT {sql_of(query.limit)}"
    if query.offset is not None:
        text += f" OFFSET {sql_of(query.offset)}"
    return text
