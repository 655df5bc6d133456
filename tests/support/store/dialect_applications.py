"""Applications written for other databases as projects of Headwater: their tables, and the queries that have a bound there.

What a database declares beyond our DDL (CHECK, ENUM, unique indexes on expressions) is lost on the way, and queries
whose bound rests on it drop out; the others ask the same of the same rows, in our SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.bounds.answers.check import check
from headwater.bounds.reading.expressions.leaves import numbered_parameters, parameter_of
from headwater.bounds.reading.inputs import Inputs, NamedTree
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.model import Column, ForeignKey, Table
from support.store.applications import Rows, ddl

_TYPES = {
    "tinyint": "int", "smallint": "int", "int": "int", "bigint": "bigint", "boolean": "boolean", "double": "double",
    "float": "double", "date": "date", "decimal": "decimal(12,2)", "numeric": "decimal(12,2)",
}  # fmt: skip


@dataclass(frozen=True)
class Application:
    tables: dict[str, Table]
    queries: dict[str, str]
    literals: Mapping[str, list[Any]]  # what the queries compare columns with, by the names of these

    @property
    def text(self) -> str:
        queries = (f"CREATE QUERY {name} AS {sql};" for name, sql in self.queries.items())
        return "\n".join([*map(ddl, self.tables.values()), *queries])


def application(path: Path) -> Application:
    text = path.read_text()
    dialect = re.match(r"-- dialect: (\w+)", text)
    inputs = read_sql(text, path.name, dialect[1] if dialect else "")
    tables = {
        table.name: table for table in map(_as_ours, inputs.tables.values()) if re.match(r"\w+$", table.name)
    }
    tables = {
        name: replace(table, foreign_keys=tuple(_known_references(table, tables)))
        for name, table in tables.items()
    }
    trees = [query.tree for query in inputs.queries if query.tree is not None]
    written = {query.name: sql for query in inputs.queries if (sql := _in_our_sql(query)) is not None}
    return Application(tables, dict(_answerable(tables, written)), _literals(trees))


def _as_ours(table: Table) -> Table:
    columns = tuple(
        Column(c.name, _type(c.type), c.nullable and c.name not in table.key) for c in table.columns
    )
    return replace(table, columns=columns, place=None)


def _type(declared: str) -> str:
    name = re.split(r"[ (]", declared.lower())[0]
    return "timestamp" if name.startswith(("timestamp", "datetime")) else _TYPES.get(name, "string")


def _known_references(table: Table, tables: Mapping[str, Table]) -> Iterator[ForeignKey]:
    for key in table.foreign_keys:
        target = tables.get(key.table)
        columns = key.referenced or (target.key if target is not None else ())
        order = list(tables)
        is_earlier = target is not None and order.index(target.name) < order.index(
            table.name
        )  # none in a circle
        if is_earlier and len(columns) == len(key.columns):
            yield replace(key, referenced=columns)


def _in_our_sql(query: NamedTree) -> str | None:
    """The query as Spark writes it, with named parameters; None of a write, and of what it cannot write."""
    firsts = query.tree.find_all(exp.Distinct) if isinstance(query.tree, exp.Query) else None
    if firsts is None or any(
        first.args.get("on") for first in firsts
    ):  # a LIMIT around them would move inside
        return None
    tree = numbered_parameters(query.tree)
    for mark in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        name = re.sub(r"\W", "", parameter_of(mark).name)
        mark.replace(exp.Placeholder(this=f"p{name}"))
    for table in tree.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    for lock in [part for part in tree.walk() if part.args.get("locks")]:
        lock.set("locks", None)
    try:
        return tree.sql(dialect="spark")
    except (ValueError, SqlglotError):  # a form that Spark does not have
        return None


def _answerable(tables: Mapping[str, Table], written: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The queries that have a level in the schema that is left."""
    schema = "\n".join(map(ddl, tables.values()))
    for name, sql in written.items():
        try:
            inputs: Inputs = read_sql(f"{schema}\nCREATE QUERY {name} AS {sql};", "all.sql")
            (answer,) = check(inputs, Options(), advice=False)
        except Exception:  # noqa: BLE001  what our own SQL does not have
            continue
        if answer.level.value.startswith("SI"):
            yield f"ask_{name}", sql  # beside tables that may have its name


def _literals(trees: Iterable[exp.Expr]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for tree in trees:
        for node in tree.find_all(exp.EQ, exp.In):
            values = node.expressions if isinstance(node, exp.In) else [node.expression]
            texts = [value.name for value in values if isinstance(value, exp.Literal) and value.is_string]
            if isinstance(node.this, exp.Column):
                found.setdefault(node.this.name.lower(), []).extend(texts)
    return found


class LikelyRows(Rows):
    """Rows whose texts are often those that the queries ask for."""

    literals: Mapping[str, list[Any]] = {}

    def allowed(self, table: Table, row: Mapping[str, Any]) -> bool:
        """References that share columns must hold together."""
        return super().allowed(table, row) and all(self._refers(row, key) for key in table.foreign_keys)

    def _refers(self, row: Mapping[str, Any], key: ForeignKey) -> bool:
        wanted = [row[name] for name in key.columns]
        if None in wanted:
            return True
        return any([target[name] for name in key.referenced] == wanted for target in self.data[key.table])

    def value_of(self, column: Column) -> Any:
        asked = self.literals.get(column.name.lower()) if column.type == "string" else None
        return self.random.choice(asked) if asked and self.random.random() < 0.7 else super().value_of(column)
