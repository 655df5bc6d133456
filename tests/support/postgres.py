"""A PostgreSQL server that can be stopped and started, and what tests ask of a capture."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
from psycopg import sql

from headwater.capture.polling import Polled
from headwater.capture.postgres.capture import PostgresCapture
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate
from support.planted import PLANTED


class Server:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0
        self._server: Any = None

    def start(self) -> None:
        import pgserver

        self._server = pgserver.get_server(self.folder, cleanup_mode="stop")

    def stop(self) -> None:
        if self._server is not None:
            self._server.cleanup()
            self._server = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def ensure(self) -> None:
        if self._server is None:
            self.start()

    def set(self, name: str, value: str) -> None:
        self._server.psql(f"ALTER SYSTEM SET {name} = '{value}'")

    def uri(self, database: str = "postgres") -> str:
        return f"postgresql://postgres:{PLANTED}@/{database}?host={self.folder}"


def table(uri: str, name: str, *columns: tuple[str, str], **options: str) -> Table:
    """A table captured from public.<name> unless options say otherwise."""
    declared = tuple(Column(column, kind) for column, kind in columns)
    return Table(name, declared, provider="postgres", options={"uri": uri, **options})


def capture(warehouse: Warehouse, *tables: Table) -> PostgresCapture:
    return PostgresCapture(Warehouse(warehouse.root), "shop", tables, SystemClock())


def drain(source: PostgresCapture) -> int:
    """Poll until nothing is behind; the number of changes. An error raises."""
    changes = 0
    while True:
        polled: Polled = source.poll()
        if polled.error is not None:
            raise polled.error
        changes += polled.changes
        if not polled.behind:
            return changes


def rows_of(warehouse: Warehouse, name: str, until: int = 1 << 62) -> Counter[tuple[Any, ...]]:
    timeline = Warehouse(warehouse.root).source(name)
    zset = consolidate(timeline.read(timeline.as_of(until)))
    names = [name for name in zset.column_names if name != WEIGHT]
    rows = Counter({tuple(row[name] for name in names): row[WEIGHT] for row in zset.to_pylist()})
    assert all(weight > 0 for weight in rows.values()), "a row was retracted that was not there"
    return rows


def rows_in_postgres(
    connection: psycopg.Connection[Any], name: str, *columns: str
) -> Counter[tuple[Any, ...]]:
    names = sql.SQL(", ").join(map(sql.Identifier, columns)) if columns else sql.SQL("*")
    query = sql.SQL("SELECT {} FROM {}").format(names, sql.Identifier(name))
    return Counter(connection.execute(query).fetchall())


def drained_notes(source: PostgresCapture) -> list[str]:
    """Poll until nothing is behind; what a user is told meanwhile. An error raises."""
    notes: list[str] = []
    while True:
        polled = source.poll()
        notes += polled.notes
        if polled.error is not None:
            raise polled.error
        if not polled.behind:
            return notes
