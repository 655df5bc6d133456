"""Does an order of index parts give the order that is wanted, forwards or backwards?"""

from __future__ import annotations

from headwater.algebra.expressions.tree import Call, Column, Expr
from headwater.bounds.plans.access.path import Lead, Wanted, local
from headwater.bounds.plans.plan import IndexPart
from headwater.bounds.query.block import Order
from headwater.bounds.query.catalog import Catalog

__all__ = ["direction_over", "is_token", "open_items", "part_for"]


def direction_over(
    catalog: Catalog, wanted: Wanted, leads: list[Lead], rest: list[Expr], parts: tuple[IndexPart, ...]
) -> bool | None:
    """Read forwards (False), backwards (True), or not in the wanted order at all (None).

    `rest` are the terms of the parts that follow the leads.
    """
    items = open_items(wanted, leads)
    if items is None:
        return None
    fixed = {term for term, _, _ in leads}
    reverse: bool | None = None
    for position, item in enumerate(items):
        if catalog.identifies(wanted.table, [term.name for term in fixed if isinstance(term, Column)]):
            break
        if position >= len(rest) or rest[position] != item.expr:
            return None
        turned = _turned(catalog, wanted.table, item, parts[position])
        if turned is None or (reverse is not None and turned != reverse):
            return None
        reverse = turned
        fixed.add(item.expr)
    return bool(reverse)


def _turned(catalog: Catalog, table: str, item: Order, part: IndexPart) -> bool | None:
    """Is the item the part's direction (False), its opposite (True) or neither?"""
    nullable = not isinstance(item.expr, Column) or catalog.nullable(table, item.expr.name)
    turned = item.descending != part.descending
    agrees = (item.nulls_first != part.nulls_first) == turned
    return turned if agrees or not nullable else None


def open_items(wanted: Wanted, leads: list[Lead]) -> list[Order] | None:
    """The order items that are not fixed by an equality; None if no order is wanted."""
    if wanted.order is None:
        return None
    fixed = {term for term, _, _ in leads}  # a list's values are read one by one: fixed in each read
    fixed |= {term for term, _ in wanted.conditions.equal if not is_token(term)}
    items = []
    for item in wanted.order:
        if item.expr not in fixed:
            fixed.add(item.expr)
            items.append(item)
    return items


def is_token(term: Expr) -> bool:
    return isinstance(term, Call) and term.function == "token"


def part_for(catalog: Catalog, table: str, item: Order, turned: bool) -> IndexPart:
    """The index part that gives an order item, or its opposite if the index is read backwards."""
    descending = item.descending != turned
    nulls_first = item.nulls_first != turned
    if isinstance(item.expr, Column) and not catalog.nullable(table, item.expr.name):
        nulls_first = not descending
    return IndexPart(local(item.expr), descending, nulls_first)
