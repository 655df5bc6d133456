"""The newest rows of each group, the groups in the order of their newest: first the groups, then their rows.

    SELECT * FROM (
      SELECT DISTINCT ON (room) room, body, at FROM messages WHERE member = :m ORDER BY room, at DESC
    ) n ORDER BY n.at DESC LIMIT 20

reads the first 20 of the groups `room, MAX(at) ... ORDER BY MAX(at) DESC LIMIT 20`, which can be a view, and
of each its newest row.  A row that is among the first 20 is in one of the first 20 groups: each of these has
a row that is before all rows of any other group.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.facts import columns_in
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.bounds.query.block import RANK, Base, Derived, Order, Output, Select, Top
from headwater.bounds.query.catalog import Catalog

__all__ = ["newest_groups"]


def newest_groups(block: Select, catalog: Catalog) -> Select | None:
    """The block as a join of the first groups with the first rows of each; None if it is not of that form."""
    source = block.sources[0] if len(block.sources) == 1 else None
    inner = source.query if isinstance(source, Derived) and not source.outer else None
    if not isinstance(source, Derived) or not isinstance(inner, Select) or inner.top is None:
        return None
    if not _is_plain(block, source, inner.top.count) or not _is_plain_top(inner, catalog):
        return None
    order = _order_of_groups(block, source, inner)
    return None if order is None else _in_two_steps(block, source, inner, order)


def _is_plain(block: Select, source: Derived, count: int) -> bool:
    """Only an order and a cut; a condition on the rank must be that of the cut itself."""
    if block.limit is None or block.group is not None or block.distinct or block.windowed or block.top:
        return False
    ranks = [
        Column(output.name, source.alias)
        for output in getattr(source.query, "outputs", ())
        if output.expr == RANK
    ]
    return not block.left_joins and all(_is_the_cut(condition, ranks, count) for condition in block.where)


def _is_the_cut(condition: Expr, ranks: list[Column], count: int) -> bool:
    match condition:
        case Call("lte", (term, Literal(int() as most))):
            return term in ranks and most == count
        case Call("lt", (term, Literal(int() as most))):
            return term in ranks and most == count + 1
        case Call("eq", (term, Literal(1))):
            return term in ranks and count == 1
        case _:
            return False


def _is_plain_top(inner: Select, catalog: Catalog) -> bool:
    """Rows of one table, whose groups and order are columns that are never NULL."""
    top, source = inner.top, inner.sources[0] if len(inner.sources) == 1 else None
    if top is None or not isinstance(source, Base) or inner.left_joins or inner.subqueries or not top.order:
        return False
    if inner.limit is not None or inner.offset is not None or inner.group is not None or inner.distinct:
        return False
    columns = (*top.partition, top.order[0].expr)
    return bool(top.partition) and all(_is_certain(column, source, inner, catalog) for column in columns)


def _is_certain(column: Expr, source: Base, inner: Select, catalog: Catalog) -> bool:
    """A column that is never NULL: a group of NULL would be looked for by an equality, and not be there."""
    if not isinstance(column, Column):
        return False
    compared = any(
        isinstance(part, Call) and part.function == "eq" and column in part.arguments for part in inner.where
    )
    return compared or not catalog.nullable(source.table, column.name)


def _order_of_groups(block: Select, source: Derived, inner: Select) -> tuple[Order, ...] | None:
    """The block's order over the groups: the value that ranks rows, then columns of the partition."""
    exprs: dict[Expr, Expr] = {Column(output.name, source.alias): output.expr for output in inner.outputs}
    order = tuple(replace(item, expr=exprs.get(item.expr, item.expr)) for item in block.order)
    top = inner.top
    assert isinstance(top, Top)
    if not order or (order[0].expr, order[0].descending) != (top.order[0].expr, top.order[0].descending):
        return None
    return order if all(item.expr in top.partition for item in order[1:]) else None


def _in_two_steps(block: Select, source: Derived, inner: Select, order: tuple[Order, ...]) -> Select:
    top = inner.top
    assert isinstance(top, Top)
    name = f"{source.alias}_groups"
    value = aggregate_of("max" if order[0].descending else "min", order[0].expr)
    outputs = (*(Output(_name(part), part) for part in top.partition), Output("newest", value))
    limit = (
        block.limit if block.offset is None or block.limit is None else call("add", block.limit, block.offset)
    )
    groups = replace(
        inner, outputs=outputs, top=None, ranking=None, windowed=False, group=top.partition, limit=limit,
        order=(replace(order[0], expr=value), *order[1:]),
    )  # fmt: skip
    ties = tuple(call("eq", part, Column(_name(part), name)) for part in top.partition)
    outer = tuple(Column(_name(part), name) for part in top.partition)
    rows = replace(source, query=replace(inner, where=(*inner.where, *ties)), outer=outer)
    return replace(block, sources=(Derived(name, _renamed(groups)), rows))


def _name(part: Expr) -> str:
    assert isinstance(part, Column)
    return part.name


def _renamed(block: Select) -> Select:
    """The same block under other aliases: those of one query are all different."""
    sources = tuple(replace(source, alias=f"{source.alias}_of_groups") for source in block.sources)
    names: dict[Expr, Expr] = {
        column: Column(column.name, f"{column.alias}_of_groups")
        for expr in block.expressions()
        for column in columns_in(expr)
    }
    return replace(block.substitute(names), sources=sources)
