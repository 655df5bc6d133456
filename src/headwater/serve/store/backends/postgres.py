"""The store in a PostgreSQL database, or in one that speaks its protocol and spreads ranges over machines.

    store: postgres://user:${PASSWORD}@host/database        in headwater.yml

The tables are those of the SQLite store, in a schema named after the project; bytea sorts by bytes, as keys
do.  Many gets are one message.  Readers see a repeatable snapshot; writers wait for each other (an advisory
lock), so that runs and early writes of several machines are one after the other.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from headwater.errors import RefusedError, redact
from headwater.serve.store.backends.connected import Connected
from headwater.serve.store.backends.shapes import POSTGRES, NothingStored, Shapes
from headwater.serve.store.backends.sql_store import SqlStore
from headwater.serve.store.protocol import Snapshot, Writing

__all__ = ["PostgresStore"]

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS hw_parts (id text PRIMARY KEY, text text NOT NULL, ready int NOT NULL)",
    "CREATE TABLE IF NOT EXISTS hw_times (relation text PRIMARY KEY, time bigint NOT NULL)",
    "CREATE TABLE IF NOT EXISTS hw_early (relation text, time bigint, PRIMARY KEY (relation, time))",
    "CREATE TABLE IF NOT EXISTS hw_layout (version bigint NOT NULL)",
    "INSERT INTO hw_layout SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM hw_layout)",
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A connection with `?` for parameters."""

    connection: psycopg.Connection[Any]

    def execute(self, text: str, values: Sequence[Any] = (), /) -> Any:
        return self.connection.execute(text.replace("?", "%s").encode(), values or None)

    def executemany(self, text: str, records: Sequence[Sequence[Any]], /) -> Any:
        with self.connection.cursor() as cursor:
            cursor.executemany(text.replace("?", "%s").encode(), records)


@dataclass(slots=True)
class PostgresStore(SqlStore):
    """Implements KeptStore."""

    uri: str = field(repr=False)
    project: str
    shapes: Shapes = field(default_factory=lambda: Shapes(POSTGRES))
    _pool: list[psycopg.Connection[Any]] = field(default_factory=list)
    _made: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def schema(self) -> str:
        return "headwater_" + re.sub(r"\W", "_", self.project.lower())

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        with self._connected() as connection:
            asked = _Asked(connection)
            if not self._is_made(asked):
                yield NothingStored()
                return
            asked.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield Connected(self.shapes, asked)
            finally:
                asked.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        with self._lock, self._connected() as connection:
            asked = _Asked(connection)
            self._make(asked)
            asked.execute("BEGIN")
            try:
                asked.execute("SELECT pg_advisory_xact_lock(?)", (zlib.crc32(self.schema.encode()),))
                yield Connected(self.shapes, asked)
            except BaseException:
                asked.execute("ROLLBACK")
                raise
            asked.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of the pool; one that failed is not used again."""
        try:
            connection = self._pool.pop() if self._pool else self._connect()
        except psycopg.Error as error:
            raise RefusedError(
                "HW441",
                f"the store does not answer: {redact(str(error)).strip()}",
                hint="See that the server of `store` in headwater.yml is up and lets this user in.",
            ) from error
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._pool.append(connection)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self.uri, autocommit=True)
        connection.execute(f"SET search_path = {self.schema}".encode())
        connection.execute(b"SET synchronous_commit = off")
        return connection

    def _is_made(self, asked: _Asked) -> bool:
        if not self._made:
            text = "SELECT to_regclass(?) IS NOT NULL"
            self._made = bool(asked.execute(text, (f"{self.schema}.hw_layout",)).fetchone()[0])
        return self._made

    def _make(self, asked: _Asked) -> None:
        if not self._is_made(asked):
            asked.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            for statement in _SCHEMA:
                asked.execute(statement)
            self._made = True

    def parts(self) -> dict[str, str]:
        with self._connected() as connection:
            asked = _Asked(connection)
            if not self._is_made(asked):
                return {}
            return dict(asked.execute("SELECT id, text FROM hw_parts").fetchall())

    def size(self) -> int:
        text = (
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'"
        )
        with self._connected() as connection:
            return int(_Asked(connection).execute(text, (self.schema,)).fetchone()[0])

    def close(self) -> None:
        while self._pool:
            self._pool.pop().close()
