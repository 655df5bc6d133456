"""OFFSET reads what it skips: advice to continue after the last row of the page before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.algebra.expressions.facts import has_aggregate
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Column, Expr, Parameter, call
from headwater.bounds.answers.analyse import Subject, level_of
from headwater.bounds.answers.answer import Advice, Answer
from headwater.bounds.query.block import Base, Order, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.settings import Settings, count_bound

__all__ = ["page_by_key"]


def page_by_key(subject: Subject, answer: Answer) -> Iterator[Advice]:
    """A keyset condition in place of an OFFSET, if the query has an order all in one direction."""
    query = subject.query
    if not isinstance(query, Select) or query.offset is None or query.limit is None or not query.order:
        return
    skipped = count_bound(query.offset, Settings(subject.catalog, subject.maxima, subject.default_limit))
    order = _told_apart(query, subject.catalog)
    items = [item.expr for item in order]
    one_way = len({item.descending for item in query.order}) == 1
    if not skipped or not one_way or any(map(has_aggregate, items)):
        return
    last = [
        Parameter(f"last_{item.name if isinstance(item, Column) else number}")
        for number, item in enumerate(items)
    ]
    operator = "lt" if query.order[0].descending else "gt"
    changed = replace(query, offset=None, order=order, where=(*query.where, _beyond(operator, items, last)))
    level = level_of(replace(subject, query=changed))
    if level.bounded:
        left, right = ", ".join(map(sql_of, items)), ", ".join(map(sql_of, last))
        sign = "<" if operator == "lt" else ">"
        text = (
            f"OFFSET reads up to {skipped} rows to skip them: "
            f"continue after the last row instead, WHERE ({left}) {sign} ({right})"
        )
        if order != query.order:
            text += f" ORDER BY {', '.join(item.sql for item in order)}"
        yield Advice(text, level)


def _told_apart(query: Select, catalog: Catalog) -> tuple[Order, ...]:
    """The order with the keys of its sources after it: a page must not end between rows that are equal."""
    order = list(query.order)
    for source in query.sources:
        if not isinstance(source, Base):
            continue
        held = [item.expr for item in order]
        names = [expr.name for expr in held if isinstance(expr, Column) and expr.alias == source.alias]
        if not names or catalog.identifies(source.table, names):
            continue
        key = (Column(name, source.alias) for name in catalog[source.table].key)
        down = order[-1].descending
        order += [Order(column, down, not down) for column in key if column not in held]
    return tuple(order)


def _beyond(operator: str, items: list[Expr], last: list[Parameter]) -> Expr:
    """(a, b) < (:x, :y) as a < :x OR (a = :x AND b < :y)."""
    whole: Expr = call(operator, items[-1], last[-1])
    for item, value in zip(reversed(items[:-1]), reversed(last[:-1]), strict=True):
        whole = call("or", call(operator, item, value), call("and", call("eq", item, value), whole))
    return whole
