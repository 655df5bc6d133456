"""Derived sources (subqueries in FROM): conditions move into them, outputs that nobody reads go."""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.facts import aliases_of, columns_in, has_aggregate, substitute
from headwater.algebra.expressions.tree import Column, Expr, call
from headwater.bounds.query.block import Derived, Select, Source
from headwater.bounds.query.classes import Classes

__all__ = ["flattened", "prune", "push_down"]


def flattened(block: Select) -> Select:
    """A block that only selects from one grouped subquery, as that grouping: its conditions are HAVING."""
    if len(block.sources) != 1 or block.left_joins or block.group is not None or block.distinct:
        return block
    source = block.sources[0]
    inner = source.query if isinstance(source, Derived) else None
    if not isinstance(inner, Select) or not inner.group or inner.limit is not None or inner.windowed:
        return block
    if isinstance(source, Derived) and source.whole:
        return block
    if inner.offset is not None or inner.distinct or block.windowed or block.top or block.subqueries:
        return block
    block = push_down(block)
    (source,) = block.sources
    assert isinstance(source, Derived)
    assert isinstance(source.query, Select)
    names: dict[Expr, Expr] = {
        Column(output.name, source.alias): output.expr for output in source.query.outputs
    }
    outer = block.substitute(names)
    having = (*source.query.having, *outer.where)
    return replace(outer, sources=source.query.sources, where=source.query.where, having=having,
                   left_joins=source.query.left_joins, group=source.query.group)  # fmt: skip


def prune(block: Select) -> Select:
    """Drop outputs of derived sources that nothing reads, so they need not be stored or fetched."""
    used = {col for expr in block.expressions() for col in columns_in(expr)}

    def pruned(source: Source) -> Source:
        if not isinstance(source, Derived) or not isinstance(source.query, Select) or source.query.distinct:
            return source
        kept = tuple(output for output in source.query.outputs if Column(output.name, source.alias) in used)
        return replace(source, query=replace(source.query, outputs=kept or source.query.outputs[:1]))

    return replace(block, sources=tuple(map(pruned, block.sources)))


def push_down(block: Select) -> Select:
    """Move conditions on plain columns of a derived source into its WHERE, below its grouping."""
    sources = list(block.sources)
    where = list(block.where)
    for number, source in enumerate(sources):
        if (
            not isinstance(source, Derived)
            or not isinstance(source.query, Select)
            or source.whole
            or block.left_join(source.alias)
        ):
            continue
        inner = source.query
        movable: dict[Expr, Expr] = {
            Column(output.name, source.alias): output.expr
            for output in inner.outputs
            if _may_move(inner, output.expr)
        }
        moved = []
        classes = Classes.of(where)
        for condition in list(where):
            if aliases_of(condition) == {source.alias} and all(
                col in movable for col in columns_in(condition)
            ):
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
    if inner.top is not None:
        return expr in inner.top.partition
    return inner.group is None or expr in inner.group
