"""Questions about an expression that are asked again and again, each answered once for each expression.

They are asked of parameterised queries, where a column belongs to the occurrence of a table (its alias), and
where a term that needs parameters only is a value before anything is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Column,
    Expr,
    Opaque,
    Parameter,
    Subquery,
    transform,
    walk,
)

__all__ = [
    "aliases_of",
    "columns_in",
    "has_aggregate",
    "has_subquery",
    "in_order",
    "is_of_one_row",
    "is_storable",
    "is_value",
    "is_volatile",
    "parameters_of",
    "substitute",
]

_REMEMBERED = 1 << 16


@lru_cache(maxsize=_REMEMBERED)
def columns_in(expr: Expr) -> frozenset[Column]:
    """The columns that it reads, with their aliases; of a subquery those of the enclosing query."""
    return frozenset(part for part in walk(expr) if isinstance(part, Column))


def in_order(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Columns by alias, then by name: where any order will do that is the same in every run."""
    return tuple(sorted(columns, key=lambda column: (column.alias, column.name)))


@lru_cache(maxsize=_REMEMBERED)
def aliases_of(expr: Expr) -> frozenset[str]:
    return frozenset(column.alias for column in columns_in(expr))


@lru_cache(maxsize=_REMEMBERED)
def parameters_of(expr: Expr) -> frozenset[str]:
    """The names of the parameters in it, those of its subqueries too."""
    names = {part.name for part in walk(expr) if isinstance(part, Parameter)}
    for part in walk(expr):
        if isinstance(part, Subquery):
            names |= part.query.params
    return frozenset(names)


@lru_cache(maxsize=_REMEMBERED)
def has_aggregate(expr: Expr) -> bool:
    return any(isinstance(part, AggregateCall) for part in walk(expr))


@lru_cache(maxsize=_REMEMBERED)
def has_subquery(expr: Expr) -> bool:
    return any(isinstance(part, Subquery) for part in walk(expr))


@lru_cache(maxsize=_REMEMBERED)
def is_volatile(expr: Expr) -> bool:
    return any(isinstance(part, Opaque) and part.volatile for part in walk(expr))


def is_value(expr: Expr, given: frozenset[str] = frozenset()) -> bool:
    """Can it be computed before the relation at hand is read, from parameters and the aliases `given`?"""
    fixed = not (has_subquery(expr) or has_aggregate(expr) or is_volatile(expr))
    return fixed and aliases_of(expr) <= given


@lru_cache(maxsize=_REMEMBERED)
def is_storable(expr: Expr) -> bool:
    """Is it a function of rows alone, the same for every call: what a view may hold?"""
    return not (parameters_of(expr) or is_volatile(expr) or has_subquery(expr))


def is_of_one_row(expr: Expr) -> bool:
    """Is it a function of one row alone: what an index may hold?"""
    return is_storable(expr) and not has_aggregate(expr)


def substitute(expr: Expr, names: Mapping[Expr, Expr]) -> Expr:
    """Replace columns and parameters, in subqueries too."""

    def step(part: Expr) -> Expr:
        if isinstance(part, Subquery) and _reads(part, names):
            return replace(part, query=part.query.substitute(names), outer=_outer(part, names))
        return names.get(part, part)

    return transform(expr, step)


def _reads(subquery: Subquery, names: Mapping[Expr, Expr]) -> bool:
    return any(key in names for key in (*subquery.outer, *map(Parameter, subquery.query.params)))


def _outer(subquery: Subquery, names: Mapping[Expr, Expr]) -> tuple[Column, ...]:
    """The outer columns after the substitution, in the order of those they replace."""
    return tuple(column for old in subquery.outer for column in in_order(columns_in(names.get(old, old))))
