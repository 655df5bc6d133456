"""What people ask with: durations, instants and periods, on the command line and over HTTP.

    durations   10s, 500ms, 2m, 1h, 1h30m, or plain seconds
    instants    2026-01-31, 2026-01-31T12:00, 2026-01-31 12:00:05Z; without a zone, UTC

An error names the option or parameter that is wrong.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from headwater.clock import instant_of, micros
from headwater.errors import InputError
from headwater.sql.parsing import intervals

__all__ = ["duration", "instant", "interval", "period", "positive_duration", "positive_interval"]

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


def interval(text: timedelta | str, name: str) -> timedelta:
    """A duration as SQL and Python have it: "5s", "2 minutes", a timedelta; TypeError for anything else."""
    if isinstance(text, timedelta):
        return text
    if not isinstance(text, str):
        raise TypeError(f'{name} is a timedelta or a text such as "5s", not {type(text).__name__}')
    try:
        return intervals.duration(text)
    except ValueError as error:
        hint = 'Write "5s", "2 minutes" or a timedelta.'
        raise InputError("HW001", f"{name}: {error}", hint=hint) from None


def positive_interval(given: timedelta | str, name: str) -> timedelta:
    """The same, longer than zero."""
    length = interval(given, name)
    if length <= timedelta():
        raise InputError("HW001", f"{name} must be longer than zero", hint='Write "60s" or a timedelta.')
    return length


def instant(text: date | int | str, option: str) -> int:
    """Microseconds since 1970, or a clear error that names the option."""
    if isinstance(text, int):
        return text
    if not isinstance(text, date | str):
        raise TypeError(f'{option} is a datetime or a text such as "2026-01-31", not {type(text).__name__}')
    try:
        at = text if isinstance(text, datetime) else datetime.fromisoformat(str(text).strip())
    except ValueError:
        raise InputError(
            "HW001",
            f'{option}: "{text}" is not an instant',
            hint="Write a date or date and time: 2026-01-31, 2026-01-31T12:00 (UTC), 2026-01-31T12:00+01:00",
        ) from None
    return instant_of(at)


def period(now: int, since: str | None, until: str | None, last: str | None) -> tuple[int | None, int]:
    """Start and end in microseconds; a start of None means from the beginning."""
    end = now if until is None else instant(until, "--until")
    if last is not None:
        if since is not None:
            raise InputError(
                "HW003", "--last and --since both say when the period starts", hint="Use only one of them."
            )
        return end - micros(positive_duration(last, "--last")), end
    start = None if since is None else instant(since, "--since")
    if start is not None and start >= end:
        raise InputError("HW001", f"--since {since} must be before {until or 'now'}")
    return start, end
