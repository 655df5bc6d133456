"""What a store must offer, so that the same upkeep and the same answers work on any of them.

A store holds **parts**: tables sorted by their keys, and indexes of those tables.  It is read as of a
snapshot, in two ways (bounds/plans/store.py): get a row, read the first rows of a range.  It is written in
transactions: rows of tables come and go, their indexes follow, and the times of the relations that the rows
are from are stored with them.  Whoever reads sees all of a transaction or nothing of it, also after a crash.

tests/serve/store/test_conformance.py holds every store to this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import Entry, Store

__all__ = [
    "Filling",
    "KeptStore",
    "ReadableStore",
    "Row",
    "Snapshot",
    "StoredIndex",
    "StoredTable",
    "Writing",
]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the store: rows of a relation, or of a view that queries need."""

    id: str
    relation: str  # the relation or view it holds, for people
    columns: tuple[str, ...]
    key: tuple[str, ...]  # never empty: ROWID if the relation declares none


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a stored table."""

    id: str
    table: str  # the id of its table
    index: Index
    held: tuple[str, ...]  # the columns that its entries carry

    @property
    def text(self) -> str:
        from headwater.bounds.plans.plan import index_text

        return index_text(self.index)


Part = StoredTable | StoredIndex


class Snapshot(Store, Protocol):
    """The store at one instant."""

    def times(self) -> dict[str, int]:
        """As of which time each relation is held, in microseconds since 1970."""
        ...

    def early(self, relation: str) -> frozenset[int]:
        """The times of a relation's changes that are held although they are later than its time."""
        ...

    def ready(self) -> frozenset[str]:
        """The ids of the parts that are complete."""
        ...

    def rows(self, table: str, after: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, Entry]]:
        """The rows of a table in the order of its key, with that key as bytes: for upkeep."""
        ...

    def entries(self, index: str) -> Iterator[tuple[bytes, Entry]]:
        """All entries of an index, with their keys as bytes: for verification."""
        ...


class Writing(Snapshot, Protocol):
    """A transaction under way: it reads what it has written."""

    def create(self, part: Part) -> None:
        """Make an empty part; it is not ready."""
        ...

    def drop(self, part: str) -> None: ...

    def mark_ready(self, parts: Iterable[str]) -> None: ...

    def put(self, table: str, row: Row) -> None:
        """Add a row, in place of the one with its key if there is one; the table's indexes follow."""
        ...

    def put_many(self, table: str, rows: Sequence[Row]) -> None:
        """Put each of the rows, in their order, in as few messages as the store can."""
        ...

    def delete(self, table: str, row: Row) -> bool:
        """Remove the row with this key. False if there is none."""
        ...

    def set_times(self, times: Mapping[str, int | None]) -> None:
        """Store as of which time relations are held; None: no longer held.

        What was noted as early up to that time is early no more.
        """
        ...

    def note_early(self, relation: str, time: int) -> None:
        """Note that the changes of a relation at a later time are held already."""
        ...


class Filling(Protocol):
    """A part that is being filled."""

    def add(self, rows: Sequence[Row]) -> None:
        """Rows of the table, or of the table whose index it is; of those with one key the last one counts."""
        ...


class ReadableStore(Protocol):
    def snapshot(self) -> AbstractContextManager[Snapshot]: ...

    def times(self) -> dict[str, int]: ...

    def size(self) -> int:
        """In bytes."""
        ...

    def know(self, parts: Iterable[Part]) -> None:
        """Learn how parts are made; a store that is opened again does not know."""
        ...

    def close(self) -> None: ...


class KeptStore(ReadableStore, Protocol):
    def transaction(self) -> AbstractContextManager[Writing]:
        """All or nothing: an exception inside undoes everything."""
        ...

    def filling(self, part: str) -> AbstractContextManager[Filling]:
        """Fill an empty part that is not ready, in transactions of the store's own choice.

        What was added is there when the context ends; an exception inside may leave some of it.
        """
        ...

    def parts(self) -> dict[str, str]:
        """The ids of all parts, complete or not, with what they hold, for people."""
        ...
