"""A push as it is written down: its decision, its reason and what it cost."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from headwater.catalog import Catalog
from headwater.engine.push import Pushed

__all__ = ["PushRecord", "Records"]


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
    serves: str = ""  # the views it worked for, with commas; none: `view` alone
    bytes_copied: int = 0  # from another site
    action: str = ""  # pushes of one Spark action share it

    def row(self) -> dict[str, Any]:
        return asdict(self)


class Records:
    """The pushes that nobody has written down yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[PushRecord] = []

    def pushed(self, at: int, pushed: Pushed, expected: timedelta, catalog: Catalog, attempt: int) -> None:
        meter, effort = pushed.meter, pushed.effort
        self._add(
            PushRecord(
                at, pushed.job.kept.view, pushed.stage, pushed.mode.value, pushed.reason, pushed.after,
                pushed.until, effort.changed, effort.scanned, effort.result, meter.seconds,
                expected.total_seconds(), meter.cpu_seconds, meter.jobs, attempt,
                site=catalog.site_of(pushed.stage), serves=",".join(sorted(catalog.serves(pushed.stage))),
                bytes_copied=pushed.bytes_copied, action=pushed.action,
            )
        )  # fmt: skip

    def failed(self, at: int, view: str, after: int, until: int, attempt: int, error: str) -> None:
        self._add(
            PushRecord(
                at, view, view, "failed", "see error", after, until, 0, 0, 0, 0.0, 0.0, 0.0, 0, attempt, error
            )
        )  # fmt: skip

    def _add(self, record: PushRecord) -> None:
        with self._lock:
            self._waiting.append(record)

    def drain(self) -> list[PushRecord]:
        """Those since the last call."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting
