"""What a run does now and then off the critical path: each chore at its own interval.

A `Housekeeping` has one thread.  A run has four of them, so that what may take minutes (vacuum, system
tables, the first load of a store, a verification) does not delay what is due every few seconds (the audit).
Intervals are measured by the monotonic clock: a wall clock that is set back delays nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.clock import Clock, micros
from headwater.engine.run.guard import Guard

__all__ = [
    "COMPACT_EVERY", "RELOAD_EVERY", "REPLAN_EVERY", "RETAIN_EVERY", "REVIVE_EVERY", "SINK_EVERY",
    "SNAPSHOT_EVERY", "SYSTEM_TABLES_EVERY", "VACUUM_EVERY", "VERIFY_EVERY", "Chore", "Housekeeping",
]  # fmt: skip

SINK_EVERY = timedelta(milliseconds=400)
SNAPSHOT_EVERY = timedelta(seconds=5)
COMPACT_EVERY = timedelta(seconds=10)
RELOAD_EVERY = timedelta(seconds=1)
REPLAN_EVERY = timedelta(minutes=10)
RETAIN_EVERY = timedelta(minutes=1)
REVIVE_EVERY = timedelta(seconds=20)
SYSTEM_TABLES_EVERY = timedelta(minutes=1)
VACUUM_EVERY = timedelta(minutes=10)
VERIFY_EVERY = timedelta(milliseconds=500)  # looks whether one was asked for

LOOK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Chore:
    every: timedelta
    work: Callable[[], object]
    at_start: bool = False  # also done when the run begins


@dataclass(slots=True)
class Housekeeping:
    chores: Mapping[str, Chore]
    clock: Clock
    guard: Guard = field(default_factory=Guard)
    _done_at: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        now = self.clock.monotonic()
        self._done_at = {
            name: now - micros(chore.every) if chore.at_start else now for name, chore in self.chores.items()
        }

    def turn(self) -> None:
        """Do the chores that are due."""
        for name, chore in self.chores.items():
            if self.clock.monotonic() - self._done_at[name] >= micros(chore.every):
                self._done_at[name] = self.clock.monotonic()
                self.guard.do(name, chore.work)

    def turn_until(self, stop: threading.Event) -> None:
        while not stop.wait(LOOK_EVERY_S):
            self.turn()
