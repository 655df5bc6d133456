"""What routes are asked with: parameters that several share, and the rights of who asks.

Types stand in the OpenAPI description, so most wrong requests are refused before a route is called.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from headwater.clock import instant_of, micros
from headwater.serve.access.keys import Rights, Role
from headwater.serve.asking import duration
from headwater.serve.http.problems import Problem

__all__ = [
    "Duration", "Instant", "Limit", "Points", "allowed", "between", "forbidden", "needs", "rights_of",
]  # fmt: skip

DURATION = r"^([0-9]{1,9}(\.[0-9]{1,6})?|([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h|d)){1,5})$"

Duration = Annotated[
    str | None,
    Query(pattern=DURATION, description="10s, 500ms, 2m, 1h30m, or plain seconds.", examples=["10s"]),
]
Instant = Annotated[datetime | None, Query(description="An instant; without a zone, UTC.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
Points = Annotated[int, Query(ge=2, le=5000, description="About how many points a curve has at most.")]


def rights_of(request: Request) -> Rights:
    rights = request.state.rights
    assert isinstance(rights, Rights)
    return rights


def needs(role: Role) -> Any:
    """A dependency: refuses whoever does not have a role."""

    async def check(request: Request) -> None:  # of the event loop: too short for a thread of its own
        if not rights_of(request).role.includes(role):
            raise forbidden(f'this needs a key with the role "{role.value}"')

    return Depends(check)


def forbidden(why: str) -> Problem:
    return Problem("HW966", why, 403, hint="headwater key add DIR NAME --role ROLE makes a key.")


def allowed(text: str | None) -> timedelta | None:
    """The staleness that a reader accepts."""
    return None if text is None else duration(text, "max_staleness")


def between(
    now: int, since: datetime | None, until: datetime | None, last: str | None, longest: timedelta
) -> tuple[int, int]:
    """A period in microseconds: by default the `last` hour; at most `longest`, so that work is bounded."""
    end = now if until is None else _instant(until)
    if since is not None and last is not None:
        raise Problem("HW962", "`last` and `since` both say when the period starts", 400)
    start = _instant(since) if since is not None else end - micros(duration(last or "1h", "last"))
    if not start < end:
        raise Problem("HW962", "the period ends before it starts", 400)
    if end - start > micros(longest):
        raise Problem(
            "HW962", f"the period is longer than {longest.days} days", 400, hint="Ask for a part of it."
        )
    return start, end


def _instant(at: datetime) -> int:
    """Years that the clock does not have are as far away as it gets."""
    try:
        return instant_of(at)
    except OverflowError:  # an offset that takes it out of the years 1 to 9999
        return instant_of(at.replace(tzinfo=UTC))
