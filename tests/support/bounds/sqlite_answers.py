"""What SQLite answers to the cases of random_queries: what a bounded plan must give, too."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from headwater.bounds.query.catalog import Catalog
from support.bounds.random_queries import Case


def sqlite_of(catalog: Catalog, data: dict[str, list[dict[str, Any]]]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    for name, table in catalog.tables.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(table.column_names)})")
        slots = ", ".join("?" for _ in table.columns)
        rows = [[row[column] for column in table.column_names] for row in data.get(name, [])]
        connection.executemany(f"INSERT INTO {name} VALUES ({slots})", rows)
    return connection


def ask(connection: sqlite3.Connection, sql: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    given: dict[str, Any] = {}
    for name, value in params.items():
        if isinstance(value, list):
            slots = []
            for number, one in enumerate(value):
                given[f"{name}_{number}"] = one
                slots.append(f":{name}_{number}")
            sql = sql.replace(f"(:{name})", f"({', '.join(slots)})")
        else:
            given[name] = value
    return [tuple(row) for row in connection.execute(sql, given)]


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """SQLite has no booleans, and adds floats in its own order."""
    values = [int(held) if isinstance(held, bool) else held for held in row]
    return tuple(round(value, 9) if isinstance(value, float) else value for value in values)


def check_rows(case: Case, connection: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    """The rows are what SQLite gives; under a LIMIT whose order leaves a choice, a possible answer."""
    rows = [_plain(row) for row in rows]
    expected = [_plain(row) for row in ask(connection, case.sql, case.params)]
    assert len(rows) == len(expected), (rows, expected)
    if case.limit is None:
        assert Counter(rows) == Counter(expected)
    full = Counter(_plain(row) for row in ask(connection, case.unlimited, case.params))
    assert not Counter(rows) - full
    assert [row[: case.order] for row in rows] == [row[: case.order] for row in expected]
