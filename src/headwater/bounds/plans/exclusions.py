"""Bounded exclusion: conditions under a LIMIT that can drop only so many rows of what is read.

    WHERE post = :p AND reader <> :me LIMIT 10        with UNIQUE (post, reader): at most one row is :me's
    WHERE ... AND id NOT IN (:seen)                   at most as many rows as the list may hold
    WHERE NOT EXISTS (SELECT ... WHERE f.me = :me AND f.other = u.id)     at most as many as there are such f

Then so many rows more are read, and the LIMIT is filled all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.algebra.expressions.facts import is_value
from headwater.algebra.expressions.tree import Call, Column, Expr, Parameter, Subquery
from headwater.bounds.plans.access.path import Access
from headwater.bounds.plans.block_search import BlockSearch, State
from headwater.bounds.plans.plan import Each
from headwater.bounds.query.block import Base, Output
from headwater.bounds.query.forms.prepare import correlation
from headwater.bounds.query.settings import Settings

__all__ = ["most_excluded"]


def most_excluded(
    search: BlockSearch, state: State, source: Base, access: Access, conditions: Iterable[Expr]
) -> int | None:
    """The most rows under one combination of bound values that the conditions drop; None without a bound."""
    parts = access.index.parts[: len(access.bindings)]
    bound = [part.expr.name for part in parts if isinstance(part.expr, Column)]
    total = 0
    for condition in conditions:
        excluded = _excluded(search, search.given(state), source, bound, condition)
        if excluded is None or any(isinstance(binding, Each) for binding in access.bindings):
            return None
        total += excluded
    return total


def _excluded(
    search: BlockSearch, given: frozenset[str], source: Base, bound: list[str], condition: Expr
) -> int | None:
    match condition:
        case Call("neq", (term, value)) if is_value(value, given):
            return _rows_with(search.settings, source, bound, [term])
        case Call("not", (Call("in", (term, Parameter(name))),)):
            times = search.settings.maxima.get(name)
            rows = _rows_with(search.settings, source, bound, [term])
            return None if times is None or rows is None else times * rows
        case Call("not", (Subquery() as subquery,)):
            return _excluded_by(search, source, bound, subquery)
        case _:
            return None


def _excluded_by(search: BlockSearch, source: Base, bound: list[str], subquery: Subquery) -> int | None:
    """NOT EXISTS and NOT IN over a subquery of so many rows that do not depend on the row at hand."""
    separated = correlation(subquery)
    if separated is None:
        return None
    inner, ties = separated
    outputs = tuple(Output(f"value_{number}", tie) for number, (tie, _) in enumerate(ties))
    planned = search.plan_query(replace(inner, outputs=outputs, order=()), search.settings)
    rows = _rows_with(search.settings, source, bound, [outer for _, outer in ties])
    return None if planned is None or rows is None else planned.bound.rows * rows


def _rows_with(settings: Settings, source: Base, bound: list[str], terms: list[Expr]) -> int | None:
    """Rows that have one value of the terms beside the bound columns; a NULL would be dropped beyond them."""
    names = []
    for term in terms:
        if not isinstance(term, Column) or term.alias != source.alias:
            return None
        if settings.catalog.nullable(source.table, term.name):
            return None
        names.append(term.name)
    return settings.catalog.row_bound(source.table, [*bound, *names])
