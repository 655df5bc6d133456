"""How many values a column can have, where the schema says: ENUM types and CHECK (column IN (...))."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

__all__ = ["checked_domains", "enum_size", "type_domain"]


def enum_size(tree: exp.Create) -> int | None:
    """The number of values of a CREATE TYPE ... AS ENUM."""
    return _enum(tree.expression)


def type_domain(kind: exp.Expr | None, enums: Mapping[str, int]) -> int | None:
    """The number of values of a column's type, if it is an ENUM."""
    size = _enum(kind)
    if size is None and isinstance(kind, exp.DataType):
        named = kind.args.get("kind") or kind.this
        name = named.name if isinstance(named, exp.Expr) else str(named)
        return enums.get(name.strip('"').lower())
    return size


def _enum(kind: exp.Expr | None) -> int | None:
    is_enum = isinstance(kind, exp.DataType) and kind.this is exp.DataType.Type.ENUM
    return len(kind.expressions) if is_enum and kind is not None and kind.expressions else None


def checked_domains(check: exp.Expr | None) -> Iterator[tuple[str, int]]:
    """Columns that a CHECK limits to so many values: col IN (...), col = ANY (ARRAY[...])."""
    if check is None:
        return
    for condition in check.flatten() if isinstance(check, exp.And) else [check]:
        condition = _bare(condition)
        column = _bare(condition.this) if isinstance(condition.this, exp.Expr) else None
        if not isinstance(column, exp.Column | exp.Identifier):
            continue
        size = _size(condition)
        if size is not None:
            yield column.name, size


def _size(condition: exp.Expr) -> int | None:
    match condition:
        case exp.In() if condition.expressions and all(map(_is_constant, condition.expressions)):
            return len(condition.expressions)
        case exp.EQ() if isinstance(_bare(condition.expression), exp.Any):
            values = _bare(_bare(condition.expression).this)
            constant = isinstance(values, exp.Array) and all(map(_is_constant, values.expressions))
            return len(values.expressions) if constant else None
        case _:
            return None


def _bare(node: exp.Expr) -> exp.Expr:
    """Without parentheses and casts, which pg_dump writes around everything."""
    while isinstance(node, exp.Paren | exp.Cast) and isinstance(node.this, exp.Expr):
        node = node.this
    return node


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(_bare(node), exp.Literal)
