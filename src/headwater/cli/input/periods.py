"""The period that --since, --until and --last ask for."""

from __future__ import annotations

from headwater.cli.input.durations import positive_duration
from headwater.cli.input.instants import instant
from headwater.clock import micros
from headwater.errors import InputError

__all__ = ["period"]


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
