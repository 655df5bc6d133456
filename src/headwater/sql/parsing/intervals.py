"""Durations as SQL writes them, for FRESHNESS and for headwater.yml.

    INTERVAL '10' SECOND    INTERVAL 10 SECONDS     INTERVAL '1 minute 30 seconds'    INTERVAL '1.5' SECOND
    500 MILLISECONDS        '10 seconds'            INTERVAL '1:30' MINUTE TO SECOND  '90s'

A month or a year has no fixed length, so neither can bound staleness.  Exact to the microsecond; finer
digits are refused rather than rounded.
"""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from headwater.errors import did_you_mean
from headwater.sql.parsing.lexer import Kind, Token
from headwater.sql.parsing.words import Words

__all__ = ["MICROSECONDS", "duration", "read_interval"]

_SECOND = 10**6
MICROSECONDS = {
    "microsecond": 1, "millisecond": 10**3, "second": _SECOND, "minute": 60 * _SECOND, "hour": 3600 * _SECOND,
    "day": 86400 * _SECOND, "week": 604800 * _SECOND,
}  # fmt: skip
_ABBREVIATIONS = {
    "us": "microsecond", "ms": "millisecond", "s": "second", "sec": "second", "m": "minute", "min": "minute",
    "h": "hour", "d": "day",
}  # fmt: skip
_CALENDAR = {"month", "quarter", "year"}
_PIECE = re.compile(
    r"([+-]?\s*(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15}))\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII
)
_CLOCK = ("DAY", "HOUR", "MINUTE", "SECOND")
_NOT_UNITS = (
    "AS", "PENALTY", "OWNER", "REFRESH", "AT", "ALLOW", "TBLPROPERTIES", "COMMENT", "FRESHNESS", "WINDOW",
    "TOLERANCE", "ON", "RETAIN", "WATERMARK", "USING", "OPTIONS", "EXPECT",
)  # fmt: skip
_LONGEST = 36500 * 86400 * _SECOND
_HINT = "write an interval such as INTERVAL '10' SECOND"


def read_interval(words: Words) -> timedelta:
    """The next words as an interval, which must be longer than zero."""
    words.accept("INTERVAL")
    first = words.peek()
    try:
        return duration(_text(words))
    except ValueError as error:
        whole = Token(first.kind, first.text, first.start, max(first.end, words.last.end))
        raise words.wrong("HW108", str(error), whole, hint=_HINT) from None


def duration(text: str) -> timedelta:
    """A duration longer than zero, such as '10 seconds' or '1 minute 30 seconds'; else a ValueError."""
    total, position = Decimal(0), 0
    text = text.strip()
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise ValueError(f"'{text}' is not an interval")
        total += Decimal(re.sub(r"\s", "", piece[1])) * _unit(piece[2], text)
        position = piece.end()
    if total <= 0:
        raise ValueError(
            f"an interval must be longer than zero, not '{text}'" if text else "expected an interval"
        )
    if total != int(total):
        raise ValueError(f"'{text}' is finer than a microsecond")
    if total > _LONGEST:
        raise ValueError(f"'{text}' is longer than a hundred years")
    return timedelta(microseconds=int(total))


def _unit(written: str, text: str) -> int:
    """Microseconds of a unit, in the singular or the plural."""
    unit = written.lower()
    if not unit:
        raise ValueError(f"'{text}' needs a unit, such as seconds")
    singular = unit.removesuffix("s") if len(unit) > 2 else unit
    if singular in _CALENDAR:
        raise ValueError(f"a {singular} has no fixed length: use days, hours, minutes or seconds")
    name = _ABBREVIATIONS.get(singular, singular)
    if name not in MICROSECONDS:
        likely = did_you_mean(unit, [f"{name}s" for name in MICROSECONDS])
        raise ValueError(f"'{written}' is not a unit of time" + (f"; {likely}" if likely else ""))
    return MICROSECONDS[name]


def _text(words: Words) -> str:
    """The interval's words joined; SQL's '1:30' MINUTE TO SECOND becomes '1 minute 30 second'."""
    if words.peek().kind is Kind.STRING:
        text = words.next().text
        if words.at_any(_CLOCK) and words.peek(1).word == "TO":
            return _clock(text, words)
        return f"{text} {words.next().text}" if _ends_in_number(text) and _is_word(words) else text
    pieces: list[str] = []
    while words.peek().text[:1].isdigit() or words.at_any(("+", "-", ".")):
        pieces.append(words.next().text)
        if _ends_in_number(pieces[-1]) and _is_word(words):
            pieces.append(words.next().text)
    return " ".join(pieces)


def _ends_in_number(text: str) -> bool:
    return text.rstrip()[-1:].isdigit()


def _is_word(words: Words) -> bool:
    """A unit, known or misspelt: any word that does not begin the next clause."""
    return words.peek().kind is Kind.WORD and not words.at_any(_NOT_UNITS)


def _clock(text: str, words: Words) -> str:
    """'1 02:03:04.5' DAY TO SECOND: the parts from the first unit to the last."""
    first = _CLOCK.index(words.next().word)
    words.expect("TO")
    if words.peek().word not in _CLOCK[first + 1 :]:
        raise ValueError(f"an interval cannot go from {_CLOCK[first]} to {words.peek()}")
    units = _CLOCK[first : _CLOCK.index(words.next().word) + 1]
    parts = re.split(r"[ :]+", text.strip())
    if len(parts) != len(units):
        raise ValueError(f"'{text}' does not have {len(units)} parts, from {units[0]} to {units[-1]}")
    return " ".join(f"{part} {unit}" for part, unit in zip(parts, units, strict=True))
