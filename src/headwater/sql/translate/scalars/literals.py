"""Constants: what the text says, and the Python value that the evaluator computes with.

DATE '2024-02-29' and TIMESTAMP '...' are constants too.  Spark still reads DATE 'today' as the day on which
it looks, which no view may depend on.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

from sqlglot import ErrorLevel, exp

from headwater.algebra.expressions.tree import Call, Literal
from headwater.algebra.expressions.values import Months
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.intervals import MICROSECONDS
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["NULL", "constant_cast", "escaped", "interval", "literal", "moving_literal", "negative", "text"]

NULL = Typed(Literal(None, "NULL"), "void", nullable=True)

_MOVING = {"now", "today", "yesterday", "tomorrow"}


def text(node: exp.Expr) -> str:
    """A node as Spark SQL; what Spark has not is refused by others, not logged here."""
    return node.sql(dialect=Headwater, unsupported_level=ErrorLevel.IGNORE)


def escaped(written: str) -> str:
    """A text as part of a template, where braces mark the slots of arguments."""
    return written.replace("{", "{{").replace("}", "}}")


def literal(node: exp.Literal | exp.Boolean | exp.Null) -> Typed:
    """A constant as written."""
    match node:
        case exp.Boolean():
            return Typed(
                Literal(bool(node.this), "TRUE" if node.this else "FALSE"), "boolean", nullable=False
            )
        case exp.Null():
            return NULL
        case _ if node.is_string:
            return Typed(Literal(node.this, text(node)), "string", nullable=False)
        case _:
            return _number(str(node.this))


def _number(written: str) -> Typed:
    if re.fullmatch(r"\d+", written):
        value = int(written)
        kind = "int" if value < 2**31 else "bigint" if value < 2**63 else f"decimal({len(str(value))},0)"
        return Typed(Literal(value, written), kind, nullable=False)
    if re.search("[eE]", written):
        return Typed(Literal(float(written), written), "double", nullable=False)
    exact = Decimal(written)
    scale = max(0, -int(exact.as_tuple().exponent))
    precision = max(len(exact.as_tuple().digits), scale)
    return Typed(Literal(exact, written), f"decimal({precision},{scale})", nullable=False)


def negative(value: Typed) -> Typed | None:
    """-5 as one constant."""
    number = value.expr
    if isinstance(number, Literal) and isinstance(number.value, int | float | Decimal):
        if isinstance(number.value, bool):
            return None
        return Typed(Literal(-number.value, f"-{number.sql}"), value.type, nullable=False)
    return None


def moving_literal(node: exp.Expr, kind: str) -> bool:
    """TIMESTAMP 'now': a constant that is a different one tomorrow."""
    is_text = isinstance(node, exp.Literal) and node.is_string
    return is_text and kind in ("date", "timestamp", "timestamp_ntz") and node.name.strip().lower() in _MOVING


def constant_cast(node: exp.Expr, kind: str) -> Typed | None:
    """CAST('2024-02-29' AS DATE), which is how sqlglot reads DATE '2024-02-29', and 10L, 1.5D."""
    if not isinstance(node, exp.Literal):
        return None
    try:
        if node.is_string and kind == "date" and re.fullmatch(r"\d{4}-\d{2}-\d{2}", node.name):
            return Typed(Literal(date.fromisoformat(node.name), f"DATE '{node.name}'"), kind, nullable=False)
        if node.is_string and kind in ("timestamp", "timestamp_ntz") and _moment(node.name):
            written = f"{kind.upper()} '{node.name}'"
            return Typed(Literal(datetime.fromisoformat(node.name), written), kind, nullable=False)
    except ValueError:
        return None  # no such day: Spark will say so when it runs
    return None


def _moment(written: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?", written) is not None


_PIECE = re.compile(r"([+-]?\d+)\s*([a-z]+)", re.IGNORECASE)
_PIECES = re.compile(rf"\s*(?:{_PIECE.pattern}\s*)+", re.IGNORECASE)
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def _length(count: int, unit: str) -> timedelta | Months | None:
    if unit in MICROSECONDS:
        return timedelta(microseconds=count * MICROSECONDS[unit])
    return Months(count * _MONTHS[unit]) if unit in _MONTHS else None


def _whole(text: str) -> timedelta | None:
    """'1 day 2 hours', if all of it has a fixed length."""
    if not _PIECES.fullmatch(text):
        return None
    lengths = [_length(int(count), name.lower().removesuffix("s")) for count, name in _PIECE.findall(text)]
    fixed = [length for length in lengths if isinstance(length, timedelta)]
    return sum(fixed, timedelta()) if len(fixed) == len(lengths) else None


def interval(node: exp.Interval) -> Typed:
    """INTERVAL '1' DAY; kinds of interval that have no fixed length have no Python value."""
    written = text(node)
    unit = node.args.get("unit")
    if isinstance(unit, exp.Var) and isinstance(node.this, exp.Literal):
        name = unit.name.lower().removesuffix("s")
        count = node.this.name.strip()
        if re.fullmatch(r"-?\d+", count) and (value := _length(int(count), name)) is not None:
            return Typed(Literal(value, written), "interval", nullable=False)
    if unit is None and isinstance(node.this, exp.Literal) and (whole := _whole(node.this.name)) is not None:
        return Typed(Literal(whole, written), "interval", nullable=False)
    return Typed(Call("interval", (), escaped(written)), "interval", nullable=False)
