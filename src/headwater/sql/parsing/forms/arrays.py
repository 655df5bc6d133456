"""ARRAY['a', 'b'] as array('a', 'b'); array[0] is an element of a column of that name."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["array_in_brackets"]


def array_in_brackets(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Bracket) or len(node.expressions) < 2:
        return None
    column = node.this
    if not isinstance(column, exp.Column) or column.table or column.name.lower() != "array":
        return None
    return exp.Anonymous(this="array", expressions=[part.copy() for part in node.expressions])
