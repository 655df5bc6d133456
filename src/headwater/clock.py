"""Time comes from one object, so that a test can run an hour in a second.

Instants inside Headwater are microseconds since 1970 (UTC) as plain integers: they order changes, are
stored in Delta tables as BIGINT, and compare exactly.  Durations are `timedelta`.
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

__all__ = ["Clock", "ManualClock", "SystemClock", "instant_text", "micros"]


class Clock(Protocol):
    """What tells the time and waits."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        ...

    def sleep(self, duration: timedelta) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def sleep(self, duration: timedelta) -> None:
        time.sleep(max(0.0, duration.total_seconds()))


class ManualClock:
    """A clock that moves only when told to: `sleep` moves it at once."""

    def __init__(self, start: int = 1_700_000_000_000_000) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> int:
        return self._now

    def sleep(self, duration: timedelta) -> None:
        self.advance(duration)

    def advance(self, duration: timedelta) -> None:
        with self._lock:
            self._now += micros(duration)


def micros(duration: timedelta) -> int:
    """A duration as microseconds."""
    return duration // timedelta(microseconds=1)


def instant_text(instant: int) -> str:
    """An instant as people read it: 2026-01-31 12:00:00.000000Z."""
    at = datetime.fromtimestamp(instant // 1_000_000, UTC) + timedelta(microseconds=instant % 1_000_000)
    return at.strftime("%Y-%m-%d %H:%M:%S.%fZ")
