"""The rows of files that this process has just written, so that it need not read them back.

A push of many views writes a file for each; then each view's plain table is brought up to date from it, and
the next push reads the states in it again, and the plain rows to write them anew.  Reading a small file costs
a third of a millisecond, a thousand of them a third of a CPU-second.  Files never change, so what was written
is what would be read.

It is a memory and nothing else: whoever does not find a file here reads it.  Of each table the files that
were written last are remembered, while there is room.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import pyarrow as pa

__all__ = ["FreshRows"]

MOST_BYTES = 128_000_000


@dataclass(slots=True)
class FreshRows:
    """Rows by table and file; pushes work side by side."""

    _tables: dict[str, dict[str, pa.Table]] = field(default_factory=dict)  # the latest last
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def remember(self, written: Mapping[str, pa.Table]) -> None:
        """Rows by path, in place of those that are known of the same tables."""
        with self._lock:
            for table in {os.path.dirname(path) for path in written}:
                self._forget(table)
            for path, rows in written.items():
                self._tables.setdefault(os.path.dirname(path), {})[path] = rows
                self._bytes += rows.nbytes
            while self._bytes > MOST_BYTES:
                self._forget(next(iter(self._tables)))

    def of(self, paths: Iterable[str], names: Sequence[str]) -> pa.Table | None:
        """Some columns of files, in order; None if the rows of one are not at hand, or there are no files."""
        with self._lock:
            found = [self._tables.get(os.path.dirname(path), {}).get(path) for path in paths]
        tables = [rows.select(list(names)) for rows in found if rows is not None]
        return pa.concat_tables(tables) if tables and len(tables) == len(found) else None

    def _forget(self, table: str) -> None:
        self._bytes -= sum(rows.nbytes for rows in self._tables.pop(table, {}).values())
