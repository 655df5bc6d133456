"""Columns of joined relations: which are equal, and by which of its names a plan has one.

A column is called `input.column`.  Where a relation makes columns equal (relations.py) any of them stands for
the others, so a stored relation keeps one of each class, and who wants another takes that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.algebra.expressions import Column, Expr, columns_of, rename
from headwater.algebra.nodes import Plan
from headwater.sharing.relations import Relation

__all__ = [
    "column_in",
    "columns_in",
    "found_in",
    "input_of",
    "name_in",
    "of_class",
    "plain_columns",
    "represented",
    "with_available",
]


def input_of(column: str) -> str:
    return column.rsplit(".", 1)[0]


def columns_in(exprs: Iterable[Expr]) -> frozenset[str]:
    return frozenset(name for one in exprs for name in columns_of(one))


def equal_to(column: str, relation: Relation) -> tuple[str, ...]:
    """The columns that a relation makes equal to one, itself first."""
    group = next((one for one in relation.equal if column in one), ())
    return (column, *(one for one in group if one != column))


def found_in(column: str, relation: Relation, available: Mapping[str, str]) -> str | None:
    return next((one for one in equal_to(column, relation) if one in available), None)


def name_in(column: str, relation: Relation, plan: Plan) -> str:
    return next(one for one in equal_to(column, relation) if one in plan.columns)


def column_in(column: str, relation: Relation, plan: Plan) -> Expr:
    return Column(name_in(column, relation, plan))


def represented(column: str, relation: Relation, plan: Plan) -> str:
    """The first of the equal columns that a plan has: each class is stored once."""
    return min(one for one in equal_to(column, relation) if one in plan.columns)


def of_class(group: tuple[str, ...], relation: Relation, plan: Plan) -> list[str]:
    """The columns of a class that an element has; of those that are equal in it already, one."""
    mine = {frozenset(equal_to(one, relation)): one for one in group if input_of(one) in relation.names}
    return [name_in(one, relation, plan) for one in mine.values()]


def with_available(expr: Expr, relation: Relation, columns: set[str]) -> Expr:
    names = {one: next(c for c in equal_to(one, relation) if c in columns) for one in columns_of(expr)}
    return rename(expr, {old: Column(new) for old, new in names.items()})


def plain_columns(columns: list[str]) -> dict[str, str]:
    """Names that any Delta reader takes: the column's own, with its input where two would be alike."""
    short = [one.rsplit(".", 1)[1] for one in columns]
    return {
        one: name if short.count(name) == 1 else f"{input_of(one).replace('#', '_')}__{name}"
        for one, name in zip(columns, short, strict=True)
    }
