"""Turn an expression into a Python function of a row, with SQL's three-valued logic.

One evaluator for all.  What differs is what stands for a row, so the caller says what a column, a parameter,
an aggregate or a subquery means (`leaf`).  Over the rows of a plan (`compile_expr`) a column is a position in
a tuple and the other leaves are refused; `bounds.plans.evaluate` gives all of them a meaning.

Evaluating costs one closure call for each node.  Compiled expressions are remembered: the laws evaluate the
same plans many times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from headwater.algebra.expressions.forms import (
    FORMS,
    Arguments,
    NotEvaluable,
    RowFunction,
    any_of,
    strict,
)
from headwater.algebra.expressions.functions import LENIENT, STRICT, plain
from headwater.algebra.expressions.matching import has_word
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
from headwater.algebra.expressions.values import Row
from headwater.errors import InputError, did_you_mean

__all__ = ["Leaf", "NotEvaluable", "RowFunction", "compile_expr", "compile_row", "compile_with", "holds"]

Leaf = Column | Parameter | AggregateCall | Subquery


def compile_with(expr: Expr, leaf: Callable[[Leaf], RowFunction], ansi: bool = True) -> RowFunction:
    """The expression as a function of whatever `leaf` reads from.

    `ansi`: division by zero is an error, as in Spark by default; else it is NULL.
    """

    def visit(part: Expr) -> RowFunction:
        match part:
            case Literal(value, _):
                return lambda row: value
            case Call("eq" | "neq", (Call("token", (text,)), word) | (word, Call("token", (text,)))):
                contains = strict(has_word, (visit(text), visit(word)))
                return contains if part.function == "eq" else strict(STRICT["not"], (contains,))
            case Call("in", (value, *candidates)):
                lists = tuple(isinstance(candidate, Parameter) for candidate in candidates)
                return any_of(visit(value), tuple(map(visit, candidates)), lists)
            case Call(function, arguments, template):
                return _call(plain(function), tuple(map(visit, arguments)), template, ansi)
            case Opaque(name):
                raise NotEvaluable(f'"{name}" as it is written here')
            case _:
                return leaf(part)

    return visit(expr)


@lru_cache(maxsize=20_000)
def compile_expr(expr: Expr, columns: tuple[str, ...]) -> RowFunction:
    """The expression as a function of rows with these columns."""
    return compile_with(expr, lambda leaf: _column(leaf, columns))


def compile_row(exprs: tuple[Expr, ...], columns: tuple[str, ...]) -> Callable[[Row], Row]:
    """Several expressions as one function from row to row."""
    functions = tuple(compile_expr(expr, columns) for expr in exprs)
    return lambda row: tuple([function(row) for function in functions])


def holds(condition: Expr | None, columns: tuple[str, ...]) -> Callable[[Row], bool]:
    """Is the condition true (not false, not NULL)?"""
    if condition is None:
        return lambda row: True
    function = compile_expr(condition, columns)
    return lambda row: bool(function(row))


def _column(leaf: Leaf, columns: tuple[str, ...]) -> RowFunction:
    match leaf:
        case Column(name, "") if name in columns:
            index = columns.index(name)
            return lambda row: row[index]
        case Column(name, ""):
            raise InputError(
                "HW914", f'no column "{name}" in [{", ".join(columns)}]', hint=did_you_mean(name, columns)
            )
        case _:
            raise refusal(leaf, "be evaluated over the rows of a plan")


def _call(function: str, arguments: Arguments, template: str, ansi: bool) -> RowFunction:
    if function in FORMS:
        return FORMS[function](arguments, template)
    table = STRICT if ansi else LENIENT
    if function not in table:
        raise NotEvaluable(f'the function "{function}"', hint=did_you_mean(function, [*STRICT, *FORMS]))
    return strict(table[function], arguments)
