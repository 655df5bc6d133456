"""The expressions that the rules themselves write: casts, conditionals, null checks.

They use the same function names and templates that translation uses, so the evaluator and Spark need to
know nothing more.
"""

from __future__ import annotations

from headwater.algebra.expressions import Call, Column, Expr, Literal, call, conjunction

__all__ = ["TRUE", "ZERO", "cast", "column_items", "divide", "non_null", "number", "positive", "when"]


def number(value: int) -> Literal:
    return Literal(value, str(value))


ZERO = number(0)
TRUE = Literal(True, "TRUE")  # as a group key: Spark may take GROUP BY 1 for the first column


def cast(expr: Expr, spark_type: str) -> Expr:
    return Call("cast", (expr,), f"CAST({{0}} AS {spark_type.upper()})")


def when(condition: Expr, then: Expr) -> Expr:
    """CASE WHEN condition THEN then END: NULL unless the condition is true."""
    return Call("case", (condition, then), "CASE WHEN {0} THEN {1} END")


def divide(numerator: Expr, denominator: Expr) -> Expr:
    return Call("div", (numerator, denominator), "({0} / {1})")


def positive(expr: Expr) -> Expr:
    return call("gt", expr, ZERO)


def non_null(exprs: tuple[Expr, ...]) -> Expr | None:
    """All of them are not NULL; nothing for none."""
    return conjunction(tuple(call("not", call("is_null", expr)) for expr in exprs))


def column_items(names: tuple[str, ...]) -> tuple[tuple[str, Expr], ...]:
    return tuple((name, Column(name)) for name in names)
