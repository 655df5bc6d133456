"""Answers as JSON, in one form for the command line and for HTTP.

Instants are ISO 8601, durations seconds, decimals exact text, bytes hex.  JSON has no infinity and no NaN; a
view may hold them, so they are the texts that Spark prints: "NaN", "Infinity", "-Infinity".
"""

from __future__ import annotations

import json
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from headwater.clock import instant_of, instant_text

__all__ = ["compact_json", "to_json"]


def to_json(answer: Any) -> str:
    """JSON text for people and for programs, indented."""
    return _text(_INDENTED, answer)


def compact_json(answer: Any) -> str:
    """The same in one line."""
    return _text(_COMPACT, answer)


def _text(encoder: json.JSONEncoder, answer: Any) -> str:
    try:
        return encoder.encode(answer)
    except ValueError:  # rare, so only then is the answer gone through
        return encoder.encode(_finite(answer))


def _finite(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value


def _plain(value: object) -> object:
    match value:
        case datetime() if value.tzinfo is not None:
            return instant_text(instant_of(value))
        case datetime():
            return value.isoformat(timespec="microseconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return str(value)
        case bytes():
            return value.hex()
        case set() | frozenset():
            return sorted(value)
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


_INDENTED = json.JSONEncoder(default=_plain, allow_nan=False, indent=2)
_COMPACT = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
