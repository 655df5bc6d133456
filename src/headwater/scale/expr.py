"""Scalar expressions of a parameterised query, as frozen trees.

Unlike `algebra`'s, they know parameters, the alias a column belongs to, aggregates inside a SELECT list and
subqueries, because a bound depends on all four.  A function keeps a `template`, so that any SQL function can
stand in a query; only `evaluate` must know what it does.

Invariant: two expressions that are equal as values mean the same, so they can be keys of equality classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.scale.block import Query

__all__ = [
    "Aggregate",
    "Col",
    "Expr",
    "Fn",
    "Lit",
    "Param",
    "SubQuery",
    "aliases_of",
    "call",
    "cols_of",
    "conjuncts",
    "has_aggregate",
    "has_subquery",
    "is_value",
    "params_of",
    "sql_of",
    "substitute",
    "transform",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Col:
    """A column of the occurrence `alias`; an empty alias means the row at hand (in an index)."""

    alias: str
    name: str


@dataclass(frozen=True, slots=True)
class Lit:
    value: object
    sql: str


@dataclass(frozen=True, slots=True)
class Param:
    """`:name`. A name that starts with `$` is a value computed before the plan starts."""

    name: str


@dataclass(frozen=True, slots=True)
class Fn:
    """`name` applied to `arguments`; `template` has {0}, {1}, ... and {{ }} for braces."""

    name: str
    arguments: tuple[Expr, ...]
    template: str
    volatile: bool = False  # its value may differ between rows or calls: rand(), uuid()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of a SELECT list or HAVING: count, sum, avg, variance, stddev, min, max or any other."""

    function: str
    arguments: tuple[Expr, ...]
    template: str
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A subquery in an expression. `kind` is exists, in (with `operand`) or scalar."""

    kind: str
    query: Query
    operand: Expr | None
    outer: tuple[Col, ...]  # columns of the enclosing query that it reads


Expr = Col | Lit | Param | Fn | Aggregate | SubQuery

_INFIX = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "and": "AND", "or": "OR",
          "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "like": "LIKE",
          "concat": "||"}  # fmt: skip
_FIXED = {"is_null": "{0} IS NULL", "not_null": "{0} IS NOT NULL", "not": "NOT ({0})", "neg": "-{0}"}


def call(name: str, *arguments: Expr) -> Fn:
    """One of the common operators, or a function written NAME(a, b)."""
    if name in _INFIX:
        return Fn(name, arguments, f"{{0}} {_INFIX[name]} {{1}}")
    if name in _FIXED:
        return Fn(name, arguments, _FIXED[name])
    slots = ", ".join(f"{{{index}}}" for index in range(len(arguments)))
    if name == "in":
        return Fn(name, arguments, "{0} IN (" + slots[5:] + ")")
    return Fn(name, arguments, f"{name.upper()}({slots})")


def _children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Fn(_, arguments) | Aggregate(_, arguments):
            return arguments
        case SubQuery(_, _, operand, outer):
            return (*outer, operand) if operand is not None else outer
        case _:
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and its parts; of a subquery only its operand and the outer columns it reads."""
    yield expr
    for child in _children(expr):
        yield from walk(child)


@lru_cache(maxsize=1 << 16)
def cols_of(expr: Expr) -> frozenset[Col]:
    return frozenset(part for part in walk(expr) if isinstance(part, Col))


@lru_cache(maxsize=1 << 16)
def aliases_of(expr: Expr) -> frozenset[str]:
    return frozenset(col.alias for col in cols_of(expr))


@lru_cache(maxsize=1 << 16)
def params_of(expr: Expr) -> frozenset[str]:
    """Parameters named in it, those of its subqueries too."""
    found = {part.name for part in walk(expr) if isinstance(part, Param)}
    for part in walk(expr):
        if isinstance(part, SubQuery):
            found |= part.query.params
    return frozenset(found)


@lru_cache(maxsize=1 << 16)
def has_aggregate(expr: Expr) -> bool:
    return any(isinstance(part, Aggregate) for part in walk(expr))


@lru_cache(maxsize=1 << 16)
def has_subquery(expr: Expr) -> bool:
    return any(isinstance(part, SubQuery) for part in walk(expr))


def is_value(expr: Expr, given: frozenset[str] = frozenset()) -> bool:
    """Can it be computed before the relation at hand is read, from parameters and the aliases `given`?"""
    return aliases_of(expr) <= given and not has_subquery(expr) and not has_aggregate(expr)


def transform(expr: Expr, step: Callable[[Expr], Expr]) -> Expr:
    """Rewrite from the leaves up; subqueries get their operand rewritten only."""
    match expr:
        case Fn(name, arguments, template, volatile):
            return step(Fn(name, tuple(transform(one, step) for one in arguments), template, volatile))
        case Aggregate(function, arguments, template, distinct):
            return step(
                Aggregate(function, tuple(transform(one, step) for one in arguments), template, distinct)
            )
        case SubQuery(kind, query, operand, outer):
            changed = None if operand is None else transform(operand, step)
            return step(SubQuery(kind, query, changed, outer))
        case _:
            return step(expr)


def substitute(expr: Expr, names: Mapping[Expr, Expr]) -> Expr:
    """Replace columns and parameters, in subqueries too."""

    def step(part: Expr) -> Expr:
        if isinstance(part, SubQuery) and any(
            key in names for key in (*part.outer, *map(Param, part.query.params))
        ):
            outer = tuple(col for old in part.outer for col in sorted(cols_of(names.get(old, old)), key=repr))
            return SubQuery(part.kind, part.query.substitute(names), part.operand, outer)
        return names.get(part, part)

    return transform(expr, step)


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Fn("and", (left, right)):
            return conjuncts(left) + conjuncts(right)
        case Lit(True):
            return ()
        case _:
            return (expr,)


_RANK = {"or": 1, "and": 2, "not": 3, "eq": 4, "neq": 4, "lt": 4, "lte": 4, "gt": 4, "gte": 4, "like": 4,
         "in": 4, "is_null": 4, "not_null": 4, "add": 5, "sub": 5, "concat": 5, "mul": 6, "div": 6,
         "mod": 6, "neg": 7}  # fmt: skip


def _name(name: str) -> str:
    return name if name.replace("_", "a").isalnum() and not name[0].isdigit() else f"`{name}`"


def sql_of(expr: Expr, outer: int = 0) -> str:
    """The expression as SQL."""
    match expr:
        case Col("", name):
            return _name(name)
        case Col(alias, name):
            return f"{_name(alias)}.{_name(name)}"
        case Lit(_, sql):
            return sql
        case Param(name):
            return f":{name}"
        case Fn(name, arguments, template) | Aggregate(name, arguments, template):
            rank = _RANK.get(name, 0)
            parts = [
                sql_of(one, rank + (position > 0) if rank else 0) for position, one in enumerate(arguments)
            ]
            text = template.format(*parts)
            return f"({text})" if rank and rank < outer else text
        case SubQuery(kind, query, operand, _):
            from headwater.scale.text import select_sql  # text prints blocks, blocks are made of expressions

            inner = f"({select_sql(query)})"
            if kind == "in" and operand is not None:
                return f"{sql_of(operand, 4)} IN {inner}"
            return f"EXISTS {inner}" if kind == "exists" else inner
