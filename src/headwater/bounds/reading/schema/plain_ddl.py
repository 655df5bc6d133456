"""CREATE TABLE, ALTER TABLE, CREATE INDEX and CREATE VIEW of any dialect, as sqlglot reads them.

`sql` reads Headwater's own DDL, with its limits and TEMPORAL columns.  A linter also meets the schemas people
have: dumps of PostgreSQL or MySQL, with keys added by ALTER TABLE.  What constrains rows is taken, what does
not is passed over, and what takes a constraint away is not analysed: a bound that relies on it would be
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from headwater.bounds.query.catalog import is_whole
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.schema.column_types import declared_type
from headwater.bounds.reading.schema.domains import checked_domains, type_domain
from headwater.bounds.reading.schema.qualified import declared_name, qualified_name, schema_of
from headwater.bounds.reading.schema.unique_terms import UniqueIndex
from headwater.errors import Place
from headwater.model import Cardinality, Column, ForeignKey, Table
from headwater.sql.parsing.names import spelling

__all__ = [
    "altered",
    "indexed",
    "is_temporary",
    "keys_on_expressions",
    "limited",
    "table_of",
    "unchecked",
    "unconstrained",
    "view_query",
    "with_unique_index",
]


Enums = Mapping[str, int]  # types of few values, by their names in small letters
Schemas = Mapping[str, str]  # of tables, by their names in small letters


def table_of(tree: exp.Create, tables: Mapping[str, Table], enums: Enums, place: Place | None) -> Table:
    """The table of a CREATE TABLE with columns; a partition is a table like the one it is part of."""
    whole = tree.find(exp.PartitionedOfProperty)
    parent = spelling(whole.this.name, tables) if whole is not None else None
    if parent is not None:
        target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        return replace(tables[parent], name=target.name, place=place)
    schema = tree.this
    nodes = schema.expressions if isinstance(schema, exp.Schema) else []
    columns = [node for node in nodes if isinstance(node, exp.ColumnDef)]
    if not columns or not isinstance(schema.this, exp.Table):
        raise NotAnalysed("a table needs a list of columns to be analysed", place)
    table = Table(schema.this.name, _inherited(tree, tables), place=place)
    for node in nodes:  # a bare name is a column of SQLite's without a type
        column = exp.ColumnDef(this=node.copy()) if isinstance(node, exp.Identifier) else node
        if isinstance(column, exp.ColumnDef):
            table = _with_column(table, column, enums)
    for node in nodes:
        if not isinstance(node, exp.ColumnDef | exp.Identifier):
            table = _with_constraint(table, node)
    return table


def parents_of(tree: exp.Create) -> Iterator[str]:
    """The tables that a table INHERITS from: reading them reads its rows too, and no key spans both."""
    for clause in tree.find_all(exp.InheritsProperty):
        yield from (parent.name for parent in clause.expressions)


def _inherited(tree: exp.Create, tables: Mapping[str, Table]) -> tuple[Column, ...]:
    names = (spelling(parent, tables) for parent in parents_of(tree))
    return tuple(column for name in names if name is not None for column in tables[name].columns)


def unconstrained(table: Table) -> Table:
    """The table without what its declarations say of rows: after a change that is not understood."""
    columns = tuple(replace(column, nullable=True, values=None) for column in table.columns)
    return Table(table.name, columns, place=table.place)


def unchecked(table: Table) -> Table:
    """The table without the numbers of values that its columns have, of which some are not enforced."""
    return replace(table, columns=tuple(replace(column, values=None) for column in table.columns))


def limited(table: Table, limit: Cardinality, place: Place | None) -> Table:
    """The table with a limit on the rows of one value of some of its columns."""
    names = _spelt(table, limit.columns)
    unknown = next((name for name in names if name not in table.column_names), None)
    if unknown is not None:
        raise NotAnalysed(f'CARDINALITY LIMIT names a column "{unknown}" that the table does not have', place)
    return replace(table, cardinalities=(*table.cardinalities, replace(limit, columns=names)))


def is_temporary(tree: exp.Create) -> bool:
    return tree.find(exp.TemporaryProperty) is not None


def view_query(tree: exp.Create, place: Place | None) -> exp.Expr:
    """The SELECT of a CREATE VIEW, under the column names that the view gives."""
    query = tree.expression
    if not isinstance(query, exp.Query):
        raise NotAnalysed("this view has no SELECT that is understood", place)
    if not isinstance(tree.this, exp.Schema):
        return query
    names = [exp.to_identifier(column.name) for column in tree.this.expressions]
    alias = exp.TableAlias(this=exp.to_identifier(tree.this.this.name), columns=names)
    return exp.select("*").from_(exp.Subquery(this=query.copy(), alias=alias))


def altered(tree: exp.Alter, tables: dict[str, Table], schemas: Schemas, place: Place | None) -> None:
    """ALTER TABLE: what is added is taken."""
    name = declared_name(tree.this, tables, schemas) if isinstance(tree.this, exp.Table) else None
    if name is None:
        if tree.args.get("exists"):
            return
        raise _no_table(tree.this, place)
    for action in () if tree.args.get("not_valid") else tree.args.get("actions") or []:
        tables[name] = _after(tables[name], action, place)


def indexed(
    tree: exp.Create, tables: Mapping[str, Table], schemas: Schemas, place: Place | None
) -> UniqueIndex | None:
    """CREATE UNIQUE INDEX is a constraint; other indexes only speed up what is bounded already."""
    index = tree.this
    if not tree.args.get("unique") or not isinstance(index, exp.Index):
        return None
    target = index.args.get("table")
    name = declared_name(target, tables, schemas) if target is not None else None
    if name is None:
        raise _no_table(target or index, place)
    params = index.args.get("params") or exp.IndexParameters()
    terms = tuple(_unordered(column) for column in params.args.get("columns") or [])
    where = params.args.get("where")
    return UniqueIndex(name, terms, where.this if where is not None else None) if terms else None


def keys_on_expressions(tree: exp.Create, table: str) -> dict[str, UniqueIndex]:
    """MySQL's UNIQUE KEY name ((LOWER(email))), by their names."""
    keys: dict[str, UniqueIndex] = {}
    for node in tree.find_all(exp.UniqueColumnConstraint):
        if _is_on_expressions(node) and _is_enforced(node) and not _is_deferrable(node):
            terms = tuple(term.unnest() for term in map(_unordered, node.this.expressions))
            columns = (exp.Column(this=term) if isinstance(term, exp.Identifier) else term for term in terms)
            keys[node.this.name.lower() or f"{table} {len(keys)}"] = UniqueIndex(table, tuple(columns), None)
    return keys


def _is_on_expressions(key: exp.UniqueColumnConstraint) -> bool:
    return isinstance(key.this, exp.Schema) and any(
        isinstance(_unordered(term), exp.Paren) for term in key.this.expressions
    )


def with_unique_index(table: Table, index: UniqueIndex) -> Table:
    """The table with the key that an index of plain columns is; others are for the catalog."""
    plain = index.where is None and all(isinstance(term, exp.Column) for term in index.terms)
    return _unique(table, _names(index.terms)) if plain else table


def _no_table(node: exp.Expr, place: Place | None) -> NotAnalysed:
    return NotAnalysed(f'no table "{node.name}" is declared before it in the file', place)


def _after(table: Table, action: exp.Expr, place: Place | None) -> Table:
    """The table after one action of an ALTER TABLE."""
    match action:
        case exp.ColumnDef():
            return _with_column(table, action, {})
        case exp.AddConstraint():
            for constraint in action.expressions:
                table = _with_constraint(table, constraint)
            return table
        case exp.AlterColumn() if action.args.get("dtype") is not None:
            return _retyped(table, exp.ColumnDef(this=action.this.copy(), kind=action.args["dtype"].copy()))
        case exp.AlterColumn():
            return _nullable(table, action.name) if action.args.get("allow_null") else table
        case exp.ModifyColumn() if action.args.get("rename_from") is None:
            table = _retyped(table, action.this)
            return table if _is_certain(action.this) else _nullable(table, action.this.name)
        case exp.Constraint() | exp.PrimaryKey() | exp.UniqueColumnConstraint() | exp.ForeignKey():
            return _with_constraint(table, action)
        case _:
            text = "this change of a table is not understood, so nothing declared of the table counts"
            raise NotAnalysed(text, place)


def _nullable(table: Table, name: str) -> Table:
    columns = tuple(
        replace(column, nullable=column.nullable or column.name.lower() == name.lower())
        for column in table.columns
    )
    return replace(table, columns=columns)


def _retyped(table: Table, node: exp.ColumnDef) -> Table:
    """The table with another type of a column; how many values it can have is no longer known."""
    columns = tuple(
        replace(column, type=declared_type(node), values=None)
        if column.name.lower() == node.name.lower()
        else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def _is_certain(node: exp.ColumnDef) -> bool:
    """Is it declared NOT NULL?"""
    constraints = (constraint.kind for constraint in node.args.get("constraints") or [])
    return any(
        isinstance(constraint, exp.NotNullColumnConstraint) and not constraint.args.get("allow_null")
        for constraint in constraints
    )


def _with_column(table: Table, node: exp.ColumnDef, enums: Enums) -> Table:
    kind = node.args.get("kind")
    constraints = [constraint.kind for constraint in node.args.get("constraints") or []]
    column = Column(node.name, declared_type(node), not _is_certain(node), values=type_domain(kind, enums))
    table = replace(table, columns=(*table.columns, column))
    for constraint in constraints:
        table = _with_column_constraint(table, constraint, (node.name,))
    return table


def _is_enforced(constraint: exp.Expr) -> bool:
    """NOT ENFORCED constraints are wishes: rows that break them are accepted."""
    return "NOT ENFORCED" not in (constraint.args.get("options") or ())


def _is_deferrable(key: exp.Expr) -> bool:
    """A key that holds when a transaction ends: until then it may write any number of rows of one key.

    PostgreSQL's planner does not rely on such a key either.  A reference that is checked so late counts: a
    row without a partner stops the answer, and costs nothing.
    """
    return any(option in ("DEFERRABLE", "INITIALLY DEFERRED") for option in key.args.get("options") or ())


def _with_column_constraint(table: Table, kind: exp.Expr | None, columns: tuple[str, ...]) -> Table:
    if kind is not None and not _is_enforced(kind):
        return table
    match kind:
        case exp.PrimaryKeyColumnConstraint() | exp.UniqueColumnConstraint() if _is_deferrable(kind):
            return table
        case exp.PrimaryKeyColumnConstraint():
            return _keyed(table, columns)
        case exp.UniqueColumnConstraint() if kind.this is None:
            return _unique(table, columns)
        case exp.Reference():
            return _referring(table, kind, columns)
        case exp.CheckColumnConstraint():
            return _checked(table, kind.this)
        case _:
            return table


def _checked(table: Table, condition: exp.Expr) -> Table:
    """CHECK limits how many values its columns can have."""
    whole = [column.name for column in table.columns if is_whole(column)]
    sizes = {name.lower(): size for name, size in checked_domains(condition, whole)}
    columns = (
        replace(column, values=sizes.get(column.name.lower(), column.values)) for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _with_constraint(table: Table, node: exp.Expr) -> Table:
    """A table constraint, named or not."""
    if not _is_enforced(node):
        return table
    match node:
        case exp.Constraint():
            for constraint in node.expressions:
                table = _with_constraint(table, constraint)
            return table
        case exp.PrimaryKey() | exp.UniqueColumnConstraint() if _is_deferrable(node):
            return table
        case exp.PrimaryKey():
            return _keyed(table, _names(node.expressions))
        case exp.UniqueColumnConstraint() if isinstance(node.this, exp.Schema):
            return table if _is_on_expressions(node) else _unique(table, _names(node.this.expressions))
        case exp.CheckColumnConstraint() | exp.Check():
            return _checked(table, node.this)
        case exp.ForeignKey():
            reference = node.args.get("reference")
            return _referring(table, reference, _names(node.expressions)) if reference is not None else table
        case _:
            return table


def _names(nodes: Iterable[exp.Expr]) -> tuple[str, ...]:
    return tuple(_unordered(node).name for node in nodes)


def _unordered(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Ordered) else node


def _spelt(table: Table, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(spelling(name, table.column_names) or name for name in names)


def _unique(table: Table, names: tuple[str, ...]) -> Table:
    return replace(table, unique=(*table.unique, _spelt(table, names)))


def _keyed(table: Table, names: tuple[str, ...]) -> Table:
    key = _spelt(table, names)
    columns = tuple(
        replace(column, nullable=column.nullable and column.name not in key) for column in table.columns
    )
    return replace(table, key=key, columns=columns)


def _referring(table: Table, node: exp.Expr, columns: tuple[str, ...]) -> Table:
    target = node.this
    referenced = _names(target.expressions) if isinstance(target, exp.Schema) else ()
    node = target.this if isinstance(target, exp.Schema) else target
    reference = ForeignKey(_spelt(table, columns), qualified_name(node.name, schema_of(node)), referenced)
    return replace(table, foreign_keys=(*table.foreign_keys, reference))
