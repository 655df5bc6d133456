"""Expressions as JSON and back, exactly: for those whose plain text could be read in another way.

Plain text is for people; it says neither which function a template belongs to nor of which type a constant
is. Where that matters and reading would have to guess, an expression is written as

    {"call": "gt", "of": [{"column": "t.d"}, {"value": {"date": "2024-01-01"}, "sql": "DATE '2024-01-01'"}],
     "as": "({0} > {1})"}
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal

from headwater.algebra.expressions.nodes import Call, Column, Expr, Literal, refusal
from headwater.errors import InputError

__all__ = ["read_exact", "show_exact"]

# Types that JSON does not have: how a value is written, and read.  A datetime is a date, so it comes first.
_TYPES: dict[str, tuple[type, Callable[..., object], Callable[..., object]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "float": (float, repr, lambda text: math.nan if text == "nan" else float(text)),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "microseconds": (
        timedelta,
        lambda span: span // timedelta(microseconds=1),
        lambda n: timedelta(microseconds=n),
    ),
}


def show_exact(expr: Expr) -> str:
    """On one line, in ASCII."""
    return json.dumps(_fields(expr))


def read_exact(text: str, at: int) -> tuple[Expr, int]:
    """The expression that begins at a position, and the position behind it."""
    try:
        fields, end = json.JSONDecoder().raw_decode(text, at)
        return _expr(fields), end
    except (ValueError, KeyError, TypeError, ArithmeticError) as error:
        raise InputError("HW920", f"this is no expression at column {at + 1} of: {text}") from error


def _fields(expr: Expr) -> dict[str, object]:
    match expr:
        case Column(name, ""):
            return {"column": name}
        case Literal(value, sql):
            return {"value": _plain(value), "sql": sql}
        case Call(function, arguments, template):
            return {"call": function, "of": [_fields(argument) for argument in arguments], "as": template}
        case _:
            raise refusal(expr, "stand in the text of a plan")


def _expr(fields: dict[str, object]) -> Expr:
    match fields:
        case {"column": str(name)}:
            return Column(name)
        case {"value": value, "sql": str(sql)}:
            return Literal(_value(value), sql)
        case {"call": str(function), "of": list(arguments), "as": str(template)}:
            return Call(function, tuple(_expr(argument) for argument in arguments), template)
        case _:
            raise ValueError(fields)


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple):
        return {"tuple": [_plain(part) for part in value]}
    for name, (kind, write, _) in _TYPES.items():
        if isinstance(value, kind):
            return {name: write(value)}
    raise TypeError(f"a constant of type {type(value).__name__} has no text")


def _value(plain: object) -> object:
    if not isinstance(plain, dict):
        return plain
    ((name, written),) = plain.items()
    if name == "tuple":
        return tuple(_value(part) for part in written)
    return _TYPES[name][2](written)
