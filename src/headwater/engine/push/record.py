"""A push as it is recorded: the decision, its reason and its cost."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from headwater.catalog import Catalog
from headwater.clock import Clock

if TYPE_CHECKING:
    from headwater.engine.push.commit import Pushed

__all__ = ["Failure", "PushRecord", "Records"]


@dataclass(frozen=True, slots=True)
class PushRecord:
    at: int
    view: str
    stage: str
    mode: str
    reason: str
    after: int
    until: int
    changed_rows: int
    scanned_rows: int
    result_rows: int
    seconds: float
    predicted_seconds: float
    cpu_seconds: float
    spark_jobs: int
    attempt: int
    error: str = ""
    site: str = ""
    serves: str = ""  # the views it worked for, comma-separated; empty: `view` alone
    bytes_copied: int = 0  # from another site
    action: str = ""  # pushes of one Spark action share it
    actions_before: int | None = None  # of its kind that the same Spark had run
    trace: str = ""  # the error with its traceback

    def row(self) -> dict[str, Any]:
        return asdict(self)


class Failure(Protocol):
    """A push, or the publication of one, that failed."""

    @property
    def view(self) -> str: ...
    @property
    def after(self) -> int: ...
    @property
    def until(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def error(self) -> str: ...
    @property
    def trace(self) -> str: ...


class Records:
    """Pushes that are not yet in the pushes table. Safe to use from several threads."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._waiting: list[PushRecord] = []

    def pushed(self, pushed: Pushed, expected: timedelta, catalog: Catalog, attempt: int) -> None:
        meter, effort = pushed.meter, pushed.effort
        self._add(
            PushRecord(
                self.clock.now(), pushed.job.kept.view, pushed.stage, pushed.mode.value, pushed.reason,
                pushed.after, pushed.until, effort.changed, effort.scanned, effort.result, meter.seconds,
                expected.total_seconds(), meter.cpu_seconds, meter.jobs, attempt,
                site=catalog.site_of(pushed.stage), serves=",".join(sorted(catalog.serves(pushed.stage))),
                bytes_copied=pushed.bytes_copied, action=pushed.action,
                actions_before=pushed.actions_before,
            )
        )  # fmt: skip

    def failed(self, failure: Failure) -> None:
        self._add(
            PushRecord(
                self.clock.now(), failure.view, failure.view, "failed", "see error", failure.after,
                failure.until, 0, 0, 0, 0.0, 0.0, 0.0, 0, failure.attempt, failure.error, trace=failure.trace,
            )
        )  # fmt: skip

    def _add(self, record: PushRecord) -> None:
        with self._lock:
            self._waiting.append(record)

    def drain(self) -> list[PushRecord]:
        """The records since the last call."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting
