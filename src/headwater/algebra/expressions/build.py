"""The expressions that Headwater itself writes: casts, conditionals, null checks, aggregates.

They use the same function names and templates that translation uses, so the evaluator and Spark need to
know nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    call,
    conjunction,
    slots,
)

__all__ = [
    "FALSE",
    "NULL",
    "TRUE",
    "ZERO",
    "aggregate_of",
    "cast",
    "choose",
    "column_items",
    "concat",
    "divide",
    "fragment",
    "non_null",
    "number",
    "positive",
    "when",
]


def number(value: int) -> Literal:
    return Literal(value, str(value))


ZERO = number(0)
NULL = Literal(None, "NULL")
FALSE = Literal(False, "FALSE")
TRUE = Literal(True, "TRUE")  # as a group key: Spark may take GROUP BY 1 for the first column


def cast(expr: Expr, spark_type: str) -> Expr:
    return Call("cast", (expr,), f"CAST({{0}} AS {spark_type.upper()})")


def when(condition: Expr, then: Expr) -> Expr:
    """CASE WHEN condition THEN then END: NULL unless the condition is true."""
    return Call("case", (condition, then), "CASE WHEN {0} THEN {1} END")


def choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """CASE WHEN condition THEN then ELSE otherwise END."""
    return Call("case", (condition, then, otherwise), "CASE WHEN {0} THEN {1} ELSE {2} END")


def concat(left: Expr, right: Expr) -> Expr:
    return Call("concat", (left, right), "({0} || {1})")


def divide(numerator: Expr, denominator: Expr) -> Expr:
    return call("div", numerator, denominator)


def fragment(time: Expr, edges: Iterable[tuple[int, int]]) -> Expr:
    """The start of the piece of time between two edges that `time` lies in.

    Edges are classes (residue, modulus) of microseconds since 1970: every instant that is `residue` more than
    a multiple of `modulus`.  NULL lies in no piece.
    """
    return call("fragment", time, *(number(part) for edge in edges for part in edge))


def positive(expr: Expr) -> Expr:
    return call("gt", expr, ZERO)


def non_null(exprs: tuple[Expr, ...]) -> Expr | None:
    """All of them are not NULL; nothing for none."""
    return conjunction(tuple(call("not", call("is_null", expr)) for expr in exprs))


def column_items(names: tuple[str, ...]) -> tuple[tuple[str, Expr], ...]:
    return tuple((name, Column(name)) for name in names)


def aggregate_of(function: str, *arguments: Expr, distinct: bool = False) -> AggregateCall:
    """An aggregate without a name, as it stands in an expression; count of nothing is count(*)."""
    written = slots(len(arguments)) or ("1" if function == "count" else "")
    template = f"{function}({'DISTINCT ' if distinct else ''}{written})"
    return AggregateCall("", function, arguments, template, distinct)
