"""What the run loop needs of any source, whatever stands behind it.

    poll()       capture what there is (a bounded amount), and say up to which time the tables are complete
    watermark    every change up to it is in the tables' timelines, and none will ever be added behind it

The run loop polls each capture in turn or in a thread of its own, pushes views up to the least watermark of
the tables they read, and takes the watermark from nowhere else: tables captured together (one PostgreSQL
database) have one watermark, which moves only when all of them have committed.  An error does not raise: it
is in `Polled`, the watermark stands still, staleness grows and is seen, and the next poll tries again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headwater.capture.append import open_source
from headwater.clock import Clock
from headwater.errors import HeadwaterError
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["ApiCapture", "Capture", "Polled", "advance"]


@dataclass(frozen=True, slots=True)
class Polled:
    """What a poll did. `behind`: there is more to capture now, poll again at once (or soon)."""

    changes: int
    watermark: int
    behind: bool = False
    error: HeadwaterError | None = None
    state: str = ""  # for people: "", "snapshot", "catching up", "waiting 4 s: server is down"


class Capture(Protocol):
    """One source or several that are captured together. Used by one thread."""

    @property
    def tables(self) -> tuple[str, ...]: ...

    def poll(self) -> Polled: ...

    def close(self) -> None: ...


def advance(warehouse: Warehouse, table: str, clock: Clock, before: int) -> int:
    """Move the watermark of an idle source to now; `before` if a writer holds its turn just then."""
    with warehouse.clock(table).turn(wait=False) as turn:
        if turn is None:
            return before
        watermark = max(clock.now(), turn.last, warehouse.source(table).time())
        if watermark > turn.last:
            turn.store(watermark)
        return watermark


class ApiCapture:
    """A table fed by `ingest`, Python or a stream: others write, so polling only moves the watermark."""

    def __init__(self, warehouse: Warehouse, table: Table, clock: Clock) -> None:
        self._warehouse = warehouse
        self._table = table
        self._clock = clock
        self._watermark = open_source(warehouse, table).time()

    @property
    def tables(self) -> tuple[str, ...]:
        return (self._table.name,)

    def poll(self) -> Polled:
        before = self._watermark
        self._watermark = advance(self._warehouse, self._table.name, self._clock, before)
        # A writer holds the turn just now: what it commits is still to come.
        return Polled(0, self._watermark, behind=self._watermark == before)

    def close(self) -> None:
        return None
