"""The value of an expression in a bounded plan: the algebra's evaluator over rows by alias.

A row is made of named parts, one for each source that was read; parameters and the answers of subqueries are
given beside it.  Division by zero is NULL: a plan may evaluate a condition on rows that another one excludes.

A function that the evaluator does not know raises NotExecutable, because a wrong answer is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlglot import exp

from headwater.algebra.expressions.compile import Leaf, NotEvaluable, RowFunction, compile_with
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Opaque,
    Parameter,
    Subquery,
    transform,
    walk,
)
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree
from headwater.sql.translate.scalars.literals import interval

__all__ = ["GROUP", "Ask", "Given", "NotExecutable", "Row", "compiled", "evaluate", "is_true"]

GROUP = "$group"  # the part of a row that holds the values of aggregates

Row = Mapping[str, Mapping[Any, Any]]  # alias -> column -> value
Ask = Callable[[Subquery, Row], Any]


class NotExecutable(Exception):
    """The plan is bounded, but this executor cannot compute an expression in it."""


class Given(NamedTuple):
    """What an expression is computed from."""

    row: Row
    params: Mapping[str, Any]
    ask: Ask | None = None  # answers the subqueries


def evaluate(expr: Expr, row: Row, params: Mapping[str, Any], ask: Ask | None = None) -> Any:
    """The expression's value; `ask` answers the subqueries in it."""
    return compiled(expr)(Given(row, params, ask))


def is_true(value: Any) -> bool:
    return value is not None and bool(value)


@lru_cache(maxsize=1 << 14)
def compiled(expr: Expr) -> RowFunction:
    """The expression as a function; NotExecutable if the evaluator does not know one of its parts."""
    try:
        return compile_with(_with_lengths(expr), _leaf, ansi=False)
    except NotEvaluable as error:
        raise NotExecutable(error.message) from error


def _with_lengths(expr: Expr) -> Expr:
    """The expression with the lengths of its intervals; epochs take numbers alone."""
    epochs = (part for part in walk(expr) if isinstance(part, Call) and part.function == "epoch")
    if any(isinstance(size, Opaque) for epoch in epochs for size in epoch.arguments[1:]):
        return expr
    return transform(expr, _with_length)


def _with_length(part: Expr) -> Expr:
    """INTERVAL '1' DAY as the value it is; one that cannot be told stays as it is."""
    match part:
        case Opaque("interval", (), template):
            node = normalised_tree(SqlText(f"SELECT {template}")).find(exp.Interval)
            return part if node is None else interval(node).expr
        case _:
            return part


def _leaf(leaf: Leaf) -> RowFunction:
    match leaf:
        case Column(name, alias):
            return lambda given: given.row[alias][name]
        case Parameter(name):
            return lambda given: _parameter(name, given)
        case AggregateCall():
            return lambda given: given.row[GROUP][leaf]
        case Subquery():
            return lambda given: _answer(leaf, given)


def _parameter(name: str, given: Given) -> Any:
    if name not in given.params:
        raise NotExecutable(f"the parameter :{name} has no value")
    return given.params[name]


def _answer(subquery: Subquery, given: Given) -> Any:
    if given.ask is None:
        raise NotExecutable("a subquery stands where none can be run")
    return given.ask(subquery, given.row)
