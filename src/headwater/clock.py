"""Time comes from one object, so that a test can run an hour in a second.

Instants inside Headwater are microseconds since 1970 (UTC) as plain integers: they order changes, are
stored in Delta tables as BIGINT, and compare exactly.  Durations are `timedelta`.

A wall clock may be set back or forward while a run goes on.  Whatever measures how long something took, or
waits, asks `monotonic`, which never goes back and means nothing outside its process.
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

__all__ = ["Clock", "ManualClock", "SystemClock", "instant_of", "instant_text", "micros", "moment_text"]

_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """What tells the time and waits."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        ...

    def monotonic(self) -> int:
        """Microseconds since some instant in the past; it never goes back."""
        ...

    def sleep(self, duration: timedelta) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1000

    def sleep(self, duration: timedelta) -> None:
        time.sleep(max(0.0, duration.total_seconds()))


class ManualClock:
    """A clock that moves only when told to: `sleep` moves it at once."""

    def __init__(self, start: int = 1_700_000_000_000_000) -> None:
        self._now = start
        self._monotonic = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        return self._now

    def monotonic(self) -> int:
        return self._monotonic

    def sleep(self, duration: timedelta) -> None:
        self.advance(duration)

    def advance(self, duration: timedelta) -> None:
        """Let time pass."""
        with self._lock:
            self._now += micros(duration)
            self._monotonic += micros(duration)

    def step(self, duration: timedelta) -> None:
        """Set the wall clock forward, or back by a negative duration; no time passes."""
        with self._lock:
            self._now += micros(duration)


def micros(duration: timedelta) -> int:
    """A duration as microseconds."""
    return duration // _MICROSECOND


def instant_of(at: datetime) -> int:
    """A date and time as microseconds since 1970; without a zone, UTC."""
    return micros(
        (at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    )


def instant_text(instant: int) -> str:
    """An instant in ISO 8601, in the one form of all answers: 2026-01-31T12:00:00.000000Z."""
    at = datetime.fromtimestamp(instant // 1_000_000, UTC).replace(tzinfo=None)
    return (at + timedelta(microseconds=instant % 1_000_000)).isoformat(timespec="microseconds") + "Z"


def moment_text(instant: int) -> str:
    """An instant for a heading, to the second: 2026-01-31 12:00:00."""
    return instant_text(instant)[:19].replace("T", " ")
