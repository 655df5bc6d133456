"""A capture polled again and again, in a thread of its own.

Each Capturing is written by the thread that polls it and by nobody else, but for `reached`; the run's loop
reads how far it has come, and says how far all of them have.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.capture.polling import Capture
from headwater.clock import Clock
from headwater.errors import HeadwaterError, brief
from headwater.storage.records.capture_health import CaptureHealth, WaitingFile

__all__ = ["Capturing"]

logger = logging.getLogger(__name__)

POLL_EVERY = timedelta(milliseconds=400)
AFTER_FAILURE = timedelta(seconds=1)


@dataclass(slots=True)
class Capturing:
    capture: Capture
    clock: Clock
    watermark: int = 0
    reached: int = 0  # by any source of the run, as the loop says
    changes: int = 0  # captured so far
    behind: bool = False
    error: str = ""
    detail: str = ""  # of the error: the server's own words
    hint: str = ""  # what to do about it
    waiting: tuple[WaitingFile, ...] = ()
    replacement: Capture | None = None  # takes over at the next poll: the table is declared otherwise now
    held: Mapping[str, int] = field(default_factory=dict)  # tables that do not follow -> their own watermarks
    notes: deque[str] = field(default_factory=deque)  # taken by the run, which shows them

    @property
    def name(self) -> str:
        return ", ".join(self.capture.tables)

    @property
    def problem(self) -> str:
        """What keeps it from taking in everything, for people; "" if nothing does."""
        if self.error or not self.waiting:
            return f"{self.error} ({self.detail})" if self.detail else self.error
        first, count = self.waiting[0], len(self.waiting)
        others = f" (and {count - 1} more)" if count > 1 else ""
        return f"{first.file}{others} cannot be read and is tried again: {first.reason}"

    @property
    def health(self) -> CaptureHealth:
        return CaptureHealth(self.error, self.waiting, self.detail, self.hint)

    def watermark_of(self, table: str) -> int:
        return self.held.get(table, self.watermark)

    def poll(self) -> int:
        """Take in what there is, and move the watermark on; returns how many rows there were."""
        if self.replacement is not None:
            self.capture.close()
            self.capture, self.replacement = self.replacement, None
        polled = self.capture.poll(self.reached)
        self.changes += polled.changes
        self.behind = polled.behind
        self.held = polled.held
        self.watermark = max(self.watermark, polled.watermark)
        self._note(polled.error)
        self.waiting = polled.waiting
        self.notes.extend(polled.notes)
        return polled.changes + polled.snapshot_rows

    def _note(self, error: HeadwaterError | None) -> None:
        self.error = "" if error is None else error.message
        self.detail = "" if error is None else error.detail
        self.hint = "" if error is None else error.hint

    def poll_safely(self) -> timedelta:
        """Poll, and say how long to wait before the next time."""
        try:
            rows = self.poll()
        except Exception as error:
            logger.exception("the capture of %s failed", self.name)
            self.error, self.detail, self.hint = brief(error), "", ""
            return AFTER_FAILURE
        return timedelta() if rows and self.behind else POLL_EVERY

    def poll_until(self, stop: threading.Event) -> None:
        while not stop.is_set():
            self.clock.sleep(self.poll_safely())
