"""A push as it is written down: its decision, its reason and what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["PushRecord"]


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
