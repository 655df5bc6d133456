"""Columns of joined relations: which are equal, and by which of its names a plan has one.

A column is called `input.column`.  Where a relation makes columns equal (relations.py) any of them stands for
the others, so a stored relation keeps one of each class, and who wants another takes that one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headwater.algebra.expressions.tree import Column, Expr, columns_of, rename
from headwater.algebra.plans.nodes import Plan
from headwater.planning.relations.relations import Relation, column_of, input_of

__all__ = [
    "class_members",
    "columns_in",
    "equal_column",
    "plain_names",
    "representative",
    "with_available",
]


def columns_in(exprs: Iterable[Expr]) -> frozenset[str]:
    return frozenset(name for expr in exprs for name in columns_of(expr))


def _equal_to(column: str, relation: Relation) -> tuple[str, ...]:
    """The columns that a relation makes equal to one, itself first."""
    group = next((group for group in relation.equal if column in group), ())
    return (column, *(other for other in group if other != column))


def equal_column(column: str, relation: Relation, available: Collection[str]) -> str | None:
    """The first available column that equals one, itself if it can be; None if there is none."""
    return next((name for name in _equal_to(column, relation) if name in available), None)


def representative(column: str, relation: Relation, plan: Plan) -> str:
    """The first in order of the equal columns that a plan has: each class is stored once."""
    return min(name for name in _equal_to(column, relation) if name in plan.columns)


def class_members(group: tuple[str, ...], relation: Relation, plan: Plan) -> list[str]:
    """The columns of a class that a joined relation has; of those that are equal in it already, one."""
    names = relation.names
    own = {frozenset(_equal_to(column, relation)): column for column in group if input_of(column) in names}
    return [_required(column, relation, plan.columns) for column in own.values()]


def with_available(expr: Expr, relation: Relation, available: Collection[str]) -> Expr:
    """The expression over columns that are available, each equal to the one it names."""
    names = {column: Column(_required(column, relation, available)) for column in columns_of(expr)}
    return rename(expr, names)


def _required(column: str, relation: Relation, available: Collection[str]) -> str:
    name = equal_column(column, relation, available)
    assert name is not None, f"{column} of {relation.text}"
    return name


def plain_names(columns: list[str]) -> dict[str, str]:
    """Names that any Delta reader takes: the column's own, with its input where two would be alike."""
    short = [column_of(column) for column in columns]
    return {
        column: name if short.count(name) == 1 else f"{input_of(column).replace('#', '_')}__{name}"
        for column, name in zip(columns, short, strict=True)
    }
