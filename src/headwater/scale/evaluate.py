"""The value of an expression, with SQL's three-valued logic: None is NULL, and unknown.

Knows the operators and functions that plans can run; another function raises NotExecutable, because a
wrong answer is worse than none.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from headwater.scale.expr import Aggregate, Col, Expr, Fn, Lit, Param, SubQuery

__all__ = ["NotExecutable", "Row", "evaluate", "is_true", "tokens", "like_prefix"]

Row = Mapping[str, Mapping[str, Any]]  # alias -> column -> value
Ask = Callable[[SubQuery, Row], Any]


class NotExecutable(Exception):
    """The plan is bounded, but this executor does not know a function in it."""


def tokens(value: object) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(re.findall(r"\w+", str(value).lower())) if value is not None else frozenset()


def like_prefix(pattern: str) -> tuple[str, bool]:
    """The literal start of a LIKE pattern, and whether the pattern is nothing but it and one last %."""
    end = next((i for i, letter in enumerate(pattern) if letter in "%_\\"), len(pattern))
    return pattern[:end], pattern[end:] == "%"


def _like(value: object, pattern: object) -> bool:
    text = re.escape(str(pattern)).replace("%", ".*").replace("_", ".")
    return re.fullmatch(text, str(value), re.DOTALL) is not None


def _division(left: Any, right: Any) -> Any:
    return None if right == 0 else left / right


def _remainder(left: Any, right: Any) -> Any:
    """The sign of the dividend, as in SQL."""
    return (
        None if right == 0 else (math.fmod(left, right) if isinstance(left, float) else _whole(left, right))
    )


def _whole(left: int, right: int) -> int:
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, frozenset):
        return str(right).lower() in left
    return bool(left == right)


_STRICT: dict[str, Callable[..., Any]] = {
    "eq": _equal, "neq": operator.ne, "lt": operator.lt, "lte": operator.le, "gt": operator.gt,
    "gte": operator.ge, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": _division,
    "mod": _remainder, "neg": operator.neg, "like": _like, "concat": lambda a, b: f"{a}{b}",
    "lower": lambda a: str(a).lower(), "upper": lambda a: str(a).upper(), "length": lambda a: len(str(a)),
    "abs": abs, "token": tokens,
}  # fmt: skip


def evaluate(expr: Expr, row: Row, params: Mapping[str, Any], ask: Ask | None = None) -> Any:
    match expr:
        case Col(alias, name):
            return row[alias][name]
        case Lit(value):
            return value
        case Param(name):
            if name not in params:
                raise NotExecutable(f"the parameter :{name} has no value")
            return params[name]
        case SubQuery():
            if ask is None:
                raise NotExecutable("a subquery stands where none can be run")
            return ask(expr, row)
        case Aggregate():
            return row["$group"][repr(expr)]
        case Fn(name, arguments):
            return _function(name, arguments, row, params, ask)


def _function(
    name: str, arguments: tuple[Expr, ...], row: Row, params: Mapping[str, Any], ask: Ask | None
) -> Any:
    def value(expr: Expr) -> Any:
        return evaluate(expr, row, params, ask)

    if name in _STRICT:
        values = [value(one) for one in arguments]
        return None if any(one is None for one in values) else _STRICT[name](*values)
    match name:
        case "and" | "or":
            return _connective(name == "or", [value(one) for one in arguments])
        case "not":
            inner = value(arguments[0])
            return None if inner is None else not inner
        case "is_null":
            return value(arguments[0]) is None
        case "not_null":
            return value(arguments[0]) is not None
        case "nulleq":
            return value(arguments[0]) == value(arguments[1])
        case "coalesce":
            return next((one for one in map(value, arguments) if one is not None), None)
        case "in":
            return _member(value(arguments[0]), [value(one) for one in arguments[1:]])
        case "case":
            for when, then in zip(arguments[0:-1:2], arguments[1::2], strict=False):
                if is_true(value(when)):
                    return value(then)
            return value(arguments[-1])
        case _:
            raise NotExecutable(f"the function {name} is not known to the executor")


def _connective(decisive: bool, values: list[Any]) -> bool | None:
    """OR is decided by one true, AND by one false; else any unknown makes it unknown."""
    if any(one is not None and bool(one) is decisive for one in values):
        return decisive
    return None if any(one is None for one in values) else not decisive


def _member(value: Any, values: list[Any]) -> bool | None:
    spread = [one for group in values for one in (group if isinstance(group, list | tuple) else [group])]
    if value is None:
        return None if spread else False
    if any(one is not None and one == value for one in spread):
        return True
    return None if any(one is None for one in spread) else False


def is_true(value: Any) -> bool:
    return value is not None and bool(value)
