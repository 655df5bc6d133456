"""The newest row of each waiting key, in Arrow memory proportional to the number of keys.

Rows are appended as they arrive, and the position of each key's newest row is remembered.  A superseded or
taken row stays as a hole until a fifth of the store is holes; then the live rows are compacted.  So each row
is copied a few times at most on average, and at least four fifths of a large store is in effective use:
nearly what the paper's page pool achieves with pages, blocks and lists, with two arrays.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headwater.overload.updates.queue.cells import Ints

__all__ = ["NewestRows"]

SMALLEST = 1 << 14  # rows below which nothing is ever compacted
SLACK = 1.25  # stored over live rows at which the live rows are compacted


class NewestRows:
    """Rows by key number; `put` overwrites, `take` removes."""

    def __init__(self, schema: pa.Schema, smallest: int = SMALLEST) -> None:
        self.schema = schema
        self._smallest = smallest
        self._parts: list[pa.RecordBatch] = []
        self._stored = 0
        self._live = 0
        self._position: Ints = np.full(16, -1, np.int64)

    def __len__(self) -> int:
        return self._live

    @property
    def stored(self) -> int:
        """Rows in memory, live or not."""
        return self._stored

    @property
    def effective_use(self) -> float:
        """Live rows over stored rows."""
        return self._live / self._stored if self._stored else 1.0

    def put(self, keys: Ints, rows: pa.RecordBatch) -> None:
        """Store one row for each key; a key appears once."""
        self._grow(int(keys.max()) + 1 if len(keys) else 0)
        self._live += int(np.count_nonzero(self._position[keys] < 0))
        self._position[keys] = np.arange(self._stored, self._stored + len(keys))
        self._parts.append(rows)
        self._stored += len(keys)
        self._compact_if_sparse()

    def take(self, keys: Ints) -> pa.Table:
        """The newest rows of keys that have one, removed from the store."""
        rows = self.peek(keys)
        self._position[keys] = -1
        self._live -= len(keys)
        self._compact_if_sparse()
        return rows

    def peek(self, keys: Ints) -> pa.Table:
        return self._table().take(pa.array(self._position[keys]))

    def _table(self) -> pa.Table:
        if len(self._parts) > 1:
            combined = pa.Table.from_batches(self._parts, self.schema).combine_chunks()
            self._parts = combined.to_batches(max_chunksize=max(1, self._stored))
        return pa.Table.from_batches(self._parts, self.schema)

    def _grow(self, size: int) -> None:
        if size > len(self._position):
            more = max(size, 2 * len(self._position)) - len(self._position)
            self._position = np.concatenate([self._position, np.full(more, -1, np.int64)])

    def _compact_if_sparse(self) -> None:
        if self._stored > max(self._smallest, SLACK * self._live):
            live = np.flatnonzero(self._position >= 0)
            table = self._table().take(pa.array(self._position[live])).combine_chunks()
            self._parts = table.to_batches(max_chunksize=max(1, len(live)))
            self._position[live] = np.arange(len(live))
            self._stored = len(live)
