"""Interval strings as exact seconds: '6 seconds', '1 hour 30 minutes', '250 ms', "INTERVAL '5' SECOND"."""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["seconds_of"]

UNITS: dict[str, Fraction] = {
    name: Fraction(size)
    for size, names in {
        "1/1000000000": "ns nanosecond nanoseconds",
        "1/1000000": "us microsecond microseconds",
        "1/1000": "ms millisecond milliseconds",
        "1": "s sec secs second seconds",
        "60": "m min mins minute minutes",
        "3600": "h hour hours",
        "86400": "d day days",
        "604800": "w week weeks",
    }.items()
    for name in names.split()
}
PART = re.compile(r"\s*'?\s*(\d+(?:\.\d+)?)\s*'?\s*([a-z]+)\s*'?\s*,?")


def seconds_of(text: str) -> Fraction | None:
    """The length of an interval in seconds, or None when the text is not one."""
    rest = re.sub(r"^\s*interval\b", "", text.strip().lower())
    total, at = Fraction(0), 0
    while at < len(rest):
        part = PART.match(rest, at)
        if part is None or part[2] not in UNITS:
            return None
        total += Fraction(part[1]) * UNITS[part[2]]
        at = part.end()
    return total if at else None
