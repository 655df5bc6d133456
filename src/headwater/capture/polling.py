"""What the run loop needs of any source, whatever stands behind it.

    poll(at)     capture what there is (a bounded amount), and say up to which time the tables are complete:
                 now, or `at`, the time that other sources have reached, if that is later
    watermark    every change up to it is in the tables' timelines, and none will ever be added behind it

The run polls each capture in a thread of its own, pushes views up to the least watermark of the tables they
read, and takes the watermark from nowhere else: tables captured together (one PostgreSQL database) have one
watermark, which moves only when all of them have committed.  An error does not raise: it is in `Polled`, the
watermark stands still, staleness grows and is seen, and the next poll tries again.

Times may run ahead of the clock: it was set back, or a writer's was ahead.  Changes then get the next times
there are, and no time passes but by changes.  A source that had not run ahead would keep every view that also
reads one that had from moving on until the clock is there; so the sources of a run go to the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from headwater.capture.intake.append import open_source
from headwater.clock import Clock
from headwater.errors import HeadwaterError
from headwater.model import Table
from headwater.storage.records.capture_health import WaitingFile
from headwater.storage.warehouse import Warehouse

__all__ = ["Advanced", "ApiCapture", "Capture", "Polled", "RefusedCapture", "advance"]


@dataclass(frozen=True, slots=True)
class Polled:
    """What a poll did. `behind`: there is more to capture now, poll again at once (or soon).

    With an error that concerns some tables only, the others go on; `held` has the watermarks of those that do
    not.
    """

    changes: int
    watermark: int
    behind: bool = False
    error: HeadwaterError | None = None
    state: str = ""  # for people: "", "snapshot of orders: 400,000 rows", "catching up", "next try in 4.0 s"
    held: Mapping[str, int] = field(default_factory=dict)  # tables that do not follow -> their own watermarks
    notes: tuple[str, ...] = ()  # what happened that a user should know
    snapshot_rows: int = 0  # read by this poll, and committed once all rows are read
    waiting: tuple[WaitingFile, ...] = ()  # files that cannot be read just now; the others go on


class Capture(Protocol):
    """One source or several that are captured together. Used by one thread."""

    @property
    def tables(self) -> tuple[str, ...]: ...

    def poll(self, at: int = 0) -> Polled: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Advanced:
    watermark: int
    writing: bool  # a writer holds the source's lock: what it commits is still to come


def advance(warehouse: Warehouse, table: str, now: int, before: int) -> Advanced:
    """Move the watermark of a source to `now`, or, while somebody writes, to what is certainly committed."""
    source_clock = warehouse.clock(table)
    with source_clock.turn(wait=False) as turn:
        if turn is None:
            return Advanced(max(before, source_clock.last() or 0), writing=True)
        watermark = max(now, turn.last, warehouse.source(table).time())
        if watermark > turn.last:
            turn.declare(watermark)
        return Advanced(watermark, writing=False)


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

    def poll(self, at: int = 0) -> Polled:
        now = max(self._clock.now(), at)
        advanced = advance(self._warehouse, self._table.name, now, self._watermark)
        self._watermark = advanced.watermark
        return Polled(0, self._watermark, behind=advanced.writing)

    def close(self) -> None:
        return None


class RefusedCapture:
    """A table that cannot be captured as it is declared or stored: nothing of it is, and the others go on."""

    def __init__(self, table: Table, error: HeadwaterError, watermark: int) -> None:
        self._table = table
        self._error = error
        self._watermark = watermark

    @property
    def tables(self) -> tuple[str, ...]:
        return (self._table.name,)

    def poll(self, at: int = 0) -> Polled:
        return Polled(0, self._watermark, error=self._error)

    def close(self) -> None:
        return None
