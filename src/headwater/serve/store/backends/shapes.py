"""The parts of a store as tables of a database: names of columns, and the SQL that reads and writes them.

What differs between databases is a `Dialect`: SQLite keeps values of any type in a column and rows in the
key's order; PostgreSQL gets every value as bytes that tell their type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import ROWID, Entry, RangeRead
from headwater.serve.store.backends.values import as_bytes, as_bytes_column, stored, stored_column, typed
from headwater.serve.store.layout import index_id
from headwater.serve.store.protocol import Part, Row, StoredIndex, StoredTable

__all__ = ["POSTGRES", "SQLITE", "Connection", "Dialect", "NothingStored", "Shape", "Shapes"]


class Connection(Protocol):
    """What both databases' connections can do; parameters are written `?`."""

    def execute(self, text: str, values: Sequence[Any] = (), /) -> Any: ...

    def executemany(self, text: str, records: Sequence[Sequence[Any]], /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Dialect:
    key: str  # the type of keys
    cell: str  # the type of columns
    ending: str  # of CREATE TABLE
    no_limit: int | None
    many: str  # the condition of a get of many keys; "": one by one
    value: Callable[[Any], Any]
    column: Callable[[list[Any]], list[Any]]  # `value` of each


SQLITE = Dialect("BLOB", "", " WITHOUT ROWID", -1, "", stored, stored_column)
POSTGRES = Dialect("bytea", " bytea", "", None, " WHERE k = ANY(?)", as_bytes, as_bytes_column)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A part with the SQL that reads and writes it."""

    part: Part
    columns: tuple[str, ...]
    dialect: Dialect
    get: str
    many: str
    insert: str
    delete: str
    range: str

    @staticmethod
    def of(part: Part, dialect: Dialect) -> Shape:
        columns = part.held if isinstance(part, StoredIndex) else _columns(part)
        names = [f"c{number}" for number in range(len(columns))]
        listed, slots = ", ".join(names), ", ".join("?" for _ in names)
        replaced = ", ".join(f"{name} = excluded.{name}" for name in names)
        return Shape(
            part, columns, dialect,
            f"SELECT {listed} FROM {part.id} WHERE k = ?",
            f"SELECT k, {listed} FROM {part.id}",
            f"INSERT INTO {part.id} (k, {listed}) VALUES (?, {slots})"
            f" ON CONFLICT (k) DO UPDATE SET {replaced}",
            f"DELETE FROM {part.id} WHERE k = ?",
            f"SELECT {listed} FROM {part.id} WHERE k >= ?",
        )  # fmt: skip

    @property
    def ddl(self) -> str:
        listed = "".join(f", c{number}{self.dialect.cell}" for number in range(len(self.columns)))
        return f"CREATE TABLE {self.part.id} (k {self.dialect.key} PRIMARY KEY{listed}){self.dialect.ending}"

    def values(self, key: bytes, row: Row) -> tuple[Any, ...]:
        value = self.dialect.value
        return (key, *[value(row[name]) for name in self.columns])

    def entry(self, row: Sequence[Any]) -> dict[str, Any]:
        return {
            name: typed(value) if type(value) is bytes else value
            for name, value in zip(self.columns, row, strict=True)
        }


def _columns(table: StoredTable) -> tuple[str, ...]:
    return (*table.columns, ROWID) if table.key == (ROWID,) else table.columns


@dataclass(slots=True)
class Shapes:
    """The parts that a store knows."""

    dialect: Dialect
    _shapes: dict[str, Shape] = field(default_factory=dict)
    _indexes: dict[str, list[StoredIndex]] = field(default_factory=dict)  # by table
    _ids: dict[tuple[int, str], tuple[Index, str]] = field(default_factory=dict)
    _ready: tuple[int, frozenset[str]] = (-1, frozenset())

    def know(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.id not in self._shapes:
                self._shapes[part.id] = Shape.of(part, self.dialect)
                if isinstance(part, StoredIndex):
                    self._indexes.setdefault(part.table, []).append(part)

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

    def ready_at(self, version: int, connection: Connection) -> frozenset[str]:
        """The complete parts, read again only when parts have come or gone."""
        if self._ready[0] != version:
            rows = connection.execute("SELECT id FROM hw_parts WHERE ready = 1").fetchall()
            self._ready = (version, frozenset(name for (name,) in rows))
        return self._ready[1]


class NothingStored:
    """A store that nobody has made yet: it holds no part, so no plan reads it."""

    def times(self) -> dict[str, int]:
        return {}

    def early(self, relation: str) -> frozenset[int]:
        return frozenset()

    def ready(self) -> frozenset[str]:
        return frozenset()

    def rows(self, table: str, after: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, Entry]]:
        return iter(())

    def entries(self, index: str) -> Iterator[tuple[bytes, Entry]]:
        return iter(())

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        return None

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        return [None for _ in keys]

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        return ()
