"""A store in memory, for tests: the reference that other stores are held against.

It orders Python values themselves, not bytes made of them, so that a store which orders bytes is compared
with something that has little in common with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from headwater.bounds.plans.store import ROWID, Entry, MemoryStore, RangeRead
from headwater.bounds.query.catalog import Catalog
from headwater.model import Column, Table
from headwater.serve.store.backends.entries import entry_keys
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.protocol import Filling, Part, Row, Snapshot, StoredIndex, StoredTable, Writing

__all__ = ["MemoryKept"]


@dataclass(slots=True)
class _State:
    """Everything at one instant; also the snapshot and the transaction that see it."""

    rows_by_table: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    complete: frozenset[str] = frozenset()
    held_times: dict[str, int] = field(default_factory=dict)
    early_times: frozenset[tuple[str, int]] = frozenset()

    def copy(self) -> _State:
        rows = {table: dict(rows) for table, rows in self.rows_by_table.items()}
        return _State(rows, dict(self.parts), self.complete, dict(self.held_times), self.early_times)

    def _store(self, table: str) -> MemoryStore:
        part = self.parts[table]
        assert isinstance(part, StoredTable)
        key = () if part.key == (ROWID,) else part.key
        columns = tuple(Column(name, "string") for name in part.columns)
        return MemoryStore(Catalog.of([Table(table, columns, key)]), {table: self.rows_by_table[table]})

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        row = self._store(table).get(table, key)
        return None if row is None else self._shown(table, row)

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        return [self.get(table, key) for key in keys]

    def _shown(self, table: str, row: Entry) -> Entry:
        part = self.parts[table]
        own = (*part.columns, *part.key) if isinstance(part, StoredTable) else ()
        return {name: row[name] for name in dict.fromkeys(own)}

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        name = wanted.table or wanted.over.table
        entries = self._store(name).scan(wanted._replace(table=name))
        return [self._shown(name, entry) for entry in entries] if wanted.over.primary else entries

    def rows(self, table: str, after: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, Entry]]:
        keyed = sorted((key_of(key), row) for key, row in self.rows_by_table[table].items())
        for key, row in [pair for pair in keyed if pair[0] > after][:limit]:
            yield key, self._shown(table, row)

    def entries(self, index: str) -> Iterator[tuple[bytes, Entry]]:
        part = self.parts[index]
        assert isinstance(part, StoredIndex)
        table = self.parts[part.table]
        assert isinstance(table, StoredTable)
        for row in self.rows_by_table[part.table].values():
            for key in entry_keys(part, table, row):
                yield key, {name: row[name] for name in part.held}

    def times(self) -> dict[str, int]:
        return dict(self.held_times)

    def early(self, relation: str) -> frozenset[int]:
        return frozenset(time for name, time in self.early_times if name == relation)

    def note_early(self, relation: str, time: int) -> None:
        self.early_times |= {(relation, time)}

    def ready(self) -> frozenset[str]:
        return self.complete

    def create(self, part: Part) -> None:
        self.parts[part.id] = part
        if isinstance(part, StoredTable):
            self.rows_by_table[part.id] = {}

    def drop(self, part: str) -> None:
        self.parts.pop(part, None)
        self.rows_by_table.pop(part, None)
        self.complete -= {part}

    def mark_ready(self, parts: Iterable[str]) -> None:
        self.complete |= set(parts)

    def put(self, table: str, row: Row) -> None:
        self._store(table).put(table, row)

    def put_many(self, table: str, rows: Sequence[Row]) -> None:
        for row in rows:
            self.put(table, row)

    def delete(self, table: str, row: Row) -> bool:
        before = len(self.rows_by_table[table])
        self._store(table).delete(table, row)
        return len(self.rows_by_table[table]) < before

    def set_times(self, times: Mapping[str, int | None]) -> None:
        kept = {**self.held_times, **times}
        self.held_times = {relation: time for relation, time in kept.items() if time is not None}
        self.early_times = frozenset(
            (relation, time)
            for relation, time in self.early_times
            if time > self.held_times.get(relation, time)
        )


@dataclass(frozen=True, slots=True)
class _Filled:
    """Implements Filling; the entries of an index are found from the rows when they are read."""

    store: MemoryKept
    part: str

    def add(self, rows: Sequence[Row]) -> None:
        with self.store.transaction() as writing:
            if isinstance(self.store.state.parts[self.part], StoredTable):
                writing.put_many(self.part, rows)


@dataclass(slots=True)
class MemoryKept:
    """Implements KeptStore."""

    state: _State = field(default_factory=_State)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        yield self.state.copy()

    @contextmanager
    def transaction(self) -> Iterator[Writing]:
        changed = self.state.copy()
        yield changed
        self.state = changed

    @contextmanager
    def filling(self, part: str) -> Iterator[Filling]:
        yield _Filled(self, part)

    def times(self) -> dict[str, int]:
        return self.state.times()

    def parts(self) -> dict[str, str]:
        return {
            part.id: part.text if isinstance(part, StoredIndex) else part.relation
            for part in self.state.parts.values()
        }

    def size(self) -> int:
        return sum(len(rows) for rows in self.state.rows_by_table.values())

    def know(self, parts: Iterable[Part]) -> None:
        """It holds the parts themselves."""

    def close(self) -> None:
        """There is nothing to let go."""
