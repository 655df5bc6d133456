"""The policies by name: which order of keys an update queue keeps."""

from __future__ import annotations

from headwater.errors import InputError
from headwater.overload.updates.queue.best import Best
from headwater.overload.updates.queue.cells import KeyCells
from headwater.overload.updates.queue.orders import Fifo, InPlace, LineCut, Order

__all__ = ["POLICIES", "make_order"]

POLICIES = ("append", "shed", "fifo", "inplace", "linecut", "best")


def make_order(policy: str, cells: KeyCells, cost: float) -> Order:
    """The order of an update queue under a policy."""
    match policy:
        case "fifo":
            return Fifo(cells)
        case "inplace":
            return InPlace(cells)
        case "linecut":
            return LineCut(cells, cost)
        case "best":
            return Best(cells, cost)
        case _:
            raise InputError("HW610", f'"{policy}" is not the policy of an update queue')
