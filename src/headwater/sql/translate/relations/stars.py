"""*, t.* and * EXCEPT (a): which fields they stand for."""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.parsing.names import same_name, spelling
from headwater.sql.translate.relations.scope import Field, Scope, field_access
from headwater.sql.translate.scalars.types import fields

__all__ = ["is_star", "star_fields", "star_names"]


def is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def star_fields(scope: Scope, node: exp.Expr) -> tuple[Field, ...]:
    """The fields that a star stands for, in order; t.* also sees what USING has merged away."""
    qualifier = node.text("table") if isinstance(node, exp.Column) else ""
    inside = _struct_fields(scope, node, qualifier)
    if inside:
        return inside
    if qualifier and not scope.has_relation(qualifier) and not scope.open:
        relations = list(dict.fromkeys(field.qualifier for field in scope.fields if field.qualifier))
        scope.notes.unknown("HW301", node, "unknown relation", qualifier, relations)
    chosen = [
        field
        for field in scope.fields
        if (same_name(field.qualifier, qualifier) if qualifier else not field.hidden)
    ]
    return tuple(field for field in chosen if field.name.lower() not in _left_out(scope, node, chosen))


def _struct_fields(scope: Scope, node: exp.Expr, qualifier: str) -> tuple[Field, ...]:
    """w.*, where w is no relation but a column with fields."""
    if not qualifier or scope.has_relation(qualifier):
        return ()
    value = scope.resolve([qualifier], node)
    if value is None:
        return ()
    names = fields(value.type)
    return tuple(Field("", name, field_access(scope.notes, value, [name], node)) for name in names)


def _left_out(scope: Scope, node: exp.Expr, chosen: list[Field]) -> set[str]:
    star = node if isinstance(node, exp.Star) else node.this
    names: set[str] = set()
    columns = [field.name for field in chosen]
    for column in star.args.get("except_") or ():
        if spelling(column.name, columns) is None and not scope.open:
            scope.notes.unknown("HW302", column, "unknown column", column.name, columns)
        names.add(column.name.lower())
    return names


def star_names(scope: Scope, node: exp.Expr) -> list[exp.Expr]:
    """A function's argument; a star among the arguments becomes the columns it stands for."""
    if not is_star(node):
        return [node]
    return [
        exp.column(field.name, table=field.qualifier or None, quoted=True)
        for field in star_fields(scope, node)
    ]
