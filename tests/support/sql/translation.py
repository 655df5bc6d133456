"""A view's text evaluated twice: translated and run by the evaluator in plain Python, and by DuckDB as it stands."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import duckdb

from headwater.algebra.oracle.evaluate import Database, evaluate
from headwater.algebra.oracle.zsets import zset
from headwater.algebra.plans.nodes import Version
from headwater.model import Column, SqlText, View
from headwater.sql.translate import translate
from support.sql.random_queries import FLAG, INT, World

SQL_TYPES = {INT: "BIGINT", FLAG: "BOOLEAN"}


def connection(world: World) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute("SET threads = 1")
    for name, columns in world.tables.items():
        listed = ", ".join(f"{column.name} {SQL_TYPES.get(column.type, 'VARCHAR')}" for column in columns)
        database.execute(f"CREATE TABLE {name} ({listed})")
        for row in world.rows[name]:
            database.execute(f"INSERT INTO {name} VALUES ({', '.join('?' for _ in row)})", list(row))
    return database


def contents(world: World) -> Database:
    return {
        (name, Version.NEW): ([column.name for column in columns], zset(world.rows[name]))
        for name, columns in world.tables.items()
    }


def relations(world: World) -> dict[str, list[Column]]:
    spark = {INT: "bigint"}
    return {
        name: [
            Column(column.name, spark.get(column.type, column.type), column.nullable) for column in columns
        ]
        for name, columns in world.tables.items()
    }


def plain(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else value


def by_duckdb(database: duckdb.DuckDBPyConnection, sql: str) -> Counter[tuple[object, ...]]:
    """The text itself, in DuckDB's spelling: not even the parser is shared with the translation."""
    written = sql.replace("`", '"').replace("LEFT SEMI", "SEMI").replace("LEFT ANTI", "ANTI")
    written = written.replace("<=>", "IS NOT DISTINCT FROM").replace("AS string)", "AS VARCHAR)")
    return Counter(tuple(plain(value) for value in row) for row in database.execute(written).fetchall())


def by_headwater(world: World, sql: str, database: Database) -> Counter[tuple[object, ...]]:
    view = View("v", SqlText(sql), timedelta(seconds=1))
    translated = translate(view, relations(world))
    assert translated.obstacles == ()
    assert translated.plan is not None
    assert translated.plan.columns == translated.columns
    result = evaluate(translated.plan, database)
    return Counter({tuple(plain(value) for value in row): weight for row, weight in result.items()})
