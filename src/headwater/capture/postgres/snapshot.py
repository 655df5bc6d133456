"""Tables as they are at one point of the replication stream, read a piece at a time beside the stream.

    position    exactly the transactions that committed before it are in the snapshot
    read        the next piece of rows, written to the tables' folders and not yet committed
    tables      once all is read: what each table gains by the snapshot

A session exports a snapshot whose position is known (exported.py); a second session imports it and reads
the tables with COPY (copied_rows.py).  Meanwhile other tables follow the stream.  A table that had been
captured before is compared with its snapshot, and only the difference is a change.

Nothing is visible before the end: a kill leaves files that no commit names, and the snapshot begins anew.
While it is read the server retains its log from `position` on, and the rows that a long transaction might
still see.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import sql

from headwater.capture.postgres import server
from headwater.capture.postgres.copied_rows import copied_rows
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.exported import Export
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.stream.difference import stored_changes, weighted
from headwater.capture.postgres.stream.pending import Pending

__all__ = ["Snapshot"]

ROWS_AT_ONCE = 200_000  # how many rows `read` reads before others get their turn


class Snapshot:
    """The snapshot of some tables. `position` is None until the server has exported it."""

    def __init__(self, group: Group, uri: str, slot: str, tables: Sequence[Declared]) -> None:
        self.tables = {declared.table.name: group.pending(declared) for declared in tables}
        self.position: int | None = None
        self.rows = 0
        self.over = False
        self._group = group
        self._uri = uri
        self._declared = tables
        self._export = Export(uri, f"{slot}_{secrets.token_hex(2)}")
        self._connection: psycopg.Connection[Any] | None = None
        self._work: Generator[int] = _nothing()

    def read(self, wait: float) -> int:
        """Read on for a bounded number of rows, and return how many were read.

        Before the first piece, wait up to so many seconds for the server to export the snapshot.
        """
        if self.position is None and not self._import(wait):
            return 0
        before = self.rows
        while not self.over and self.rows - before < ROWS_AT_ONCE:
            rows = next(self._work, None)
            self.over = rows is None
            self.rows += rows or 0
        if self.over and self._connection is not None:
            self._connection.close()
        return self.rows - before

    def keep_young(self) -> None:
        """Have no vacuum take what was read for leftovers."""
        for pending in self.tables.values():
            pending.keep_young()

    def close(self) -> None:
        """Give the snapshot up."""
        self._export.close()
        if self._connection is not None:
            self._connection.close()
        with suppress(psycopg.Error):  # of the COPY that is cut off
            self._work.close()
        for pending in self.tables.values():
            pending.discard()

    def _import(self, wait: float) -> bool:
        exported = self._export.result(wait)
        if exported is None:
            return False
        self.position, name = exported
        try:
            self._connection = _imported(self._uri, name)
        finally:
            self._export.close()
        self._work = self._read_all(self._connection)
        return True

    def _read_all(self, connection: psycopg.Connection[Any]) -> Generator[int]:
        """Read table by table; yields the number of rows of each piece."""
        for declared in self._declared:
            pending = self.tables[declared.table.name]
            pieces = _pieces(connection, declared, pending)
            if self._group.timeline(declared).snapshot().rows == 0:
                for rows in pieces:
                    pending.add(rows)
                    yield len(rows)
            else:
                yield from self._read_difference(declared, pending, pieces)

    def _read_difference(
        self, declared: Declared, pending: Pending, pieces: Iterator[pa.Table]
    ) -> Generator[int]:
        """The table was captured before: only what differs from the stored rows is a change."""
        buckets = pending.buckets()
        try:
            for changes in stored_changes(self._group.timeline(declared), -1):
                buckets.add(changes)
                yield 0
            for rows in pieces:
                buckets.add(rows)
                yield len(rows)
            for changes in buckets.sums():
                pending.add(changes)
                yield 0
        finally:
            buckets.close()


def _pieces(connection: psycopg.Connection[Any], declared: Declared, pending: Pending) -> Iterator[pa.Table]:
    for rows, rejected in copied_rows(connection, declared):
        pending.reject(rejected)
        yield weighted(rows, pa.repeat(pa.scalar(1, pa.int64()), len(rows)))


def _nothing() -> Generator[int]:
    yield from ()


def _imported(uri: str, name: str) -> psycopg.Connection[Any]:
    """A session inside the exported snapshot, which it keeps by itself from then on."""
    connection = server.connect(uri)
    try:
        connection.execute(server.SNAPSHOT)
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(name)))
        connection.execute("SELECT 1")
    except BaseException:
        connection.close()
        raise
    return connection
