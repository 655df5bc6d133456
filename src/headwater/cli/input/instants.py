"""Instants as people type them: 2026-01-31, 2026-01-31T12:00, 2026-01-31 12:00:05Z; without a zone, UTC."""

from __future__ import annotations

from datetime import datetime

from headwater.clock import instant_of
from headwater.errors import InputError

__all__ = ["instant"]


def instant(text: str, option: str) -> int:
    """Microseconds since 1970, or a clear error that names the option."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            "HW001",
            f'{option}: "{text}" is not an instant',
            hint="Write a date or date and time: 2026-01-31, 2026-01-31T12:00 (UTC), 2026-01-31T12:00+01:00",
        ) from None
    return instant_of(at)
