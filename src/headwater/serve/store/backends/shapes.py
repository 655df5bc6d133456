"""The parts of a SQLite store as its tables: names of columns, and the SQL that reads and writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import ROWID, Entry, Interval
from headwater.serve.store.backends.values import stored, typed
from headwater.serve.store.protocol import Part, Row, StoredIndex, StoredTable

__all__ = ["NothingStored", "Shape"]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A part with the SQL that reads and writes it."""

    part: Part
    columns: tuple[str, ...]
    get: str
    insert: str
    delete: str
    range: str

    @staticmethod
    def of(part: Part) -> Shape:
        columns = part.held if isinstance(part, StoredIndex) else _columns(part)
        listed = "".join(f", c{number}" for number in range(len(columns)))
        slots = ", ?" * len(columns)
        read = listed[2:]
        return Shape(
            part, columns,
            f"SELECT {read} FROM {part.id} WHERE k = ?",
            f"INSERT OR REPLACE INTO {part.id} (k{listed}) VALUES (?{slots})",
            f"DELETE FROM {part.id} WHERE k = ?",
            f"SELECT {read} FROM {part.id} WHERE k >= ?",
        )  # fmt: skip

    @property
    def ddl(self) -> str:
        listed = "".join(f", c{number}" for number in range(len(self.columns)))
        return f"CREATE TABLE {self.part.id} (k BLOB PRIMARY KEY{listed}) WITHOUT ROWID"

    def values(self, key: bytes, row: Row) -> tuple[Any, ...]:
        return (key, *[stored(row[name]) for name in self.columns])

    def entry(self, row: Sequence[Any]) -> dict[str, Any]:
        return {
            name: typed(value) if type(value) is bytes else value
            for name, value in zip(self.columns, row, strict=True)
        }


def _columns(table: StoredTable) -> tuple[str, ...]:
    return (*table.columns, ROWID) if table.key == (ROWID,) else table.columns


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
        return ()
