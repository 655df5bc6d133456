"""A snapshot or a transaction of a store that speaks SQL, through one connection.

SQLite and PostgreSQL hold the same tables (shapes.py) and are asked the same statements.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bounds.plans.store import Entry, RangeRead
from headwater.serve.store.backends.batches import row_records
from headwater.serve.store.backends.entries import entry_keys, range_of, row_key
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.backends.shapes import Connection, Shapes
from headwater.serve.store.protocol import Part, Row, StoredIndex, StoredTable

__all__ = ["Connected"]


@dataclass(frozen=True, slots=True)
class Connected:
    """A snapshot, or a transaction under way: both read through one connection."""

    shapes: Shapes
    connection: Connection

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        shape = self.shapes.shape(table)
        row = self.connection.execute(shape.get, (key_of(key),)).fetchone()
        return None if row is None else shape.entry(row)

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        many = self.shapes.dialect.many
        if not many or len(keys) < 2:
            return [self.get(table, key) for key in keys]
        shape, wanted = self.shapes.shape(table), [key_of(key) for key in keys]
        rows = self.connection.execute(shape.many + many, (wanted,)).fetchall()
        entries = {key: shape.entry(row) for key, *row in rows}
        return [entries.get(key) for key in wanted]

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        shape = self.shapes.scanned(wanted.over, wanted.table or wanted.over.table)
        start, stop = range_of(wanted.over, wanted.prefix, wanted.interval, wanted.after)
        text, values = shape.range, [start]
        if stop:
            text, values = text + " AND k < ?", [start, stop]
        text += " ORDER BY k DESC LIMIT ?" if wanted.reverse else " ORDER BY k LIMIT ?"
        most = self.shapes.dialect.no_limit if wanted.limit is None else max(0, wanted.limit)
        rows = self.connection.execute(text, (*values, most))
        return [shape.entry(row) for row in rows]

    def rows(self, table: str, after: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, Entry]]:
        shape = self.shapes.shape(table)
        listed = ", ".join(("k", *(f"c{number}" for number in range(len(shape.columns)))))
        text = f"SELECT {listed} FROM {table} WHERE k > ? ORDER BY k LIMIT ?"
        most = self.shapes.dialect.no_limit if limit is None else limit
        for key, *row in self.connection.execute(text, (after, most)):
            yield key, shape.entry(row)

    def entries(self, index: str) -> Iterator[tuple[bytes, Entry]]:
        yield from self.rows(index)

    def times(self) -> dict[str, int]:
        return dict(self.connection.execute("SELECT relation, time FROM hw_times").fetchall())

    def early(self, relation: str) -> frozenset[int]:
        text = "SELECT time FROM hw_early WHERE relation = ?"
        return frozenset(time for (time,) in self.connection.execute(text, (relation,)))

    def note_early(self, relation: str, time: int) -> None:
        self.connection.execute("INSERT INTO hw_early VALUES (?, ?) ON CONFLICT DO NOTHING", (relation, time))

    def ready(self) -> frozenset[str]:
        (version,) = self.connection.execute("SELECT version FROM hw_layout").fetchone()
        return self.shapes.ready_at(version, self.connection)

    def create(self, part: Part) -> None:
        self.shapes.know([part])
        text = part.text if isinstance(part, StoredIndex) else part.relation
        self.connection.execute(self.shapes.shape(part.id).ddl)
        self.connection.execute("INSERT INTO hw_parts VALUES (?, ?, 0)", (part.id, text))
        self._changed()

    def drop(self, part: str) -> None:
        self.connection.execute(f"DROP TABLE IF EXISTS {part}")
        self.connection.execute("DELETE FROM hw_parts WHERE id = ?", (part,))
        self._changed()

    def mark_ready(self, parts: Iterable[str]) -> None:
        marked = [(part,) for part in parts]
        for part in marked:
            self.connection.execute("UPDATE hw_parts SET ready = 1 WHERE id = ?", part)
        self._changed()

    def _changed(self) -> None:
        """A new name for the layout, never one that a transaction had which was undone."""
        self.connection.execute("UPDATE hw_layout SET version = ?", (random.getrandbits(62),))

    def put(self, table: str, row: Row) -> None:
        shape = self.shapes.shape(table)
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

    def put_many(self, table: str, rows: Sequence[Row]) -> None:
        if self._kept_indexes(table):
            for row in rows:
                self.put(table, row)
            return
        shape = self.shapes.shape(table)
        self.connection.executemany(shape.insert, row_records(shape, rows))

    def delete(self, table: str, row: Row) -> bool:
        shape = self.shapes.shape(table)
        assert isinstance(shape.part, StoredTable)
        key = row_key(shape.part)(row)
        before = self.connection.execute(shape.get, (key,)).fetchone()
        if before is None:
            return False
        self._unindex(shape.part, self._kept_indexes(table), shape.entry(before))
        self.connection.execute(shape.delete, (key,))
        return True

    def _kept_indexes(self, table: str) -> Sequence[StoredIndex]:
        """The indexes of the table that are there and complete."""
        indexes = self.shapes.indexes_of(table)
        if not indexes:
            return ()
        ready = self.ready()
        return [index for index in indexes if index.id in ready]

    def _enter(self, table: StoredTable, index: StoredIndex, row: Row) -> None:
        shape = self.shapes.shape(index.id)
        for key in entry_keys(index, table, row):
            self.connection.execute(shape.insert, shape.values(key, row))

    def _unindex(self, table: StoredTable, indexes: Sequence[StoredIndex], row: Row) -> None:
        for index in indexes:
            shape = self.shapes.shape(index.id)
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
                self.connection.execute("DELETE FROM hw_times WHERE relation = ?", (relation,))
                self.connection.execute("INSERT INTO hw_times VALUES (?, ?)", (relation, time))
