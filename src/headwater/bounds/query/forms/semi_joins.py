"""Rows that have a partner, as groups of the pairs with one: a form that can be a view.

    SELECT p.id FROM posts p
    WHERE p.room = :r AND EXISTS (SELECT 1 FROM labels l WHERE l.post = p.id AND l.kind = :k)
    ORDER BY p.at LIMIT 9

    SELECT p.id FROM posts p JOIN labels l ON l.post = p.id WHERE p.room = :r AND l.kind = :k
    GROUP BY p.id, p.at ORDER BY p.at LIMIT 9

The groups hold a key of every source outside the subquery, so each is one row of these, however many partners
it has.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.facts import columns_in, has_subquery, in_order
from headwater.algebra.expressions.tree import Column, Expr, Subquery, call
from headwater.bounds.query.block import Base, Select, Source
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.forms.prepare import correlation

__all__ = ["with_grouped_partners"]


def with_grouped_partners(block: Select, catalog: Catalog) -> Select | None:
    """The block with its IN and EXISTS as joins under groups; None if it has none, or other subqueries."""
    asked = [condition for condition in block.where if isinstance(condition, Subquery)]
    others = [condition for condition in block.where if condition not in asked]
    shown = (*(output.expr for output in block.outputs), *(item.expr for item in block.order))
    if not asked or not _is_plain(block) or any(map(has_subquery, (*others, *shown))):
        return None
    sources: list[Source] = list(block.sources)
    for condition in asked:
        separated = correlation(condition)
        if separated is None or {source.alias for source in sources} & set(separated[0].aliases):
            return None
        inner, ties = separated
        sources += inner.sources
        others += [*inner.where, *(call("eq", left, right) for left, right in ties)]
    if not all(isinstance(source, Base) for source in sources):
        return None
    keys = _keys(block, catalog)
    if keys is None:
        return None
    ordered = [item.expr for item in block.order if not isinstance(item.expr, Column)]
    columns = [column for expr in shown for column in in_order(columns_in(expr))]
    group: tuple[Expr, ...] = tuple(dict.fromkeys((*columns, *ordered, *keys)))
    return replace(block, sources=tuple(sources), where=tuple(dict.fromkeys(others)), group=group)


def _is_plain(block: Select) -> bool:
    grouped = block.group is not None or block.distinct or block.top is not None
    return not (grouped or block.windowed or block.left_joins)


def _keys(block: Select, catalog: Catalog) -> tuple[Column, ...] | None:
    """What tells the rows of the block's own sources apart."""
    keys: list[Column] = []
    for source in block.sources:
        key = catalog[source.table].key if isinstance(source, Base) else ()
        if not key:
            return None
        keys += [Column(name, source.alias) for name in key]
    return tuple(keys)
