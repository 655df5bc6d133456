"""*, t.* and * EXCEPT (a): which fields they stand for."""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.translate.scope import Field, Scope, field_access
from headwater.sql.translate.types import fields

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
        known = list(dict.fromkeys(one.qualifier for one in scope.fields if one.qualifier))
        scope.notes.unknown("HW301", node, "unknown relation", qualifier, known)
    chosen = [
        one
        for one in scope.fields
        if (one.qualifier.lower() == qualifier.lower() if qualifier else not one.hidden)
    ]
    return tuple(one for one in chosen if one.name.lower() not in _left_out(scope, node, chosen))


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
    for one in star.args.get("except_") or ():
        if one.name.lower() not in {field.name.lower() for field in chosen} and not scope.open:
            scope.notes.unknown("HW302", one, "unknown column", one.name, [field.name for field in chosen])
        names.add(one.name.lower())
    return names


def star_names(scope: Scope, node: exp.Expr) -> list[exp.Expr]:
    """A function's argument; a star among the arguments becomes the columns it stands for."""
    if not is_star(node):
        return [node]
    return [
        exp.column(one.name, table=one.qualifier or None, quoted=True) for one in star_fields(scope, node)
    ]
