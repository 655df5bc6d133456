"""Which key is served next: FIFO, IN-PLACE and LINECUTTING (UpStream, sections 5.2 and 5.3).

All three are one linked list of keys, the paper's queue of keys, and differ only in what an arrival does to
it:

    fifo       the key goes to the tail, waiting already or not
    inplace    a key that waits keeps its place; a key that does not goes to the tail
    linecut    as inplace, but a slow updater goes to the very front: rate < 1 / (cost * residents)

`enter` is called for a key with nothing waiting, `supersede` for one that waits already; a caller may skip
`supersede` when `moves_waiting` is false.  Every operation is O(1): Python's OrderedDict is a linked list
in C. The `_many` forms take a batch as one instant, in which a key appears once.

Doubt: literal linecutting starves fast keys when the slow ones alone fill the server, since the front is a
stack. The paper's own setting (Figure 9) does not reach that point; Zipf keys at load factor 2 do, badly.
`best` replaces it.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import Protocol

import numpy as np

from headwater.overload.updates.cells import Floats, Ints, KeyCells

__all__ = ["Fifo", "InPlace", "LineCut", "Order"]


class Order(Protocol):
    """Keys that wait, in the order in which they are to be served."""

    name: str
    moves_waiting: bool

    def __len__(self) -> int: ...
    def enter(self, key: int, at: float) -> None: ...
    def supersede(self, key: int, at: float) -> None: ...
    def take(self, now: float) -> int: ...
    def enter_many(self, keys: Ints, ats: Floats) -> None: ...
    def supersede_many(self, keys: Ints, ats: Floats) -> None: ...
    def take_many(self, now: float, count: int) -> Ints: ...
    def waiting(self) -> list[tuple[int, int]]: ...
    def state(self) -> dict[str, float]: ...
    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None: ...


class InPlace:
    """A key is served in the order of its oldest waiting update: the best when rates are equal."""

    name = "inplace"
    moves_waiting = False

    def __init__(self, cells: KeyCells) -> None:
        self.cells = cells
        self.keys: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self.keys)

    def enter(self, key: int, at: float) -> None:
        self.keys[key] = None

    def supersede(self, key: int, at: float) -> None:
        """The newer value takes the place of the older one."""

    def take(self, now: float) -> int:
        return self.keys.popitem(last=False)[0]

    def enter_many(self, keys: Ints, ats: Floats) -> None:
        self.keys.update(dict.fromkeys(keys.tolist()))

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        """The newer values take the places of the older ones."""

    def take_many(self, now: float, count: int) -> Ints:
        taken = list(islice(self.keys, count))
        if len(taken) == len(self.keys):
            self.keys.clear()
        else:
            for key in taken:
                del self.keys[key]
        return np.array(taken, np.int64)

    def remove(self, key: int) -> None:
        """Take a key out of turn, because someone asked for it."""
        del self.keys[key]

    def waiting(self) -> list[tuple[int, int]]:
        """The keys, first to be served first, each with a mark (`best` keeps its class there)."""
        return [(key, 0) for key in self.keys]

    def state(self) -> dict[str, float]:
        """What else the order must remember to go on where it stopped."""
        return {}

    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None:
        self.keys = OrderedDict.fromkeys(key for key, _ in waiting)


class Fifo(InPlace):
    """A key is served in the order of its newest update: each update costs the key the time it has waited."""

    name = "fifo"
    moves_waiting = True

    def supersede(self, key: int, at: float) -> None:
        self.keys.move_to_end(key)

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        move = self.keys.move_to_end
        for key in keys.tolist():
            move(key)


class LineCut(InPlace):
    """IN-PLACE, but keys so slow that all residents can be served between two of their updates go first.

    The rate is counted on line: updates of the key over the time since the queue began.
    """

    name = "linecut"
    moves_waiting = True

    def __init__(self, cells: KeyCells, cost: float) -> None:
        super().__init__(cells)
        self.cost = cost
        self.began_at = -1.0

    def _is_slow(self, key: int, at: float, residents: int) -> bool:
        """rate < 1 / (cost * residents), multiplied out so that nothing is divided by zero."""
        if self.began_at < 0.0:
            self.began_at = at
        return self.cells.updates_view[key] * self.cost * residents < at - self.began_at

    def enter(self, key: int, at: float) -> None:
        slow = self._is_slow(key, at, len(self.keys))
        self.keys[key] = None
        if slow:
            self.keys.move_to_end(key, last=False)

    def supersede(self, key: int, at: float) -> None:
        if self._is_slow(key, at, len(self.keys)):
            self.keys.move_to_end(key, last=False)

    def enter_many(self, keys: Ints, ats: Floats) -> None:
        for key, at in zip(keys.tolist(), ats.tolist(), strict=True):
            self.enter(key, at)

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        for key, at in zip(keys.tolist(), ats.tolist(), strict=True):
            self.supersede(key, at)

    def state(self) -> dict[str, float]:
        return {"began_at": self.began_at}

    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None:
        super().restore(waiting, state)
        self.began_at = state["began_at"]
