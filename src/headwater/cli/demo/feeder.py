"""Feeds the demo's tables while its views are kept: a batch of changes every half second, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from headwater.errors import InternalError
from headwater.starter.traffic import TABLES, Changes, Traffic

if TYPE_CHECKING:
    from headwater.capture.intake.append import Appended

__all__ = ["Feeder", "feed"]

EVERY = timedelta(milliseconds=500)
BATCH = 100  # changes


class Ingests(Protocol):
    """What takes changes in: an open project, or a test."""

    def ingest(self, table: str, records: list[dict[str, object]], /) -> Appended: ...


def feed(project: Ingests, changes: Changes) -> Mapping[str, int]:
    """Ingest changes, table by table; returns what was accepted. A rejected one is a fault of the demo."""
    accepted = {}
    for table, records in changes.items():
        if records:
            done = project.ingest(table, records)
            if done.rejected:
                reason = done.reasons[0].reason if done.reasons else "no reason given"
                raise InternalError("HW867", f"the demo made a change that {table} rejects: {reason}")
            accepted[table] = done.accepted
    return accepted


class Feeder:
    """A context in which changes keep coming. What went wrong is in `error`; the run goes on without it."""

    def __init__(self, project: Ingests, traffic: Traffic) -> None:
        self._project = project
        self._traffic = traffic
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._feed, name="feeder", daemon=True)
        self.accepted = dict.fromkeys(TABLES, 0)
        self.error: Exception | None = None

    @property
    def changes(self) -> int:
        return sum(self.accepted.values())

    def __enter__(self) -> Feeder:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=30)

    def _feed(self) -> None:
        try:
            while not self._stop.is_set():
                changes = self._traffic.batch(datetime.now(UTC), BATCH)
                for table, count in feed(self._project, changes).items():
                    self.accepted[table] += count
                self._stop.wait(EVERY.total_seconds())
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits for the thread
            self.error = error
