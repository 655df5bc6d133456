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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.serve.store.backends.connected import Connected
from headwater.serve.store.backends.shapes import SQLITE, NothingStored, Shapes
from headwater.serve.store.protocol import Part, Snapshot, Writing

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
_PATIENCE_S = 30.0
_CACHE_KB = 65_536


@dataclass(slots=True)
class SqliteStore:
    """Implements KeptStore. Any number of threads may read; one at a time writes."""

    path: str
    shapes: Shapes = field(default_factory=lambda: Shapes(SQLITE))
    _pool: list[sqlite3.Connection] = field(default_factory=list)
    _writer: sqlite3.Connection | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    # Reading

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        connection = self._reader()
        if connection is None:
            yield NothingStored()
            return
        try:
            connection.execute("BEGIN")
            try:
                yield Connected(self.shapes, connection)
            finally:
                connection.execute("ROLLBACK")
        except BaseException:
            connection.close()
            raise
        self._pool.append(connection)

    def _reader(self) -> sqlite3.Connection | None:
        try:
            return self._pool.pop()
        except IndexError:
            return _connect(self.path, "rw") if os.path.exists(self.path) else None

    def times(self) -> dict[str, int]:
        with self.snapshot() as snapshot:
            return snapshot.times()

    def parts(self) -> dict[str, str]:
        connection = self._writing_connection()
        return dict(connection.execute("SELECT id, text FROM hw_parts").fetchall())

    def know(self, parts: Iterable[Part]) -> None:
        self.shapes.know(parts)

    def size(self) -> int:
        paths = (self.path, self.path + "-wal")
        return sum(os.path.getsize(path) for path in paths if os.path.exists(path))

    def close(self) -> None:
        while self._pool:
            self._pool.pop().close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # Writing

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        with self._lock:
            connection = self._writing_connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield Connected(self.shapes, connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._writer = _connect(self.path, "rwc")
            self._writer.executescript(_SCHEMA)
        return self._writer


def _connect(path: str, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?mode={mode}",
        uri=True, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False, cached_statements=512,
    )  # fmt: skip
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    connection.execute("PRAGMA mmap_size = 1073741824")
    return connection


def _quoted(path: str) -> str:
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
