"""Units that several packages count in, and numbers as people read them.

Instants and durations in storage are whole microseconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

__all__ = [
    "DAY", "GB", "HOUR", "HOURS_PER_MONTH", "SECOND", "byte_text", "bytes_of", "counted", "dollar_text",
    "names_text", "number_text", "percent_text", "seconds_text",
]  # fmt: skip

SECOND = 1_000_000  # microseconds
HOUR = 3600 * SECOND
DAY = 24 * HOUR
HOURS_PER_MONTH = 730  # a twelfth of a year; what a price per month is divided by, in plans and in bills
GB = 1_000_000_000  # bytes

_BYTES = {"": 1, "kb": 1000, "mb": 1000**2, "gb": GB, "tb": 1000 * GB}


def bytes_of(text: str) -> int | None:
    """A size such as "10 GB" as a number of bytes; None if it is none."""
    size = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]b)?", text.strip().lower())
    return None if size is None else int(float(size[1]) * _BYTES[size[2] or ""])


def byte_text(size: float) -> str:
    """A size as people read it: 3.2 GB."""
    for unit, factor in (("TB", 1000 * GB), ("GB", GB), ("MB", 1000**2), ("kB", 1000)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size:.0f} bytes"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 step`, `2 steps`, `3 copies`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def names_text(names: Sequence[str], most: int = 6, noun: str = "") -> str:
    """`a, b and c`; of more than `most` the first ones and how many more: `a, b and 198 more views`."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} more {noun}".rstrip()
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def number_text(number: float, digits: int = 3) -> str:
    """A number with so many significant digits, never as a power of ten: 5,000, 0.0123, 0."""
    if number == 0 or not math.isfinite(number):
        return f"{number:.0f}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def seconds_text(seconds: float) -> str:
    """`30 s`, `0.01 s`, `604,800 s`."""
    return f"{number_text(seconds, 6)} s"


def percent_text(share: float) -> str:
    """Whole per cents; nothing is never negative."""
    return f"{round(share * 100) + 0:.0f}%"


def dollar_text(dollars: float, decimals: int = 4) -> str:
    """Dollars with so many decimals; nothing is never negative."""
    return f"{round(dollars, decimals) + 0.0:.{decimals}f}"
