"""Derived sources (subqueries in FROM): conditions move into them, outputs that nobody reads go."""

from __future__ import annotations

from dataclasses import replace

from headwater.scale.block import Derived, Select, Source
from headwater.scale.classes import Classes
from headwater.scale.expr import (
    Col,
    Expr,
    aliases_of,
    call,
    cols_of,
    has_aggregate,
    substitute,
)

__all__ = ["prune", "push_down"]


def prune(block: Select) -> Select:
    """Outputs of a derived source that nobody reads go: what is not read need not be stored or fetched."""
    used = {col for one in block.expressions() for col in cols_of(one)}

    def pruned(source: Source) -> Source:
        if not isinstance(source, Derived) or not isinstance(source.query, Select) or source.query.distinct:
            return source
        kept = tuple(one for one in source.query.outputs if Col(source.alias, one.name) in used)
        return replace(source, query=replace(source.query, outputs=kept or source.query.outputs[:1]))

    return replace(block, sources=tuple(map(pruned, block.sources)))


def push_down(block: Select) -> Select:
    """Conditions on a derived source's plain columns move into it: into its WHERE, below grouping by them."""
    sources = list(block.sources)
    where = list(block.where)
    for number, source in enumerate(sources):
        if (
            not isinstance(source, Derived)
            or not isinstance(source.query, Select)
            or block.left_join(source.alias)
        ):
            continue
        inner = source.query
        movable: dict[Expr, Expr] = {
            Col(source.alias, one.name): one.expr for one in inner.outputs if _may_move(inner, one.expr)
        }
        moved = []
        classes = Classes.of(where)
        for condition in list(where):
            if aliases_of(condition) == {source.alias} and all(col in movable for col in cols_of(condition)):
                moved.append(substitute(condition, movable))
                where.remove(condition)
        for col, expr in movable.items():
            value = classes.value_of(col, frozenset())
            if value is not None and call("eq", expr, value) not in moved:
                moved.append(call("eq", expr, value))
        if moved:
            sources[number] = replace(source, query=replace(inner, where=(*inner.where, *moved)))
    return replace(block, sources=tuple(sources), where=tuple(where))


def _may_move(inner: Select, expr: Expr) -> bool:
    if inner.limit is not None or inner.offset is not None or inner.windowed or has_aggregate(expr):
        return False
    return inner.group is None or expr in inner.group
