"""An update queue over Arrow batches: it holds what waits between capture and a push under overload.

    queue = UpdateQueue(schema, key="symbol", policy="best", cost=0.002)
    queue.enqueue(batch, at=clock.now())          # at: one arrival time, or one for each row, ascending
    rows = queue.dequeue(1000, now=clock.now())   # the newest rows of the 1,000 keys most worth refreshing

For the order a batch is one instant: of a key's rows in it only the last survives.  FIFO and IN-PLACE orders
are the same as row by row.  The complete state of a queue is an Arrow table: `save` it, `load` it elsewhere,
go on.

Cost: a few array passes per batch and one Python step per distinct key in it; see `headwater bench updates`.
`AppendQueue` has the same interface and holds every row, or a random fraction of them.
"""

from __future__ import annotations

import json
from collections import deque

import numpy as np
import pyarrow as pa

from headwater.errors import InputError
from headwater.overload.updates.queue.cells import Floats, Ints, KeyCells, KeyIndex
from headwater.overload.updates.queue.policies import make_order
from headwater.overload.updates.queue.rows import NewestRows

__all__ = ["AppendQueue", "UpdateQueue"]


class UpdateQueue:
    """The newest row of each waiting key, and which key is next."""

    def __init__(self, schema: pa.Schema, key: str, policy: str = "best", cost: float = 1e-3) -> None:
        if key not in schema.names:
            raise InputError(
                "HW620", f'the key "{key}" is not a column', detail=f"Columns: {', '.join(schema.names)}"
            )
        self.schema, self.key, self.policy, self.cost = schema, key, policy, cost
        self.cells = KeyCells()
        self.index = KeyIndex()
        self.order = make_order(policy, self.cells, cost)
        self.rows = NewestRows(schema)
        self.enqueued = self.skipped = self.dequeued = 0
        self._first_row: Ints = np.zeros(0, np.int64)
        self._last_row: Ints = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.order)

    def enqueue(self, batch: pa.RecordBatch, at: float | Floats) -> int:
        """Add a batch; returns how many older updates it superseded."""
        count = batch.num_rows
        if not count:
            return 0
        keys = self.index.encode(batch.column(self.key))
        arrived = np.broadcast_to(np.asarray(at, np.float64), count)
        self._grow(len(self.index))
        before = len(self.order)
        self._count_arrivals(keys, arrived)
        last = self._distinct(keys, arrived)
        self.rows.put(keys[last], batch if len(last) == count else batch.take(pa.array(last)))
        skipped = count - (len(self.order) - before)
        self.enqueued += count
        self.skipped += skipped
        return skipped

    def _grow(self, size: int) -> None:
        self.cells.grow(size)
        if size > len(self._first_row):
            self._first_row, self._last_row = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.int64)

    def _count_arrivals(self, keys: Ints, arrived: Floats) -> None:
        """Count updates and set the newest times; where an index repeats, numpy assigns the last value."""
        np.add.at(self.cells.updates, keys, 1)
        self.cells.last_at[keys] = arrived

    def _distinct(self, keys: Ints, arrived: Floats) -> Ints:
        """Pass the keys to the order; returns the last row of each key, in order of arrival."""
        numbers = np.arange(len(keys))
        self._last_row[keys] = numbers
        self._first_row[keys[::-1]] = numbers[::-1]
        first_rows = np.flatnonzero(self._first_row[keys] == numbers)
        last_rows = np.flatnonzero(self._last_row[keys] == numbers)
        entering = first_rows[self.cells.first_at[keys[first_rows]] < 0.0]
        self.cells.first_at[keys[entering]] = arrived[entering]
        self.order.enter_many(keys[entering], arrived[entering])
        if self.order.moves_waiting:
            self.order.supersede_many(*self._superseding(keys, arrived, entering, last_rows))
        return last_rows

    def _superseding(self, keys: Ints, arrived: Floats, entering: Ints, last: Ints) -> tuple[Ints, Floats]:
        """The last row of each key; under linecut not the row with which the key entered."""
        if self.policy == "linecut":
            last = np.setdiff1d(last, entering, assume_unique=True)
        return keys[last], arrived[last]

    def dequeue(self, count: int, now: float) -> pa.Table:
        """The newest rows of up to `count` keys, in the order of service; these keys no longer wait."""
        keys = self.order.take_many(now, min(count, len(self.order)))
        self.cells.first_at[keys] = -1.0
        self.dequeued += len(keys)
        return self.rows.take(keys)

    def staleness(self, now: float) -> float:
        """Queue staleness now, averaged over the keys seen."""
        waiting = self.cells.waiting()
        return float((now - self.cells.first_at[waiting]).sum()) / max(1, len(self.index))

    def set_weight(self, key: object, weight: float) -> None:
        """How much this key's staleness matters, from its next wait on; 1 by default."""
        number = self.index.encode(pa.array([key], self.schema.field(self.key).type))[0]
        self._grow(len(self.index))
        self.cells.weight[number] = weight

    def save(self) -> pa.Table:
        """The complete state: a row for each key with its waiting row, the rest in the metadata."""
        size = len(self.index)
        waiting = self.order.waiting()
        position, mark = np.full(size, -1, np.int64), np.zeros(size, np.int64)
        for number, (key, its_mark) in enumerate(waiting):
            position[key], mark[key] = number, its_mark
        has_row = np.flatnonzero(position >= 0)
        rows = self.rows.peek(has_row)
        at = np.full(size, -1, np.int64)
        at[has_row] = np.arange(len(has_row))
        columns = {
            "queue_key": pa.array(self.index.values, self.schema.field(self.key).type),
            "queue_first_at": self.cells.first_at[:size], "queue_last_at": self.cells.last_at[:size],
            "queue_updates": self.cells.updates[:size], "queue_weight": self.cells.weight[:size],
            "queue_place": position, "queue_mark": mark,
        }  # fmt: skip
        spread = rows.take(pa.array(at, mask=at < 0))
        table = pa.table(columns | dict(zip(self.schema.names, spread.columns, strict=True)))
        about = {
            "key": self.key, "policy": self.policy, "cost": self.cost, "order": self.order.state(),
            "totals": [self.enqueued, self.skipped, self.dequeued],
        }  # fmt: skip
        return table.replace_schema_metadata({"headwater.update_queue": json.dumps(about)})

    @staticmethod
    def load(table: pa.Table) -> UpdateQueue:
        """A saved queue, which continues as the original would have."""
        metadata = table.schema.metadata or {}
        if b"headwater.update_queue" not in metadata:
            raise InputError("HW621", "the table is not a saved update queue")
        about = json.loads(metadata[b"headwater.update_queue"])
        schema = pa.schema([field for field in table.schema if not field.name.startswith("queue_")])
        queue = UpdateQueue(schema, about["key"], about["policy"], about["cost"])
        queue._restore(table, about)
        return queue

    def _restore(self, table: pa.Table, about: dict[str, object]) -> None:
        self.index = KeyIndex(table["queue_key"].to_pylist())
        size = len(self.index)
        self._grow(size)
        for name in ("first_at", "last_at", "updates", "weight"):
            getattr(self.cells, name)[:size] = table[f"queue_{name}"].to_numpy()
        position, mark = table["queue_place"].to_numpy(), table["queue_mark"].to_numpy()
        keys = np.flatnonzero(position >= 0)
        keys = keys[np.argsort(position[keys])]
        state: dict[str, float] = about["order"]  # type: ignore[assignment]
        self.order.restore(list(zip(keys.tolist(), mark[keys].tolist(), strict=True)), state)
        rows = table.select(self.schema.names).take(pa.array(keys)).combine_chunks()
        for batch in rows.to_batches(max_chunksize=max(1, len(keys))):
            self.rows.put(keys, batch)
        self.enqueued, self.skipped, self.dequeued = about["totals"]  # type: ignore[misc]


class AppendQueue:
    """Every row, first in, first out; or a random fraction `keep` of them."""

    def __init__(self, schema: pa.Schema, keep: float = 1.0, seed: int = 0) -> None:
        self.schema, self.keep = schema, keep
        self.random = np.random.default_rng(seed)
        self.skipped = 0
        self._parts: deque[pa.RecordBatch] = deque()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def enqueue(self, batch: pa.RecordBatch) -> int:
        """Add a batch; returns how many rows were shed."""
        rows = batch
        if self.keep < 1.0:
            rows = batch.filter(pa.array(self.random.random(batch.num_rows) < self.keep))
        self._parts.append(rows)
        self._length += rows.num_rows
        self.skipped += batch.num_rows - rows.num_rows
        return int(batch.num_rows - rows.num_rows)

    def dequeue(self, count: int) -> pa.Table:
        taken: list[pa.RecordBatch] = []
        while self._parts and count > 0:
            part = self._parts.popleft()
            taken.append(part.slice(0, count))
            if part.num_rows > count:
                self._parts.appendleft(part.slice(count))
            count -= taken[-1].num_rows
        self._length -= sum(part.num_rows for part in taken)
        return pa.Table.from_batches(taken, self.schema)

    def save(self) -> pa.Table:
        """The waiting rows. The random choice of what to shed starts afresh after a load."""
        return pa.Table.from_batches(list(self._parts), self.schema)

    @staticmethod
    def load(table: pa.Table, keep: float = 1.0, seed: int = 0) -> AppendQueue:
        queue = AppendQueue(table.schema, keep, seed)
        queue._parts.extend(table.to_batches())
        queue._length = table.num_rows
        return queue
