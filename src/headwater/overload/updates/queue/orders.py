"""Which key is served next: FIFO, IN-PLACE and LINECUTTING (UpStream, sections 5.2 and 5.3).

All three are one linked list of keys, the paper's queue of keys, and differ only in what an arrival does to
it:

    fifo       the key moves to the tail, whether it was waiting or not
    inplace    a waiting key keeps its position; any other goes to the tail
    linecut    as inplace, but slow updaters are served before all others: rate < 1 / (cost * residents)

`enter` is called for a key with nothing waiting, `supersede` for a waiting one; a caller may skip
`supersede` if `moves_waiting` is false.  Every operation is O(1): Python's OrderedDict is a linked list in
C.  The `_many` forms treat a batch as one instant, in which a key appears once.

Doubt: linecutting starves fast keys when the slow ones alone saturate the server: on Zipf 0.9 keys at load
factor 2 its staleness is 90 times that of IN-PLACE, and worse when the cutters form a stack, the other
reading of "the front" (the report's remark that with many slow updaters the queue behaves like IN-PLACE
supports ours).
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import Protocol

import numpy as np

from headwater.overload.updates.queue.cells import Floats, Ints, KeyCells

__all__ = ["Fifo", "InPlace", "LineCut", "Order"]


class Order(Protocol):
    """Waiting keys, in the order in which they are to be served."""

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
    """A key is served in the order of its oldest waiting update: the best order if rates are equal."""

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
        """Nothing to do: the newer value is served at the older one's position."""

    def take(self, now: float) -> int:
        return self.keys.popitem(last=False)[0]

    def enter_many(self, keys: Ints, ats: Floats) -> None:
        self.keys.update(dict.fromkeys(keys.tolist()))

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        """Nothing to do: the newer values are served at the older ones' positions."""

    def take_many(self, now: float, count: int) -> Ints:
        taken = list(islice(self.keys, count))
        if len(taken) == len(self.keys):
            self.keys.clear()
        else:
            for key in taken:
                del self.keys[key]
        return np.array(taken, np.int64)

    def remove(self, key: int) -> None:
        """Remove a key out of turn, because a reader asked for it."""
        del self.keys[key]

    def waiting(self) -> list[tuple[int, int]]:
        """The keys in the order of service, each with a mark (`best` stores the class there)."""
        return [(key, 0) for key in self.keys]

    def state(self) -> dict[str, float]:
        """What else the order needs to continue where it stopped."""
        return {}

    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None:
        self.keys = OrderedDict.fromkeys(key for key, _ in waiting)


class Fifo(InPlace):
    """A key is served in the order of its newest update: each update makes it wait from the start."""

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

    The rate is counted online: updates of the key over the time since the queue began.  The cutters form a
    line of their own, in which they keep their positions.
    """

    name = "linecut"
    moves_waiting = True

    def __init__(self, cells: KeyCells, cost: float) -> None:
        super().__init__(cells)
        self.cost = cost
        self.began_at = -1.0
        self.cutters: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self.keys) + len(self.cutters)

    def _is_slow(self, key: int, at: float) -> bool:
        """rate < 1 / (cost * residents), multiplied out so that nothing is divided by zero."""
        if self.began_at < 0.0:
            self.began_at = at
        work = self.cost * (len(self.keys) + len(self.cutters))
        slow: bool = self.cells.updates_view[key] * work < at - self.began_at
        return slow

    def enter(self, key: int, at: float) -> None:
        if self._is_slow(key, at):
            self.cutters[key] = None
        else:
            self.keys[key] = None

    def supersede(self, key: int, at: float) -> None:
        if key in self.keys and self._is_slow(key, at):
            del self.keys[key]
            self.cutters[key] = None

    def take(self, now: float) -> int:
        return (self.cutters or self.keys).popitem(last=False)[0]

    def enter_many(self, keys: Ints, ats: Floats) -> None:
        for key, at in zip(keys.tolist(), ats.tolist(), strict=True):
            self.enter(key, at)

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        for key, at in zip(keys.tolist(), ats.tolist(), strict=True):
            self.supersede(key, at)

    def take_many(self, now: float, count: int) -> Ints:
        first = [self.cutters.popitem(last=False)[0] for _ in range(min(count, len(self.cutters)))]
        return np.concatenate([np.array(first, np.int64), super().take_many(now, count - len(first))])

    def remove(self, key: int) -> None:
        del (self.cutters if key in self.cutters else self.keys)[key]

    def waiting(self) -> list[tuple[int, int]]:
        """Cutters are marked with 1."""
        return [(key, 1) for key in self.cutters] + super().waiting()

    def state(self) -> dict[str, float]:
        return {"began_at": self.began_at}

    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None:
        self.cutters = OrderedDict.fromkeys(key for key, cut in waiting if cut)
        self.keys = OrderedDict.fromkeys(key for key, cut in waiting if not cut)
        self.began_at = state["began_at"]
