"""Key cells: what an update queue remembers of each key, one column per fact.

    first_at    arrival of the oldest update that waits; negative when none does
    last_at     arrival of the newest update
    updates     how many updates have come, ever: the rate of a key is read from it
    weight      how much a second of this key's staleness matters

Keys are small integers here (`KeyIndex` gives them out), so a column is one numpy array and a batch of updates is
a handful of array operations.  An event at a time goes through the memoryviews of the same arrays, which cost a
third of numpy's own indexing and hand out plain floats: one structure serves the queue and the simulator.

Memory: 32 bytes a key, whatever the number of updates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

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
        self.first_at_view = memoryview(self.first_at)
        self.updates_view = memoryview(self.updates)
        self.weight_view = memoryview(self.weight)

    def waiting(self) -> Ints:
        """The keys that have an update waiting, ascending."""
        return np.flatnonzero(self.first_at[: self.size] >= 0.0)


class KeyIndex:
    """Gives each key value, of whatever type Arrow holds, its small integer, in order of first appearance.

    A batch costs one dictionary encoding in Arrow and one Python lookup for each distinct key in it.
    """

    def __init__(self, values: Iterable[object] = ()) -> None:
        self.values: list[object] = list(values)
        self._ids: dict[object, int] = {value: number for number, value in enumerate(self.values)}

    def __len__(self) -> int:
        return len(self.values)

    def get(self, value: object) -> int | None:
        return self._ids.get(value)

    def encode(self, column: pa.Array) -> Ints:
        """The integers of a column of keys, new keys added."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        ids, values = self._ids, self.values
        numbers = []
        for value in encoded.dictionary.to_pylist():
            number = ids.get(value)
            if number is None:
                number = ids[value] = len(values)
                values.append(value)
            numbers.append(number)
        return np.asarray(numbers, np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
