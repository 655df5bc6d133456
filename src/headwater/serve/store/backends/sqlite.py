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
import random
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import Entry, Interval
from headwater.serve.store.backends.entries import entry_keys, range_of, row_key
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.backends.shapes import NothingStored, Shape
from headwater.serve.store.layout import index_id
from headwater.serve.store.protocol import Part, Row, Snapshot, StoredIndex, StoredTable, Writing

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
    _shapes: dict[str, Shape] = field(default_factory=dict)
    _indexes: dict[str, list[StoredIndex]] = field(default_factory=dict)  # by table
    _ids: dict[tuple[int, str], tuple[Index, str]] = field(default_factory=dict)
    _pool: list[sqlite3.Connection] = field(default_factory=list)
    _writer: sqlite3.Connection | None = None
    _ready: tuple[int, frozenset[str]] = (-1, frozenset())
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
                yield _Connected(self, connection)
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

    def size(self) -> int:
        paths = (self.path, self.path + "-wal")
        return sum(os.path.getsize(path) for path in paths if os.path.exists(path))

    def know(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.id not in self._shapes:
                self._shapes[part.id] = Shape.of(part)
                if isinstance(part, StoredIndex):
                    self._indexes.setdefault(part.table, []).append(part)

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
                yield _Connected(self, connection)
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

    # Shapes

    def shape(self, part: str) -> Shape:
        return self._shapes[part]

    def indexes_of(self, table: str) -> Sequence[StoredIndex]:
        return self._indexes.get(table, ())

    def scanned(self, index: Index, table: str) -> Shape:
        """The part that a plan's index is; computing its id takes longer than a read, so it is remembered."""
        if index.primary:
            return self._shapes[table]
        known = self._ids.get((id(index), table))
        if known is None:
            known = self._ids[id(index), table] = (index, index_id(index, table))
        return self._shapes[known[1]]

    def ready_at(self, version: int, connection: sqlite3.Connection) -> frozenset[str]:
        """The complete parts, read again only when parts have come or gone."""
        if self._ready[0] != version:
            rows = connection.execute("SELECT id FROM hw_parts WHERE ready").fetchall()
            self._ready = (version, frozenset(name for (name,) in rows))
        return self._ready[1]


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


@dataclass(frozen=True, slots=True)
class _Connected:
    """A snapshot, or a transaction under way: both read through one connection."""

    store: SqliteStore
    connection: sqlite3.Connection

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        shape = self.store.shape(table)
        row = self.connection.execute(shape.get, (key_of(key),)).fetchone()
        return None if row is None else shape.entry(row)

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        return [self.get(table, key) for key in keys]

    def scan(
        self,
        index: Index,
        prefix: tuple[Any, ...],
        interval: Interval | None = None,
        reverse: bool = False,
        limit: int | None = None,
        after: Any = ...,
        table: str = "",
    ) -> Sequence[Entry]:
        shape = self.store.scanned(index, table or index.table)
        start, stop = range_of(index, prefix, interval, after)
        text, values = shape.range, [start]
        if stop:
            text, values = text + " AND k < ?", [start, stop]
        text += " ORDER BY k DESC LIMIT ?" if reverse else " ORDER BY k LIMIT ?"
        rows = self.connection.execute(text, (*values, -1 if limit is None else max(0, limit)))
        return [shape.entry(row) for row in rows]

    def rows(self, table: str, after: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, Entry]]:
        shape = self.store.shape(table)
        listed = ", ".join(("k", *(f"c{number}" for number in range(len(shape.columns)))))
        text = f"SELECT {listed} FROM {table} WHERE k > ? ORDER BY k LIMIT ?"
        for key, *row in self.connection.execute(text, (after, -1 if limit is None else limit)):
            yield key, shape.entry(row)

    def entries(self, index: str) -> Iterator[tuple[bytes, Entry]]:
        yield from self.rows(index)

    def times(self) -> dict[str, int]:
        return dict(self.connection.execute("SELECT relation, time FROM hw_times").fetchall())

    def early(self, relation: str) -> frozenset[int]:
        text = "SELECT time FROM hw_early WHERE relation = ?"
        return frozenset(time for (time,) in self.connection.execute(text, (relation,)))

    def note_early(self, relation: str, time: int) -> None:
        self.connection.execute("INSERT OR IGNORE INTO hw_early VALUES (?, ?)", (relation, time))

    def ready(self) -> frozenset[str]:
        (version,) = self.connection.execute("SELECT version FROM hw_layout").fetchone()
        return self.store.ready_at(version, self.connection)

    def create(self, part: Part) -> None:
        self.store.know([part])
        text = part.text if isinstance(part, StoredIndex) else part.relation
        self.connection.execute(self.store.shape(part.id).ddl)
        self.connection.execute("INSERT INTO hw_parts VALUES (?, ?, 0)", (part.id, text))
        self._changed()

    def drop(self, part: str) -> None:
        self.connection.execute(f"DROP TABLE IF EXISTS {part}")
        self.connection.execute("DELETE FROM hw_parts WHERE id = ?", (part,))
        self._changed()

    def mark_ready(self, parts: Iterable[str]) -> None:
        marked = [(part,) for part in parts]
        self.connection.executemany("UPDATE hw_parts SET ready = 1 WHERE id = ?", marked)
        self._changed()

    def _changed(self) -> None:
        """A new name for the layout, never one that a transaction had which was undone."""
        self.connection.execute("UPDATE hw_layout SET version = ?", (random.getrandbits(62),))

    def put(self, table: str, row: Row) -> None:
        shape = self.store.shape(table)
        assert isinstance(shape.part, StoredTable)
        key = row_key(shape.part)(row)
        indexes = self._kept_indexes(table)
        if indexes:
            before = self.connection.execute(shape.get, (key,)).fetchone()
            if before is not None:
                self._unindex(shape.part, indexes, shape.entry(before))
        self.connection.execute(shape.insert, shape.values(key, row))
        for index in indexes:
            self._enter(shape.part, index, row)

    def delete(self, table: str, row: Row) -> bool:
        shape = self.store.shape(table)
        assert isinstance(shape.part, StoredTable)
        key = row_key(shape.part)(row)
        before = self.connection.execute(shape.get, (key,)).fetchone()
        if before is None:
            return False
        self._unindex(shape.part, self._kept_indexes(table), shape.entry(before))
        self.connection.execute(shape.delete, (key,))
        return True

    def fill(self, index: str, rows: Iterable[Row]) -> None:
        part = self.store.shape(index).part
        assert isinstance(part, StoredIndex)
        table = self.store.shape(part.table).part
        assert isinstance(table, StoredTable)
        for row in rows:
            self._enter(table, part, row)

    def _kept_indexes(self, table: str) -> Sequence[StoredIndex]:
        """The indexes of the table that are there and complete."""
        indexes = self.store.indexes_of(table)
        if not indexes:
            return ()
        ready = self.ready()
        return [index for index in indexes if index.id in ready]

    def _enter(self, table: StoredTable, index: StoredIndex, row: Row) -> None:
        shape = self.store.shape(index.id)
        for key in entry_keys(index, table, row):
            self.connection.execute(shape.insert, shape.values(key, row))

    def _unindex(self, table: StoredTable, indexes: Sequence[StoredIndex], row: Row) -> None:
        for index in indexes:
            shape = self.store.shape(index.id)
            for key in entry_keys(index, table, row):
                self.connection.execute(shape.delete, (key,))

    def set_times(self, times: Mapping[str, int | None]) -> None:
        for relation, time in times.items():
            if time is None:
                self.connection.execute("DELETE FROM hw_times WHERE relation = ?", (relation,))
                self.connection.execute("DELETE FROM hw_early WHERE relation = ?", (relation,))
            else:
                gone = "DELETE FROM hw_early WHERE relation = ? AND time <= ?"
                self.connection.execute(gone, (relation, time))
                self.connection.execute("INSERT OR REPLACE INTO hw_times VALUES (?, ?)", (relation, time))
