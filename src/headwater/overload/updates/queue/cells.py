"""Key cells: what an update queue remembers about each key, one column per fact.

    first_at    arrival of the oldest waiting update; negative if none waits
    last_at     arrival of the newest update
    updates     how many updates have ever arrived: gives the rate of a key
    weight      how much a second of this key's staleness matters

Keys are small integers here (`KeyIndex` assigns them), so a column is one numpy array and a batch of updates
is a handful of array operations.  Single events go through memoryviews of the same arrays, which cost a
third of numpy's own indexing and return plain floats: one structure serves the queue and the simulator.

Memory: 32 bytes a key, whatever the number of updates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Floats", "Ints", "KeyCells", "KeyIndex"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
NOTHING = -1.0


class KeyCells:
    """Growing columns over keys 0, 1, 2, ...; `*_view` are memoryviews of the same memory."""

    def __init__(self, size: int = 0) -> None:
        self.size = 0
        self._capacity = 0
        self.first_at: Floats = np.empty(0)
        self.last_at: Floats = np.empty(0)
        self.updates: Ints = np.empty(0, np.int64)
        self.weight: Floats = np.empty(0)
        self.first_at_view: Any = None
        self.updates_view: Any = None
        self.weight_view: Any = None
        self.grow(size)

    def grow(self, size: int) -> None:
        """Make room for keys below `size`; memoryviews taken before must be taken again."""
        if size > self._capacity:
            self._reserve(max(size, 2 * self._capacity, 16))
        self.size = max(self.size, size)

    def _reserve(self, capacity: int) -> None:
        more = capacity - self._capacity
        self.first_at = np.concatenate([self.first_at, np.full(more, NOTHING)])
        self.last_at = np.concatenate([self.last_at, np.full(more, NOTHING)])
        self.updates = np.concatenate([self.updates, np.zeros(more, np.int64)])
        self.weight = np.concatenate([self.weight, np.ones(more)])
        self._capacity = capacity
        self.first_at_view = self.first_at.data
        self.updates_view = self.updates.data
        self.weight_view = self.weight.data

    def waiting(self) -> Ints:
        """The keys that have an update waiting, ascending."""
        return np.flatnonzero(self.first_at[: self.size] >= 0.0)


class KeyIndex:
    """Assigns each key value, of any Arrow type, a small integer, in order of first appearance.

    A batch costs one dictionary encoding in Arrow.  Its distinct keys are then looked up in a Python
    dictionary if they are few, else in Arrow, which must hash all keys seen so far but takes a tenth of the
    time per key.
    """

    def __init__(self, values: Iterable[object] = ()) -> None:
        self.values: list[object] = list(values)
        self._ids: dict[object, int] = {value: number for number, value in enumerate(self.values)}
        self._seen: pa.Array | None = None

    def __len__(self) -> int:
        return len(self.values)

    def get(self, value: object) -> int | None:
        return self._ids.get(value)

    def encode(self, column: pa.Array) -> Ints:
        """The integers of a column of keys; new keys are added."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        distinct = encoded.dictionary
        numbers = self._find_many(distinct) if 8 * len(distinct) > len(self.values) > 0 else None
        if numbers is None:
            numbers = np.array([self.number(value) for value in distinct.to_pylist()], np.int64)
        return numbers[encoded.indices.to_numpy(zero_copy_only=False)]

    def number(self, value: object) -> int:
        """The integer of a key, assigned now if it is new."""
        number = self._ids.get(value)
        if number is None:
            number = self._ids[value] = len(self.values)
            self.values.append(value)
        return number

    def _find_many(self, distinct: pa.Array) -> Ints:
        if self._seen is None or len(self._seen) < len(self.values) or self._seen.type != distinct.type:
            self._seen = pa.array(self.values, distinct.type)
        positions = pc.index_in(distinct, value_set=self._seen)
        numbers: Ints = positions.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            numbers[missing] = [self.number(value) for value in distinct.take(pa.array(missing)).to_pylist()]
        return numbers
