"""The store in a SQLite file: one clustered table for each part, keys that sort as bytes (keys.py).

    t_<digest>, v_<digest>   a table or a view: key, columns (WITHOUT ROWID: rows lie in the key's order)
    i_<digest>               an index: its parts and the row's key, the columns that it carries
    hw_parts, hw_times       which parts there are and are complete; as of which time relations are held

The write-ahead log lets any number of processes read while one writes: a reader sees the last transaction
that was complete when it began.  A process that is killed leaves its transaction undone.  After a power cut
the last transactions may be missing, never half of one; the run notices by the times and goes on from there.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError
from headwater.serve.store.backends.connected import Connected
from headwater.serve.store.backends.shapes import SQLITE, NothingStored, Shapes
from headwater.serve.store.backends.sql_store import SqlStore
from headwater.serve.store.backends.sqlite_file import (
    connect,
    connect_to_read,
    discard,
    identity,
    is_damage,
    may_write,
)
from headwater.serve.store.protocol import Snapshot, Writing

__all__ = ["SqliteStore"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS hw_parts (
  id TEXT PRIMARY KEY, text TEXT NOT NULL, ready INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hw_times (relation TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hw_early (
  relation TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (relation, time)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hw_layout (version INTEGER NOT NULL);
INSERT INTO hw_layout SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM hw_layout);
"""
_KNOWN = "SELECT count(*) FROM sqlite_master WHERE name = 'hw_times'"


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection, and which file it goes on with."""

    connection: sqlite3.Connection
    file: int | None  # None: for one use only


@dataclass(slots=True)
class SqliteStore(SqlStore):
    """Implements KeptStore. Any number of threads may read; one at a time writes."""

    path: str
    shapes: Shapes = field(default_factory=lambda: Shapes(SQLITE))
    _pool: list[_Opened] = field(default_factory=list)
    _writer: _Opened | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    # Reading

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        opened = self._reader()
        if opened is None:
            yield NothingStored()
            return
        connection = opened.connection
        try:
            connection.execute("BEGIN")
            try:
                yield Connected(self.shapes, connection)
            finally:
                connection.execute("ROLLBACK")
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
                raise self._damaged(error) from error
            raise
        self._pool.append(opened)

    def _reader(self) -> _Opened | None:
        """A connection to the file that is there; None if there is none that can be read."""
        now = identity(self.path)
        while self._pool:
            opened = self._pool.pop()
            if opened.file == now:
                return opened
            opened.connection.close()
        return None if now is None else self._opened(now)

    def _opened(self, file: int) -> _Opened | None:
        writable = may_write(self.path)
        try:
            connection = connect(self.path, "rw") if writable else connect_to_read(self.path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return None
        if not connection.execute(_KNOWN).fetchone()[0]:
            connection.close()
            return None
        return _Opened(connection, file if writable else None)

    def parts(self) -> dict[str, str]:
        connection = self._writing_connection()
        return dict(connection.execute("SELECT id, text FROM hw_parts").fetchall())

    def size(self) -> int:
        paths = (self.path, self.path + "-wal")
        return sum(os.path.getsize(path) for path in paths if os.path.exists(path))

    def close(self) -> None:
        while self._pool:
            self._pool.pop().connection.close()
        self._let_go()

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.connection.close()
            self._writer = None

    # Writing

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        with self._lock:
            connection = self._writing_connection()
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield Connected(self.shapes, connection)
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    raise self._damaged(error) from error
                raise

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is not None and self._writer.file != identity(self.path):
            self._let_go()  # somebody deleted the store: it begins anew
        if self._writer is None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._writer = self._created()
        return self._writer.connection

    def _created(self) -> _Opened:
        try:
            connection = connect(self.path, "rwc")
            connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            discard(self.path, error)
            connection = connect(self.path, "rwc")
            connection.executescript(_SCHEMA)
        return _Opened(connection, identity(self.path))

    def _damaged(self, error: sqlite3.DatabaseError) -> HeadwaterError:
        """What is said of a damaged file; who writes to it lets it go, and begins anew the next time."""
        if self._writer is not None:
            self._let_go()
            discard(self.path, error)
        return HeadwaterError(
            "HW442",
            f"the store {self.path} is damaged",
            detail=str(error),
            hint="Start a run: it loads the store again from what is stored in the warehouse.",
        )
