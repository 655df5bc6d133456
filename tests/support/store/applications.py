"""Applications as projects with a store: generated data that satisfy the constraints, and what DuckDB answers."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from graphlib import TopologicalSorter
from typing import Any

import duckdb
import pyarrow as pa

from headwater.model import Column, SqlText, Table
from headwater.serve.store.declared import DeclaredQuery
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.delta.types import arrow_schema
from support.store.projects import StoreProject, deleted

WORDS = ("arts", "books", "cats", "delta", "engine", "forest", "green", "harbour")
HOUR = 3_600_000
Data = dict[str, list[dict[str, Any]]]


def ddl(table: Table) -> str:
    """A CREATE TABLE of Headwater's own SQL."""
    parts = [f"`{c.name}` {c.type}{'' if c.nullable else ' NOT NULL'}" for c in table.columns]
    parts += [f"PRIMARY KEY ({', '.join(table.key)})"] if table.key else []
    parts += [f"UNIQUE ({', '.join(names)})" for names in table.unique]
    parts += [
        f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table} ({', '.join(key.referenced)})"
        for key in table.foreign_keys
    ]
    parts += [
        f"CARDINALITY LIMIT {limit.limit} ({', '.join(limit.columns)})" for limit in table.cardinalities
    ]
    return f"CREATE TABLE {table.name} ({', '.join(parts)});"


class Rows:
    """Random rows that satisfy keys, limits and references."""

    def __init__(self, tables: Mapping[str, Table], seed: int) -> None:
        self.tables = tables
        self.random = random.Random(seed)
        self.data: Data = {name: [] for name in tables}

    def fill(self, name: str, count: int) -> list[dict[str, Any]]:
        return [row for _ in range(count) if (row := self.row(name)) is not None]

    def row(self, name: str) -> dict[str, Any] | None:
        """A new row of a table, noted; None if it would break a constraint."""
        table = self.tables[name]
        row = {column.name: self.value_of(column) for column in table.columns}
        for key in table.foreign_keys:
            targets = self.data.get(key.table, [])
            if targets:
                target = self.random.choice(targets)
                columns = key.referenced or self.tables[key.table].key
                row |= {own: target[other] for own, other in zip(key.columns, columns, strict=True)}
        if not self.allowed(table, row):
            return None
        self.data[name].append(row)
        return row

    def allowed(self, table: Table, row: Mapping[str, Any]) -> bool:
        held = self.data[table.name]
        limits = [(key, 1) for key in ((table.key,) if table.key else ()) + table.unique]
        limits += [(limit.columns, limit.limit) for limit in table.cardinalities]
        for columns, most in limits:
            values = [row[name] for name in columns]
            if any(value is None for value in values):
                if columns == table.key:
                    return False
                continue
            if sum([other[name] for name in columns] == values for other in held) >= most:
                return False
        return True

    def value_of(self, column: Column) -> Any:
        return self.value(column.type, column.nullable)

    def value(self, kind: str, nullable: bool) -> Any:
        r = self.random
        if nullable and r.random() < 0.05:
            return None
        match kind:
            case "string":
                return " ".join(r.sample(WORDS, r.choice([1, 1, 2])))
            case "boolean":
                return r.random() < 0.6
            case "double":
                return r.randint(-200, 4000) / 8
            case "date":
                return date(2026, 1, 1) + timedelta(days=r.randint(0, 30))
            case "timestamp":
                return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=r.randint(0, 500))
            case decimal if decimal.startswith("decimal"):
                return Decimal(r.randint(0, 90000)).scaleb(-2)
            case _:
                return r.randint(0, 40)


def parents_first(tables: Mapping[str, Table]) -> list[str]:
    references = {
        name: {key.table for key in table.foreign_keys if key.table != name} for name, table in tables.items()
    }
    return list(TopologicalSorter(references).static_order())


def change(project: StoreProject, rows: Rows) -> None:
    """Some rows go, some change and some come, in every table."""
    order = parents_first(rows.tables)
    referenced = {key.table for table in rows.tables.values() for key in table.foreign_keys}
    for name in reversed(order):
        held = rows.data[name]
        gone = [row for row in held if name not in referenced and rows.random.random() < 0.2]
        for row in gone:
            held.remove(row)
        if gone:
            project.append(name, map(deleted, gone))
    for name in order:
        if new := rows.fill(name, 6):
            project.append(name, new)
        table = rows.tables[name]
        plain = [c for c in table.columns if table.key and c.name not in _constrained(table)]
        updates = []
        for row in rows.random.sample(rows.data[name], min(4, len(rows.data[name]))) if plain else ():
            column = rows.random.choice(plain)
            row[column.name] = rows.value(column.type, column.nullable)
            updates.append({"op": "update", "row": dict(row)})
        if updates:
            project.append(name, updates)


def _constrained(table: Table) -> set[str]:
    names = {*table.key, *(name for unique in table.unique for name in unique)}
    names |= {name for limit in table.cardinalities for name in limit.columns}
    return names | {name for key in table.foreign_keys for name in key.columns}


def parameters(query: DeclaredQuery, rows: Rows) -> dict[str, Any]:
    """Values that the query meets: mostly those of the column that stands beside the parameter."""
    given: dict[str, Any] = {}
    for name, kind, is_list in query.parameters:
        beside = re.search(
            rf"(\w+)\)?\s*(?:=|<>|<=|>=|<|>|LIKE|IN|>= ANY)\s*\(?:{name}\b", query.sql, re.IGNORECASE
        )
        values = [
            row[column.name]
            for table in rows.tables.values()
            for column in table.columns
            if beside and column.name.lower() == beside[1].lower()
            for row in rows.data[table.name]
            if row[column.name] is not None
        ]
        if re.search(rf"(LIMIT|OFFSET) :{name}\b", query.sql, re.IGNORECASE):
            given[name] = rows.random.randint(1, 6)
        elif name == "now":
            given[name] = HOUR - 1  # all times are numbers below an hour: the window holds whole epochs
        elif is_list:
            given[name] = [rows.random.choice(values) for _ in range(3)] if values else []
        elif "word" in name or re.search(rf"TOKEN\(\w+\) = :{name}\b", query.sql, re.IGNORECASE):
            given[name] = rows.random.choice(WORDS)
        else:
            given[name] = rows.random.choice(values) if values else rows.value(kind or "int", nullable=False)
        if re.search(rf"LIKE :{name}\b(?!\s*\|\|)", query.sql, re.IGNORECASE):
            given[name] = str(given[name])[:2] + "%"
    return given


class Duck:
    """The same data in DuckDB."""

    def __init__(self, rows: Rows) -> None:
        self.database = duckdb.connect()
        self.database.execute("SET TimeZone = 'UTC'")
        for name, table in rows.tables.items():
            held = pa.Table.from_pylist(rows.data[name], arrow_schema(table.columns))
            self.database.register(f"held_{name}", held)
            self.database.execute(f"CREATE TABLE {name} AS SELECT * FROM held_{name}")

    def ask(self, sql: str, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        text = in_dialect(SqlText(sql), "duckdb")
        words = r"list_contains(string_split(lower(\1), ' '), lower(\2))"
        text = re.sub(r"TOKEN\((\w+)\) = (\$\w+)", words, text)
        for name, value in given.items():
            if isinstance(value, list):
                text = re.sub(rf"IN \(\${name}\)", f"IN (SELECT UNNEST(${name}))", text)
        used = {name: value for name, value in given.items() if re.search(rf"\${name}\b", text)}
        return self.database.execute(text, used).fetchall()


def same_answer(
    query: DeclaredQuery, given: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], duck: Duck
) -> None:
    """Equal to DuckDB's; under a LIMIT, as many rows, all of them possible."""
    ours = Counter(_plain(row.values()) for row in rows)
    theirs = Counter(_plain(row) for row in duck.ask(query.sql, given))
    limit = re.search(r"\sLIMIT\s+(:\w+|\d+)(\s+OFFSET\s+(:\w+|\d+))?\s*$", query.sql, re.IGNORECASE)
    if limit is None:
        assert ours == theirs, (query.name, given, ours - theirs, theirs - ours)
        return
    assert ours.total() == theirs.total(), (query.name, given, ours, theirs)
    whole = Counter(_plain(row) for row in duck.ask(query.sql[: limit.start()], given))
    assert not ours - whole, (query.name, given, ours - whole)


def _plain(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(round(float(value), 6) if isinstance(value, float | Decimal) else value for value in values)
