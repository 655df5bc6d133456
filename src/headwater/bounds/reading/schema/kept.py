"""What a database keeps of its own declarations: a constraint that it does not enforce proves nothing.

    clickhouse, snowflake, ...   keys are orders or hints for the optimizer: no declaration counts
    sqlite                       columns hold values of any type, keys may be NULL, references are not checked
    mysql                        REFERENCES beside a column is read and ignored (before MySQL 9)

SQLite's STRICT tables keep types; its INTEGER PRIMARY KEY is a whole number and never NULL.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from headwater.bounds.query.catalog import is_whole
from headwater.bounds.reading.schema.domains import checked_domains
from headwater.model import Cardinality, Column, Table

__all__ = ["DUAL", "KEEPS_NO_KEYS", "as_kept", "without_options"]

KEEPS_NO_KEYS = frozenset({
    "athena", "bigquery", "clickhouse", "databricks", "dremio", "drill", "druid", "fabric", "hive", "presto",
    "redshift", "snowflake", "trino",
})  # fmt: skip
# Oracle's table of one row, in which MySQL's readers believe too
DUAL = Table("dual", (Column("dummy", "string", False),), key=("dummy",), cardinalities=(Cardinality((), 1),))
_OPTION = r"(?:STRICT|WITHOUT\s+ROWID)"
_OPTIONS = re.compile(rf"(?<=\))\s*{_OPTION}(?:\s*,\s*{_OPTION})*\s*$", re.IGNORECASE)
_BYTE = 256  # the values of a TINYINT
_ANY_NUMBER = "double"  # what an INTEGER or BOOLEAN column of SQLite may hold


def without_options(text: str, dialect: str) -> str:
    """A statement without SQLite's options of tables at its end, which the parser does not know."""
    return _OPTIONS.sub("", text) if dialect == "sqlite" else text


def as_kept(table: Table, tree: exp.Create, text: str, dialect: str) -> Table:
    """The declared table without what the database of that dialect does not enforce."""
    match dialect:
        case "sqlite":
            options = _OPTIONS.search(text)
            return _in_sqlite(table, tree, text, options[0].upper() if options is not None else "")
        case "mysql":
            ignored = {column.name.lower() for column in _columns(tree) if _has(column, exp.Reference)}
            return _without_booleans(_without_references(table, ignored), tree)
        case _:
            return table


def _without_references(table: Table, ignored: set[str]) -> Table:
    kept = [key for key in table.foreign_keys if not ({name.lower() for name in key.columns} <= ignored)]
    return replace(table, foreign_keys=tuple(kept))


def _without_booleans(table: Table, tree: exp.Create) -> Table:
    """A BOOLEAN is a byte there, and holds 5 as well as TRUE."""
    names = {
        column.name
        for column in _columns(tree)
        if isinstance(column.kind, exp.DataType) and column.kind.this is exp.DataType.Type.BOOLEAN
    }
    columns = tuple(
        replace(column, type="tinyint", values=_BYTE if column.values is None else column.values)
        if column.name in names
        else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def _in_sqlite(table: Table, tree: exp.Create, text: str, options: str) -> Table:
    table = replace(table, foreign_keys=())
    if "STRICT" in options:
        return table
    certain = {column.name.lower() for column in _columns(tree) if _has(column, exp.NotNullColumnConstraint)}
    if "ROWID" in options:  # WITHOUT ROWID
        certain |= {name.lower() for name in table.key}
    columns = (_loose(column, table, text, certain) for column in table.columns)
    sizes = {name.lower(): size for name, size in _listed(tree)}
    return replace(
        table, columns=tuple(replace(column, values=sizes.get(column.name.lower())) for column in columns)
    )


def _loose(column: Column, table: Table, text: str, certain: set[str]) -> Column:
    """Only a key of type INTEGER, spelt out and ascending, is the number of its row."""
    spelt = rf'{re.escape(column.name)}[\]"`]?\s+INTEGER\b(?!\s+PRIMARY\s+KEY\s+DESC)'
    if table.key == (column.name,) and re.search(spelt, text, re.IGNORECASE):
        return column
    is_number = is_whole(column) or column.type.lower() == "boolean"
    kind = _ANY_NUMBER if is_number else column.type
    return replace(column, type=kind, nullable=column.name.lower() not in certain)


def _listed(tree: exp.Create) -> list[tuple[str, int]]:
    """Columns that a CHECK limits to values it lists; a range holds any number of fractions."""
    checks = tree.find_all(exp.CheckColumnConstraint, exp.Check)
    return [domain for check in checks for domain in checked_domains(check.this, ())]


def _columns(tree: exp.Create) -> list[exp.ColumnDef]:
    return [node for node in tree.this.expressions if isinstance(node, exp.ColumnDef)]


def _has(column: exp.ColumnDef, kind: type[exp.Expr]) -> bool:
    return any(isinstance(constraint.kind, kind) for constraint in column.args.get("constraints") or [])
