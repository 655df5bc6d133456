"""Turn an expression into a Python function of a row, with SQL's three-valued logic.

Columns become positions, so evaluating costs one closure call for each node of the expression.  Compiled
expressions are remembered: the laws evaluate the same plans many times.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cmp_to_key, lru_cache
from typing import Any

from headwater.algebra.expressions import Call, Column, Expr, Literal
from headwater.algebra.functions import STRICT, plain
from headwater.algebra.values import Row, Value, cast_value, compare
from headwater.errors import InputError, did_you_mean

__all__ = ["RowFunction", "compile_expr", "compile_row", "holds"]

RowFunction = Callable[[Row], Value]
Arguments = tuple[RowFunction, ...]


@lru_cache(maxsize=20_000)
def compile_expr(expr: Expr, columns: tuple[str, ...]) -> RowFunction:
    """The expression as a function of rows with these columns."""
    match expr:
        case Column(name):
            return _column(name, columns)
        case Literal(value, _):
            return lambda row: value
        case Call(function, arguments, template):
            return _call(plain(function), tuple(compile_expr(one, columns) for one in arguments), template)


def compile_row(exprs: tuple[Expr, ...], columns: tuple[str, ...]) -> Callable[[Row], Row]:
    """Several expressions as one function from row to row."""
    functions = tuple(compile_expr(expr, columns) for expr in exprs)
    return lambda row: tuple([function(row) for function in functions])


def holds(condition: Expr | None, columns: tuple[str, ...]) -> Callable[[Row], bool]:
    """Is the condition true (not false, not NULL)?"""
    if condition is None:
        return lambda row: True
    function = compile_expr(condition, columns)
    return lambda row: function(row) is True


def _column(name: str, columns: tuple[str, ...]) -> RowFunction:
    if name not in columns:
        raise InputError(
            "HW914", f'no column "{name}" in [{", ".join(columns)}]', hint=did_you_mean(name, columns)
        )
    index = columns.index(name)
    return lambda row: row[index]


def _call(function: str, arguments: Arguments, template: str) -> RowFunction:
    if function in _FORMS:
        return _FORMS[function](arguments, template)
    if function not in STRICT:
        known = did_you_mean(function, [*STRICT, *_FORMS])
        raise InputError("HW915", f'the evaluator does not know the function "{function}"', hint=known)
    return _strict(STRICT[function], arguments)


def _strict(function: Callable[..., Value], arguments: Arguments) -> RowFunction:
    if len(arguments) == 2:
        first, second = arguments

        def binary(row: Row) -> Value:
            left = first(row)
            if left is None:
                return None
            right = second(row)
            return None if right is None else function(left, right)

        return binary

    def apply(row: Row) -> Value:
        values = [argument(row) for argument in arguments]
        return None if None in values else function(*values)

    return apply


def _and(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Row) -> Value:
        values = [argument(row) for argument in arguments]
        return False if False in values else None if None in values else True

    return apply


def _or(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Row) -> Value:
        values = [argument(row) for argument in arguments]
        return True if True in values else None if None in values else False

    return apply


def _case(arguments: Arguments, template: str) -> RowFunction:
    """CASE WHEN c THEN r ... ELSE d END, or CASE x WHEN v THEN r ... ELSE d END."""
    subject: RowFunction | None = None
    if re.match(r"\s*CASE\s+\{0\}", template, re.IGNORECASE):
        subject, arguments = arguments[0], arguments[1:]
    otherwise = arguments[-1] if len(arguments) % 2 else _null
    branches = tuple(zip(arguments[0:-1:2], arguments[1::2], strict=False))

    def apply(row: Row) -> Value:
        value = None if subject is None else subject(row)
        for condition, result in branches:
            found = condition(row)
            if subject is not None:
                found = value is not None and found is not None and compare(value, found) == 0
            if found is True:
                return result(row)
        return otherwise(row)

    return apply


def _null(_: Row) -> Value:
    return None


def _coalesce(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Row) -> Value:
        for argument in arguments:
            value = argument(row)
            if value is not None:
                return value
        return None

    return apply


def _in(arguments: Arguments, _: str) -> RowFunction:
    needle, *hay = arguments

    def apply(row: Row) -> Value:
        value = needle(row)
        if value is None:
            return None
        found = [one(row) for one in hay]
        if any(one is not None and compare(value, one) == 0 for one in found):
            return True
        return None if None in found else False

    return apply


def _between(arguments: Arguments, _: str) -> RowFunction:
    value, low, high = arguments
    above, below = _strict(STRICT["gte"], (value, low)), _strict(STRICT["lte"], (value, high))
    return _and((above, below), "")


def _nullif(arguments: Arguments, _: str) -> RowFunction:
    same = _strict(STRICT["eq"], arguments)
    return lambda row: None if same(row) is True else arguments[0](row)


def _null_safe_equal(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Row) -> Value:
        left, right = arguments[0](row), arguments[1](row)
        if left is None or right is None:
            return left is right
        return compare(left, right) == 0

    return apply


def _is_null(arguments: Arguments, _: str) -> RowFunction:
    return lambda row: arguments[0](row) is None


def _is(arguments: Arguments, _: str) -> RowFunction:
    """x IS NULL, x IS TRUE, x IS FALSE."""
    return lambda row: arguments[0](row) is arguments[1](row)


def _cast(arguments: Arguments, template: str) -> RowFunction:
    spark_type = template.rsplit(" AS ", 1)[-1].strip()[:-1]
    return lambda row: cast_value(arguments[0](row), spark_type)


def _try_cast(arguments: Arguments, template: str) -> RowFunction:
    strict = _cast(arguments, template)

    def apply(row: Row) -> Value:
        try:
            return strict(row)
        except InputError as error:
            if error.code == "HW910":  # it does not fit
                return None
            raise

    return apply


def _field(arguments: Arguments, template: str) -> RowFunction:
    """window.start and window.end: the structs that the algebra itself makes."""
    name = template.rsplit(".", 1)[-1].strip("`) ").lower()
    if name not in ("start", "end"):
        raise InputError("HW915", f'the evaluator does not know the field "{name}" of a struct')
    at = 0 if name == "start" else 1
    return _strict(lambda struct: struct[at], arguments)


def _struct(arguments: Arguments, _: str) -> RowFunction:
    return lambda row: tuple([argument(row) for argument in arguments])


def _extreme(sign: int) -> Callable[[Arguments, str], RowFunction]:
    """greatest and least pass over NULLs."""
    key = cmp_to_key(lambda a, b: sign * compare(a, b))

    def form(arguments: Arguments, _: str) -> RowFunction:
        def apply(row: Row) -> Value:
            values = [value for argument in arguments if (value := argument(row)) is not None]
            return max(values, key=key, default=None)

        return apply

    return form


_FORMS: dict[str, Callable[[Arguments, Any], RowFunction]] = {
    "and": _and,
    "or": _or,
    "case": _case,
    "if": _case,
    "iff": _case,
    "coalesce": _coalesce,
    "ifnull": _coalesce,
    "nvl": _coalesce,
    "in": _in,
    "between": _between,
    "nullif": _nullif,
    "nulleq": _null_safe_equal,
    "nullsafeeq": _null_safe_equal,
    "isnull": _is_null,
    "is": _is,
    "cast": _cast,
    "trycast": _try_cast,
    "field": _field,
    "struct": _struct,
    "paren": lambda arguments, _: arguments[0],
    "greatest": _extreme(1),
    "least": _extreme(-1),
}
