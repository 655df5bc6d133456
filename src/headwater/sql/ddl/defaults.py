"""DEFAULT value: what a record that lacks the column holds in it, and rows stored before the column existed.

    DEFAULT 0, -1.50, 'open', TRUE, NULL, DATE '2026-01-31', TIMESTAMP '2026-01-31 12:00:00'

A default is a constant of the column's type.  What changes from call to call (current_timestamp(), a
sequence) is refused: rows captured before would have no value of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from headwater.sql.parsing.lexer import Kind, Token
from headwater.sql.parsing.words import Words

__all__ = ["read_default"]

_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_TYPED = {"DATE": ("date",), "TIMESTAMP": ("timestamp", "timestamp_ntz"), "TIMESTAMP_NTZ": ("timestamp_ntz",)}
_GREATEST = {"float": 3.4028234e38, "double": 1.7976931348623157e308}
_INTEGER = re.compile(r"-?\d{1,19}", re.ASCII)
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def read_default(words: Words, kind: str) -> str | None:
    """What follows DEFAULT, as the text of a value of type `kind`; None for NULL."""
    first = words.peek()
    if words.accept("NULL"):
        return None
    if kind in _TYPED.get(first.word, ()) and words.peek(1).kind is Kind.STRING:
        words.next()
    sign = "-" if words.accept("-") else ""
    token = words.next()
    text = sign + token.text
    if not _fits(kind, token, text):
        raise words.wrong(
            "HW124",
            f"the DEFAULT of a {kind} cannot be {token}",
            first,
            hint=_hint(kind),
        )
    return text.lower() if kind == "boolean" else text


def _fits(kind: str, token: Token, text: str) -> bool:
    match kind:
        case "boolean":
            return token.kind is Kind.WORD and text.upper() in ("TRUE", "FALSE")
        case "string":
            return token.kind is Kind.STRING and text == token.text
        case "date":
            return token.kind is Kind.STRING and _is(date.fromisoformat, text) and len(text) == 10
        case "timestamp" | "timestamp_ntz":
            return token.kind is Kind.STRING and _is_moment(text, zoned=kind == "timestamp")
        case "binary":
            return False
        case _:
            return token.kind is Kind.NUMBER and _is_number(kind, text)


def _is_number(kind: str, text: str) -> bool:
    if kind in _BITS:
        limit = 2 ** _BITS[kind]
        return _INTEGER.fullmatch(text) is not None and -limit <= int(text) < limit
    if _NUMBER.fullmatch(text) is None:
        return False
    if not kind.startswith("decimal"):
        return abs(float(text)) <= _GREATEST[kind]
    precision, scale = (int(digits) for digits in re.findall(r"\d+", kind))
    scaled = Decimal(text).scaleb(scale)
    return scaled == scaled.to_integral_value() and abs(scaled) < 10**precision


def _is_moment(text: str, zoned: bool) -> bool:
    return _is(datetime.fromisoformat, text) and (zoned or datetime.fromisoformat(text).tzinfo is None)


def _is(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _hint(kind: str) -> str:
    examples = {
        "boolean": "FALSE", "string": "'none'", "date": "DATE '2026-01-31'",
        "timestamp": "TIMESTAMP '2026-01-31 12:00:00'", "timestamp_ntz": "'2026-01-31 12:00:00'",
    }  # fmt: skip
    if kind == "binary":
        return "a BINARY column has no DEFAULT but NULL"
    return f"write a constant such as {examples.get(kind, '0')}, or NULL"
