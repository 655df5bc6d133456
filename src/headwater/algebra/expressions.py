"""Scalar expressions: columns, literals and calls, as frozen trees.

A call keeps two things: the `function` it means, which the evaluator and the passes look at, and a
`template` that says how Spark SQL writes it.  So every deterministic function that Spark has can stand in
a view, whether or not Headwater knows what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

__all__ = [
    "Call",
    "Column",
    "Expr",
    "Literal",
    "call",
    "columns_of",
    "conjuncts",
    "equal",
    "conjunction",
    "rename",
    "spark_sql",
    "transform",
]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the input row, by its name there (`alias.column` below a projection)."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: `sql` is how Spark SQL writes it, `value` its Python value (None is NULL)."""

    value: object
    sql: str


@dataclass(frozen=True, slots=True)
class Call:
    """`function` applied to `arguments`; `template` has {0}, {1}, ... for them and {{ }} for braces."""

    function: str
    arguments: tuple[Expr, ...]
    template: str


Expr = Column | Literal | Call

_INFIX = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "and": "AND", "or": "OR",
          "add": "+", "sub": "-", "mul": "*", "nulleq": "<=>"}  # fmt: skip


def call(function: str, *arguments: Expr) -> Call:
    """A call of one of the common operators, or of a function written `name(a, b)`."""
    if function in _INFIX:
        return Call(function, arguments, f"({{0}} {_INFIX[function]} {{1}})")
    if function == "is_null":
        return Call(function, arguments, "({0} IS NULL)")
    if function == "not":
        return Call(function, arguments, "(NOT {0})")
    slots = ", ".join(f"{{{index}}}" for index in range(len(arguments)))
    return Call(function, arguments, f"{function}({slots})")


def equal(left: Expr, right: Expr) -> Call:
    return call("eq", left, right)


def transform(expr: Expr, step: Callable[[Expr], Expr]) -> Expr:
    """Rewrite an expression from its leaves up."""
    match expr:
        case Call(function, arguments, template):
            return step(Call(function, tuple(transform(one, step) for one in arguments), template))
        case _:
            return step(expr)


def rename(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    """Replace columns by expressions; columns not named stay."""
    return transform(expr, lambda e: names.get(e.name, e) if isinstance(e, Column) else e)


def _columns(expr: Expr) -> Iterator[str]:
    match expr:
        case Column(name):
            yield name
        case Call(_, arguments, _):
            for argument in arguments:
                yield from _columns(argument)
        case Literal():
            return


def columns_of(expr: Expr) -> frozenset[str]:
    """The names of the columns that an expression reads."""
    return frozenset(_columns(expr))


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """a AND b AND c as (a, b, c)."""
    match expr:
        case Call("and", (left, right), _):
            return conjuncts(left) + conjuncts(right)
        case _:
            return (expr,)


def conjunction(parts: tuple[Expr, ...]) -> Expr | None:
    """(a, b, c) as a AND b AND c; nothing for no parts."""
    whole: Expr | None = None
    for part in parts:
        whole = part if whole is None else call("and", whole, part)
    return whole


def spark_sql(expr: Expr) -> str:
    """The expression as Spark SQL over columns named as they are here."""
    match expr:
        case Column(name):
            return "`" + name.replace("`", "``") + "`"
        case Literal(_, sql):
            return sql
        case Call(_, arguments, template):
            return template.format(*(spark_sql(argument) for argument in arguments))
