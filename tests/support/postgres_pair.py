"""Two small tables, a and b, in PostgreSQL and as a project declares them."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from headwater.model import Table
from headwater.storage.warehouse import Warehouse
from support.postgres import rows_in_postgres, rows_of, table


def create_pair(connection: psycopg.Connection[Any], rows: int = 2) -> None:
    """Rows (1, 1), (2, 2), ... in a, and (1, 1) in b."""
    for name, count in (("a", rows), ("b", 1)):
        create = sql.SQL("CREATE TABLE {} (id int PRIMARY KEY, n int)")
        connection.execute(create.format(sql.Identifier(name)))
        fill = sql.SQL("INSERT INTO {} SELECT g, g FROM generate_series(1, {}) g")
        connection.execute(fill.format(sql.Identifier(name), count))


def pair(uri: str, *more: tuple[str, str], **options: str) -> list[Table]:
    """Both tables; `more` columns and options are those of a."""
    return [
        table(uri, "a", ("id", "int"), ("n", "int"), *more, **options),
        table(uri, "b", ("id", "int"), ("n", "int")),
    ]


def assert_equal(warehouse: Warehouse, connection: psycopg.Connection[Any], *names: str) -> None:
    """What was captured of these tables, by default of both, is what PostgreSQL has."""
    for name in names or ("a", "b"):
        assert rows_of(warehouse, name) == rows_in_postgres(connection, name), name
