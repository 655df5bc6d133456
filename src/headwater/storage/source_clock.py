"""The clock of one source: every change of it gets a later time than anything already promised complete.

Writers are processes (`headwater ingest`, the capture of a run, a Python program) and readers of the
watermark are processes too (the run).  They meet in one small file per source, locked while somebody holds
it, which stores the last time given out:

    a writer    holds the lock, takes time t = max(now, last + 1), commits its changes at t, stores t
    the run     holds the lock for a moment, stores w = max(now, last): from then on every change up to w is
                in the Delta log, because a later writer gets a later time

So a watermark advances while a source is idle, and no change is ever committed behind it.  If a writer is
killed the lock is free at once; if it died between commit and store, the table's own time is the later one
and counts.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["SourceClock", "Turn"]


@dataclass(slots=True)
class Turn:
    """The lock held: `last` is the last time given out."""

    last: int
    descriptor: int

    def take(self, now: int) -> int:
        """A time later than all before."""
        return max(now, self.last + 1)

    def store(self, time: int) -> None:
        os.pwrite(self.descriptor, f"{time:020d}".encode(), 0)
        self.last = time


@dataclass(slots=True)
class SourceClock:
    path: str
    _made: bool = field(default=False, init=False)

    @contextmanager
    def turn(self, wait: bool = True) -> Iterator[Turn | None]:
        """Hold the lock. Without `wait`, None if somebody else holds it."""
        if not self._made:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._made = True
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield None
                return
            text = os.pread(descriptor, 20, 0)
            yield Turn(int(text) if text.strip() else 0, descriptor)
        finally:
            os.close(descriptor)
