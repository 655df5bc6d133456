"""Special forms: the functions that look at NULL themselves, or at how they are written.

    AND, OR    decided by one false (true) argument; else NULL if any is NULL.  Arguments after the deciding
               one are not evaluated, so x <> 0 AND 1 / x > 2 does not fail
    CASE, COALESCE, NULLIF, IN, BETWEEN, <=>, IS, CAST, greatest, least, fields of a window

Each form takes the compiled arguments and the template of its call, and gives a function of a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import Any
from zlib import crc32

from headwater.algebra.expressions.functions import STRICT
from headwater.algebra.expressions.values import Value, cast_value, compare, same
from headwater.errors import InputError

__all__ = ["FORMS", "Arguments", "NotEvaluable", "RowFunction", "any_of", "is_member", "strict"]

RowFunction = Callable[[Any], Value]  # of whatever stands for a row: a tuple, or a mapping by alias
Arguments = tuple[RowFunction, ...]


class NotEvaluable(InputError):
    """The evaluator does not know a function; Spark may well run it."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__("HW915", f"the evaluator does not know {what}", hint=hint)


def strict(function: Callable[..., Value], arguments: Arguments) -> RowFunction:
    """A function that is NULL where any of its arguments is."""
    if len(arguments) == 2:
        first, second = arguments

        def binary(row: Any) -> Value:
            left = first(row)
            if left is None:
                return None
            right = second(row)
            return None if right is None else function(left, right)

        return binary

    def apply(row: Any) -> Value:
        values = [argument(row) for argument in arguments]
        return None if None in values else function(*values)

    return apply


def _connective(decisive: bool) -> Callable[[Arguments, str], RowFunction]:
    """OR is decided by one true, AND by one false; else any NULL makes it NULL."""

    def form(arguments: Arguments, _: str) -> RowFunction:
        def apply(row: Any) -> Value:
            result: bool | None = not decisive
            for argument in arguments:
                value = argument(row)
                if value is None:
                    result = None
                elif bool(value) is decisive:
                    return decisive
            return result

        return apply

    return form


def _case(arguments: Arguments, template: str) -> RowFunction:
    """CASE WHEN c THEN r ... ELSE d END, or CASE x WHEN v THEN r ... ELSE d END."""
    subject: RowFunction | None = None
    if re.match(r"\s*CASE\s+\{0\}", template, re.IGNORECASE):
        subject, arguments = arguments[0], arguments[1:]
    otherwise = arguments[-1] if len(arguments) % 2 else _null
    branches = tuple(zip(arguments[0:-1:2], arguments[1::2], strict=False))

    def apply(row: Any) -> Value:
        value = None if subject is None else subject(row)
        for condition, result in branches:
            outcome = condition(row)
            if subject is not None:
                outcome = value is not None and outcome is not None and same(value, outcome)
            if outcome:
                return result(row)
        return otherwise(row)

    return apply


def _null(_: Any) -> Value:
    return None


def _coalesce(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Any) -> Value:
        for argument in arguments:
            value = argument(row)
            if value is not None:
                return value
        return None

    return apply


def is_member(value: Value, values: Iterable[Value]) -> bool | None:
    """value IN (values): NULL if it is not among them but a NULL is; false for no values at all."""
    result: bool | None = False
    for candidate in values:
        if value is None or candidate is None:
            result = None
        elif same(value, candidate):
            return True
    return result


def any_of(value: RowFunction, candidates: Arguments, lists: tuple[bool, ...]) -> RowFunction:
    """IN; where `lists` says so, a candidate may itself be a list of values (a parameter)."""

    def values(row: Any) -> Iterable[Value]:
        for candidate, is_list in zip(candidates, lists, strict=True):
            single = candidate(row)
            if is_list and isinstance(single, list | tuple):
                yield from single
            else:
                yield single

    return lambda row: is_member(value(row), values(row))


def _between(arguments: Arguments, _: str) -> RowFunction:
    value, low, high = arguments
    above, below = strict(STRICT["gte"], (value, low)), strict(STRICT["lte"], (value, high))
    return _connective(decisive=False)((above, below), "")


def _nullif(arguments: Arguments, _: str) -> RowFunction:
    first, second = arguments

    def apply(row: Any) -> Value:
        value = first(row)  # once: it may be a subquery
        other = None if value is None else second(row)
        return None if other is not None and same(value, other) else value

    return apply


def _null_safe_equal(arguments: Arguments, _: str) -> RowFunction:
    def apply(row: Any) -> Value:
        left, right = arguments[0](row), arguments[1](row)
        if left is None or right is None:
            return left is right
        return same(left, right)

    return apply


def _is_null(arguments: Arguments, _: str) -> RowFunction:
    return lambda row: arguments[0](row) is None


def _not_null(arguments: Arguments, _: str) -> RowFunction:
    return lambda row: arguments[0](row) is not None


def _is(arguments: Arguments, _: str) -> RowFunction:
    """x IS NULL, x IS TRUE, x IS FALSE."""
    return lambda row: arguments[0](row) is arguments[1](row)


def _cast(arguments: Arguments, template: str) -> RowFunction:
    spark_type = template.rsplit(" AS ", 1)[-1].strip()[:-1]
    return lambda row: cast_value(arguments[0](row), spark_type)


def _try_cast(arguments: Arguments, template: str) -> RowFunction:
    strict = _cast(arguments, template)

    def apply(row: Any) -> Value:
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
        raise NotEvaluable(f'the field "{name}" of a struct')
    position = 0 if name == "start" else 1
    return strict(lambda struct, *_: struct[position], arguments)


def _struct(arguments: Arguments, _: str) -> RowFunction:
    return lambda row: tuple([argument(row) for argument in arguments])


def _extreme(sign: int) -> Callable[[Arguments, str], RowFunction]:
    """greatest and least pass over NULLs."""
    key = cmp_to_key(lambda a, b: sign * compare(a, b))

    def form(arguments: Arguments, _: str) -> RowFunction:
        def apply(row: Any) -> Value:
            values = [value for argument in arguments if (value := argument(row)) is not None]
            return max(values, key=key, default=None)

        return apply

    return form


def _hash_bucket(arguments: Arguments, _: str) -> RowFunction:
    """hash_bucket(a, b, ..., n): one of n buckets, the same for equal values, in every process."""
    *hashed, count = arguments
    return lambda row: crc32(repr([argument(row) for argument in hashed]).encode()) % count(row)


FORMS: dict[str, Callable[[Arguments, Any], RowFunction]] = {
    "and": _connective(decisive=False),
    "or": _connective(decisive=True),
    "case": _case,
    "if": _case,
    "iff": _case,
    "coalesce": _coalesce,
    "ifnull": _coalesce,
    "nvl": _coalesce,
    "between": _between,
    "nullif": _nullif,
    "nulleq": _null_safe_equal,
    "nullsafeeq": _null_safe_equal,
    "isnull": _is_null,
    "notnull": _not_null,
    "is": _is,
    "cast": _cast,
    "trycast": _try_cast,
    "field": _field,
    "struct": _struct,
    "paren": lambda arguments, _: arguments[0],
    "hashbucket": _hash_bucket,
    "greatest": _extreme(1),
    "least": _extreme(-1),
}
