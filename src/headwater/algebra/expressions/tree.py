"""Building, walking and rewriting expressions, and writing them as Spark SQL.

The nodes are those of nodes.py and can be imported from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from headwater.algebra.expressions.nodes import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    Subquery,
    refusal,
)

__all__ = [
    "AggregateCall",
    "Call",
    "Column",
    "Expr",
    "Literal",
    "Opaque",
    "Parameter",
    "Subquery",
    "call",
    "children",
    "columns_of",
    "conjunction",
    "conjuncts",
    "disjunction",
    "disjuncts",
    "equal",
    "rename",
    "replace_largest",
    "slots",
    "spark_sql",
    "transform",
    "walk",
]

_INFIX = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "and": "AND", "or": "OR",
          "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "like": "LIKE",
          "nulleq": "<=>"}  # fmt: skip
_FIXED = {"is_null": "({0} IS NULL)", "not_null": "({0} IS NOT NULL)", "not": "(NOT {0})", "neg": "(-{0})"}


def slots(count: int, first: int = 0) -> str:
    """The places of `count` arguments in a template: {0}, {1}, ..."""
    return ", ".join(f"{{{first + index}}}" for index in range(count))


def call(function: str, *arguments: Expr) -> Call:
    """A call of one of the common operators, or of a function written `name(a, b)`."""
    if function in _INFIX and len(arguments) == 2:
        return Call(function, arguments, f"({{0}} {_INFIX[function]} {{1}})")
    if function in _FIXED:
        return Call(function, arguments, _FIXED[function])
    if function == "in":
        return Call(function, arguments, f"({{0}} IN ({slots(len(arguments) - 1, first=1)}))")
    if function == "fragment":
        return Call(function, arguments, _fragment_template(len(arguments) // 2))
    return Call(function, arguments, f"{function}({slots(len(arguments))})")


def _fragment_template(classes: int) -> str:
    """The latest edge at or before a time: of each class of edges `residue mod modulus`, the latest."""
    time = "unix_micros({0})"
    edges = [f"{time} - pmod({time} - {{{at}}}, {{{at + 1}}})" for at in range(1, 2 * classes, 2)]
    latest = edges[0] if classes == 1 else f"greatest({', '.join(edges)})"
    return f"timestamp_micros({latest})"


def equal(left: Expr, right: Expr) -> Call:
    return call("eq", left, right)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts of a node; of a subquery its operand and the outer columns it reads."""
    match expr:
        case Call() | Opaque():
            return expr.arguments
        case AggregateCall():
            return expr.arguments if expr.where is None else (*expr.arguments, expr.where)
        case Subquery(_, _, operand, outer):
            return (*outer, operand) if operand is not None else outer
        case Column() | Literal() | Parameter():
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all its parts, from the top."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def transform(expr: Expr, step: Callable[[Expr], Expr]) -> Expr:
    """Rewrite an expression from its leaves up; of a subquery only its operand is rewritten."""
    return step(_with_children(expr, lambda child: transform(child, step)))


def _with_children(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    match expr:
        case Call(function, arguments, template):
            return Call(function, tuple(map(change, arguments)), template)
        case Opaque():
            return replace(expr, arguments=tuple(map(change, expr.arguments)))
        case AggregateCall():
            where = None if expr.where is None else change(expr.where)
            return replace(expr, arguments=tuple(map(change, expr.arguments)), where=where)
        case Subquery():
            return replace(expr, operand=None if expr.operand is None else change(expr.operand))
        case Column() | Literal() | Parameter():
            return expr


def replace_largest(expr: Expr, names: Mapping[Expr, Expr]) -> Expr:
    """Replace the largest parts that are in `names`: what is inside a replaced part is not looked at."""
    if expr in names:
        return names[expr]
    if isinstance(expr, Subquery):
        return expr
    return _with_children(expr, lambda child: replace_largest(child, names))


def rename(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    """Replace columns by expressions; columns not named stay."""
    return transform(expr, lambda e: names.get(e.name, e) if isinstance(e, Column) else e)


def columns_of(expr: Expr) -> frozenset[str]:
    """The names of the columns that an expression reads."""
    return frozenset(_columns(expr))


def _columns(expr: Expr) -> Iterator[str]:
    match expr:
        case Column(name):
            yield name
        case Call(_, arguments):
            for argument in arguments:
                yield from _columns(argument)
        case _:
            for child in children(expr):
                yield from _columns(child)


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """a AND b AND c as (a, b, c)."""
    return _split(expr, "and")


def disjuncts(expr: Expr) -> tuple[Expr, ...]:
    """a OR b OR c as (a, b, c)."""
    return _split(expr, "or")


def _split(expr: Expr, connective: str) -> tuple[Expr, ...]:
    match expr:
        case Call(function, (left, right)) if function == connective:
            return _split(left, connective) + _split(right, connective)
        case _:
            return (expr,)


def conjunction(parts: tuple[Expr, ...]) -> Expr | None:
    """(a, b, c) as a AND b AND c; nothing for no parts."""
    return _join(parts, "and")


def disjunction(parts: tuple[Expr, ...]) -> Expr | None:
    """(a, b, c) as a OR b OR c; nothing for no parts."""
    return _join(parts, "or")


def _join(parts: tuple[Expr, ...], connective: str) -> Expr | None:
    whole: Expr | None = None
    for part in parts:
        whole = part if whole is None else call(connective, whole, part)
    return whole


def spark_sql(expr: Expr) -> str:
    """The expression as Spark SQL over columns named as they are here."""
    match expr:
        case Column(name, ""):
            return "`" + name.replace("`", "``") + "`"
        case Literal(_, sql):
            return sql
        case Call(_, arguments, template):
            return template.format(*(spark_sql(argument) for argument in arguments))
        case _:
            raise refusal(expr, "be written for Spark")
