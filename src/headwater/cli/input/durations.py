"""Durations as people type them: 10s, 500ms, 2m, 1h, 1h30m, or plain seconds."""

from __future__ import annotations

import re
from datetime import timedelta

from headwater.errors import InputError

__all__ = ["duration", "positive_duration"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def duration(text: str, option: str) -> timedelta:
    """The duration, or a clear error that names the option."""
    cleaned = text.strip().lower().replace(" ", "")
    if re.fullmatch(r"\d+(\.\d+)?", cleaned):
        return timedelta(seconds=float(cleaned))
    parts = _PART.findall(cleaned)
    if not parts or "".join(number + unit for number, unit in parts) != cleaned:
        raise InputError(
            "HW001",
            f'{option}: "{text}" is not a duration',
            hint="Write seconds, or a number with ms, s, m, h or d: 10s, 500ms, 1h30m.",
        )
    return timedelta(seconds=sum(float(number) * _UNITS[unit] for number, unit in parts))


def positive_duration(text: str, option: str) -> timedelta:
    """The same, longer than zero."""
    length = duration(text, option)
    if length <= timedelta():
        raise InputError("HW001", f"{option} must be longer than 0 s", hint="Write for example 30s or 10m.")
    return length
