"""Answers remembered by what they were made from: ten clients that poll cost about as much as one.

An answer has a name and a state (versions of logs, an instant rounded): while the state stays, it is given
again.  Several who ask at once wait for the first of them.  What was not asked for longest is forgotten when
there is more than allowed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["Remembered"]

T = TypeVar("T")


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    state: Hashable = None
    value: Any = None
    made: bool = False
    size: float = 0


class Remembered:
    """`most` is a number of answers, or of whatever `size` measures."""

    def __init__(self, most: float, size: Callable[[Any], float] = lambda value: 1) -> None:
        self._most = most
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()

    def answer(self, name: Hashable, state: Hashable, make: Callable[[], T]) -> T:
        """The answer of that name in that state; made if it is not known."""
        return self.changed(name, state, lambda before: make())

    def changed(self, name: Hashable, state: Hashable, make: Callable[[tuple[Any, T] | None], T]) -> T:
        """The same; `make` is given the state and the answer before, if there are any."""
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            self._entries.move_to_end(name)
        with entry.lock:
            if entry.made and entry.state == state:
                return entry.value
            value = make((entry.state, entry.value) if entry.made else None)
            entry.state, entry.value, entry.made = state, value, True
            entry.size = self._size(value)
        self._forget()
        return value

    def _forget(self) -> None:
        with self._lock:
            total = sum(entry.size for entry in self._entries.values())
            while self._entries and total > self._most:
                _, entry = self._entries.popitem(last=False)
                total -= entry.size
