"""What was used last, up to a limit: shared by all threads of a process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["RecentlyUsed"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentlyUsed(Generic[Key, Value]):
    """Values by key. Once they cost more than `limit`, those that were not used for longest are forgotten."""

    def __init__(self, limit: int, cost: Callable[[Value], int] = lambda value: 1) -> None:
        self.limit = limit
        self._cost = cost
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> Value:
        """Remember a value, and return it."""
        with self._lock:
            before = self._values.pop(key, None)
            self._total += self._cost(value) - (0 if before is None else self._cost(before))
            self._values[key] = value
            while self._total > self.limit:
                self._total -= self._cost(self._values.popitem(last=False)[1])
        return value

    @property
    def total(self) -> int:
        """What the remembered values cost."""
        with self._lock:
            return self._total
