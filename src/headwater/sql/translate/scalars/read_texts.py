"""Texts that Spark would have to read as another type, and could not: amount = 'abc'.

In ANSI mode Spark casts the text when it compares, so such a view fails at its first row.  Never stricter
than Spark: what may be readable passes.
"""

from __future__ import annotations

import re
from datetime import date

from headwater.algebra.expressions.nodes import Literal
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

__all__ = ["no_such_day", "no_such_time", "unreadable"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_TRUTH = re.compile(r"t|true|y|yes|1|f|false|n|no|0", re.IGNORECASE)
_DATE = re.compile(r"[+-]?\d{4,}.*", re.DOTALL)
_INSTANT = re.compile(r"[+-]?\d{4,}.*|T?\d{1,2}:.*", re.DOTALL)
_DAY = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2})(?!\d))?(?!\d)")
_READABLE = {"number": _NUMBER, "boolean": _TRUTH, "date": _DATE, "timestamp": _INSTANT}


def unreadable(text: Typed, other: Typed) -> bool:
    """Whether a text that stands in the SQL can certainly not be read as the other's type."""
    form = _READABLE.get(family(other.type))
    if form is None or not isinstance(text.expr, Literal) or not isinstance(text.expr.value, str):
        return False
    written = text.expr.value.strip()
    if family(other.type) in ("date", "timestamp") and (no_such_day(written) or no_such_time(written)):
        return True
    return family(text.type) == "string" and form.fullmatch(written) is None


def no_such_day(written: str) -> bool:
    """Does a text begin with a day that no calendar has, such as 2024-02-30?"""
    match = _DAY.match(written)
    if match is None:
        return False
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        date(max(year, 1), month, day)
    except ValueError:
        return True
    return False


_CLOCK = re.compile(r"[+-]?\d{4,}-\d{1,2}-\d{1,2}[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?(?!\d)")


def no_such_time(written: str) -> bool:
    """Does a text name an hour, a minute or a second that no clock shows, such as 2024-01-01 25:00?"""
    match = _CLOCK.match(written)
    if match is None:
        return False
    hour, minute, second = (int(part or 0) for part in match.groups())
    return hour > 23 or minute > 59 or second > 59
