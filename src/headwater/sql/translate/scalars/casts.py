"""CAST and TRY_CAST, and Spark's name of a type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.tree import Call
from headwater.sql.translate.scalars import calls
from headwater.sql.translate.scalars.literals import constant_cast, escaped, moving_literal, text
from headwater.sql.translate.scalars.typed import Typed

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["spark_type", "translate_cast"]

_NAMES = {
    "timestamp_ltz": "timestamp", "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint",
    "real": "float", "decimal": "decimal(10,0)", "text": "string", "varchar": "string", "char": "string",
}  # fmt: skip


def spark_type(node: exp.Expr) -> str:
    """Spark's simple string for a type; field names keep their case."""
    written = re.sub(r"\s*([<>:,()])\s*", r"\1", text(node))
    whole = re.sub(r"[A-Z_]+(?![^<>(),:]*:)", lambda word: word[0].lower(), written)
    whole = re.sub(r"decimal\((\d+)\)", r"decimal(\1,0)", whole)
    whole = re.sub(r"decimal(?!\()", "decimal(10,0)", whole)
    return _NAMES.get(whole, whole)


def translate_cast(reader: Expressions, node: exp.Cast) -> Typed:
    """CAST(x AS type), x::type, DATE '...'; sqlglot reads a plain CAST as a TryCast that is not `safe`."""
    kind = spark_type(node.to)
    if moving_literal(node.this, kind):
        calls.refuse_moment(reader.notes, node, f"{kind} '{node.this.name}'")
    constant = None if node.args.get("safe") else constant_cast(node.this, kind)
    if constant is not None:
        return constant
    value = reader.translate(node.this)
    function = "try_cast" if node.args.get("safe") else "cast"
    expr = Call(function, (value.expr,), f"{function.upper()}({{0}} AS {escaped(text(node.to))})")
    return Typed(expr, kind, value.nullable or function == "try_cast" or kind != value.type)
