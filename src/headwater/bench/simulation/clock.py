"""A clock that jumps: sleeping takes it to the next instant at which anything happens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from headwater.clock import ManualClock, micros

__all__ = ["JumpingClock"]


class JumpingClock(ManualClock):
    def __init__(self) -> None:
        super().__init__()
        self.next_at: Callable[[], int] = lambda: 0  # monotonic
        self.tick: Callable[[], None] = lambda: None

    def sleep(self, duration: timedelta) -> None:
        """Sleep at least so long, and on until something happens; then let it happen."""
        self.advance(timedelta(microseconds=max(micros(duration), self.next_at() - self.monotonic())))
        self.tick()
