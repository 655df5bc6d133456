"""CREATE TABLE, ALTER TABLE and CREATE INDEX of any dialect, as sqlglot reads them, to our tables.

`sql` reads Headwater's own DDL, with its limits and TEMPORAL columns.  A linter also meets the schemas people
have: dumps of PostgreSQL or MySQL, with keys added by ALTER TABLE.  What constrains rows is taken; the rest
is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from headwater.errors import Place
from headwater.model import Column, ForeignKey, Table

__all__ = ["altered", "indexed", "table_of"]


def table_of(tree: exp.Create, place: Place | None) -> Table | None:
    """The table of a CREATE TABLE with columns; None for CREATE TABLE AS and the like."""
    schema = tree.this
    if not isinstance(schema, exp.Schema) or not isinstance(schema.this, exp.Table):
        return None
    columns = [one for one in schema.expressions if isinstance(one, exp.ColumnDef)]
    table = Table(schema.this.name, tuple(_column(one) for one in columns), place=place)
    for one in columns:
        for constraint in one.args.get("constraints") or []:
            table = _constrained(table, constraint.kind, (one.name,))
    for one in schema.expressions:
        if not isinstance(one, exp.ColumnDef):
            table = _with(table, one)
    return table if columns else None


def _column(node: exp.ColumnDef) -> Column:
    kind = node.args.get("kind")
    held = {type(one.kind) for one in node.args.get("constraints") or []}
    certain = exp.NotNullColumnConstraint in held or exp.PrimaryKeyColumnConstraint in held
    return Column(
        node.name, kind.sql("spark").lower() if kind is not None else "string", nullable=not certain
    )


def _constrained(table: Table, kind: exp.Expr | None, columns: tuple[str, ...]) -> Table:
    match kind:
        case exp.PrimaryKeyColumnConstraint():
            return _keyed(table, columns)
        case exp.UniqueColumnConstraint() if kind.this is None:
            return replace(table, unique=(*table.unique, columns))
        case exp.Reference():
            return _referring(table, kind, columns)
        case _:
            return table


def _with(table: Table, node: exp.Expr) -> Table:
    """A table constraint, named or not."""
    match node:
        case exp.Constraint():
            for one in node.expressions:
                table = _with(table, one)
            return table
        case exp.PrimaryKey():
            return _keyed(table, _names(node.expressions))
        case exp.UniqueColumnConstraint() if isinstance(node.this, exp.Schema):
            return replace(table, unique=(*table.unique, _names(node.this.expressions)))
        case exp.ForeignKey():
            reference = node.args.get("reference")
            return _referring(table, reference, _names(node.expressions)) if reference is not None else table
        case _:
            return table


def _names(nodes: Iterable[exp.Expr]) -> tuple[str, ...]:
    found = []
    for node in nodes:
        inner = node.this if isinstance(node, exp.Ordered) else node
        found.append(inner.name)
    return tuple(found)


def _spelled(table: Table, names: tuple[str, ...]) -> tuple[str, ...]:
    folded = {one.lower(): one for one in table.column_names}
    return tuple(folded.get(name.lower(), name) for name in names)


def _keyed(table: Table, names: tuple[str, ...]) -> Table:
    key = _spelled(table, names)
    columns = tuple(replace(one, nullable=one.nullable and one.name not in key) for one in table.columns)
    return replace(table, key=key, columns=columns)


def _referring(table: Table, node: exp.Expr, columns: tuple[str, ...]) -> Table:
    target = node.this
    referenced = _names(target.expressions) if isinstance(target, exp.Schema) else ()
    name = target.this.name if isinstance(target, exp.Schema) else target.name
    reference = ForeignKey(_spelled(table, columns), name, referenced)
    return replace(table, foreign_keys=(*table.foreign_keys, reference))


def altered(tree: exp.Alter, tables: dict[str, Table]) -> None:
    """ALTER TABLE ... ADD a constraint."""
    known = {name.lower(): name for name in tables}
    name = known.get(tree.this.name.lower()) if isinstance(tree.this, exp.Table) else None
    if name is None:
        return
    for action in tree.args.get("actions") or []:
        parts = action.expressions if isinstance(action, exp.AddConstraint) else [action]
        for part in parts:
            tables[name] = _spell_all(_with(tables[name], part))


def _spell_all(table: Table) -> Table:
    return replace(table, unique=tuple(_spelled(table, one) for one in table.unique))


def indexed(tree: exp.Create, tables: dict[str, Table]) -> None:
    """CREATE UNIQUE INDEX is a constraint; other indexes only speed up what is bounded already."""
    index = tree.this
    if not tree.args.get("unique") or not isinstance(index, exp.Index):
        return
    target = index.args.get("table")
    known = {name.lower(): name for name in tables}
    name = known.get(target.name.lower()) if target is not None else None
    params = index.args.get("params")
    parts = params.args.get("columns") if params is not None else None
    plain = parts and all(
        isinstance(one.this if isinstance(one, exp.Ordered) else one, exp.Column) for one in parts
    )
    if name is not None and parts and plain and params is not None and not params.args.get("where"):
        tables[name] = replace(
            tables[name], unique=(*tables[name].unique, _spelled(tables[name], _names(parts)))
        )
