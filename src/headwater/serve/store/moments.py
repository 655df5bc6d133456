"""What CURRENT_TIMESTAMP and its kin are in one answer: one moment for all of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["moments"]


def moments(now: int) -> dict[str, Any]:
    """The parameters that stand for the moment (`bounds/reading/expressions/functions.py`), by name."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=now)
    local = at.replace(tzinfo=None)
    return {
        "$now": at,
        "$today": at.date(),
        "$now_now": at,
        "$now_today": at.date(),
        "$now_tomorrow": at.date() + timedelta(days=1),
        "$now_yesterday": at.date() - timedelta(days=1),
        "$now_localtimestamp": local,
        "$now_utc_timestamp": local,
        "$now_utc_date": at.date(),
        "$now_statement_timestamp": at,
        "$now_getdate": local,
    }
