"""CAST and TRY_CAST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.tree import Call
from headwater.sql.translate.scalars import calls
from headwater.sql.translate.scalars.clashes import check_cast
from headwater.sql.translate.scalars.literals import constant_cast, escaped, moving_literal, text
from headwater.sql.translate.scalars.read_texts import no_such_day, no_such_time
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import decimal, family, spark_type

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["translate_cast"]


def translate_cast(reader: Expressions, node: exp.Cast) -> Typed:
    """CAST(x AS type), x::type, DATE '...'; sqlglot reads a plain CAST as a TryCast that is not `safe`."""
    kind = spark_type(node.to)
    _check_digits(reader, node, kind)
    if moving_literal(node.this, kind):
        calls.refuse_moment(reader.notes, node, f"{kind} '{node.this.name}'")
    if not node.args.get("safe") and node.this.is_string and family(kind) in ("date", "timestamp"):
        _check_day(reader, node)
    constant = None if node.args.get("safe") else constant_cast(node.this, kind)
    if constant is not None:
        return constant
    value = reader.translate(node.this)
    check_cast(reader.notes, node, value, kind)
    function = "try_cast" if node.args.get("safe") else "cast"
    expr = Call(function, (value.expr,), f"{function.upper()}({{0}} AS {escaped(text(node.to))})")
    return Typed(expr, kind, value.nullable or function == "try_cast" or kind != value.type)


def _check_digits(reader: Expressions, node: exp.Cast, kind: str) -> None:
    """DECIMAL(40, 2), DECIMAL(2, 5)."""
    digits = decimal(kind) if kind.startswith("decimal") else None
    if digits is not None and (digits[0] > 38 or digits[1] > digits[0]):
        what = f"there is no {kind}: a decimal has at most 38 digits, those after the point among them"
        reader.notes.fail("HW308", node, what, hint="write DECIMAL(38, ...) or DOUBLE")


def _check_day(reader: Expressions, node: exp.Cast) -> None:
    """DATE '2024-02-30', TIMESTAMP '2024-01-01 25:00': Spark does not even parse it."""
    written = node.this.name.strip()
    if no_such_day(written) or no_such_time(written):
        what = f"there is no such {'day' if no_such_day(written) else 'time'}: '{node.this.name}'"
        reader.notes.fail("HW308", node, what, hint="try_cast gives NULL where a text is no date")
