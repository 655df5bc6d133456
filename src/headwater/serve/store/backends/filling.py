"""Fill a part from nothing, in the order of its keys, whatever the order its rows come in.

Rows written in the order of their keys go to the end of the part's tree, each page once.  In any other order
every batch would touch, log and write most pages again, the more the larger the part is.  Few rows are sorted
in memory; many in a private database of SQLite's, on disk, that goes with its connection.  As long as they
come in order by themselves, they are written as they come.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Protocol

from headwater.serve.store.backends.batches import Record, entry_records, row_records
from headwater.serve.store.backends.shapes import Shapes
from headwater.serve.store.protocol import Filling, Row, StoredIndex, StoredTable

__all__ = ["FilledStore", "filling"]

IN_MEMORY = 200_000  # records: about 50 MB
IN_TRANSACTION = 20_000
SORTING_THREADS = 2


class FilledStore(Protocol):
    shapes: Shapes

    def write_records(self, part: str, records: Sequence[Record]) -> None:
        """Write records of a part, in a transaction of their own."""
        ...


@contextmanager
def filling(store: FilledStore, part: str) -> Iterator[Filling]:
    with closing(sqlite3.connect("", isolation_level=None)) as scratch:
        gathered = _Gathered(store, part, scratch)
        yield gathered
        gathered.write(gathered.in_order())


@dataclass(slots=True)
class _Gathered:
    """Implements Filling: records that are to be written."""

    store: FilledStore
    part: str
    scratch: sqlite3.Connection
    pending: list[Record] = field(default_factory=list)
    greatest: bytes = b""  # of the keys so far, while they came in order
    in_their_order: bool = True
    on_disk: bool = False

    def add(self, rows: Sequence[Row]) -> None:
        records = self._records(rows)  # in the order of their keys
        if records:
            self.in_their_order = self.in_their_order and self.greatest <= records[0][0]
            self.greatest = records[-1][0]
        self.pending += records
        if len(self.pending) > IN_MEMORY:
            if self.in_their_order:
                self.write(self.pending)
                self.pending = []
            else:
                self._spill()

    def write(self, records: Iterable[Record]) -> None:
        waiting = iter(records)
        while batch := list(islice(waiting, IN_TRANSACTION)):
            self.store.write_records(self.part, batch)

    def _records(self, rows: Sequence[Row]) -> list[Record]:
        shapes = self.store.shapes
        shape = shapes.shape(self.part)
        if not isinstance(shape.part, StoredIndex):
            return row_records(shape, rows)
        table = shapes.shape(shape.part.table).part
        assert isinstance(table, StoredTable)
        return entry_records(shape, table, rows)

    def _spill(self) -> None:
        width = len(self.pending[0])
        if not self.on_disk:
            names = ", ".join(f"c{number}" for number in range(width))
            self.scratch.execute("PRAGMA journal_mode = OFF")
            self.scratch.execute(f"PRAGMA threads = {SORTING_THREADS}")
            self.scratch.execute(f"CREATE TABLE pending ({names})")
            self.scratch.execute("BEGIN")
            self.on_disk = True
        slots = ", ".join("?" for _ in range(width))
        self.scratch.executemany(f"INSERT INTO pending VALUES ({slots})", self.pending)
        self.pending = []

    def in_order(self) -> Iterator[Record]:
        """By their keys; of records with the same key, the last that was added comes last."""
        if not self.on_disk:
            return iter(sorted(self.pending, key=itemgetter(0)))
        if self.pending:
            self._spill()
        return self.scratch.execute("SELECT * FROM pending ORDER BY c0, rowid")
