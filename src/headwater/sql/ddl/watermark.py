"""WATERMARK: how late a row of a source may come.

    WATERMARK = INTERVAL '10' MINUTE [ON quoted_at]      later rows go to the dead letters

A row's time is a TEMPORAL column that is an instant; how late it is, is seen by the greatest one stored:
capture/lateness.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from headwater.model import Column, Watermark
from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.words import Words

__all__ = ["WatermarkText", "read_watermark", "resolve_watermark"]

_INSTANTS = ("timestamp", "timestamp_ntz")


@dataclass(frozen=True, slots=True)
class WatermarkText:
    """The clause as read: the column is resolved when all columns are known."""

    length: timedelta
    column: str
    token: Token = field(compare=False)


def read_watermark(words: Words) -> WatermarkText:
    """What follows WATERMARK."""
    token, length = words.peek(), read_interval(words)
    if words.at("ON") and not words.at("ON", "VIOLATION") and not words.at("ON", "OVERLOAD"):
        words.expect("ON")
        token = words.name("a TEMPORAL column")
        return WatermarkText(length, token.text, token)
    return WatermarkText(length, "", token)


def resolve_watermark(
    words: Words, text: WatermarkText | None, table: str, columns: tuple[Column, ...], provider: str
) -> Watermark | None:
    if text is None:
        return None
    if provider == "postgres":
        raise words.wrong(
            "HW128",
            f'"{table}" is captured from PostgreSQL and has no WATERMARK',
            text.token,
            detail="It holds the rows that PostgreSQL holds, late ones among them.",
            hint="leave it out, and let views say how long they RETAIN rows",
        )
    instants = [column.name for column in columns if column.temporal and column.type in _INSTANTS]
    name = spelling(text.column, instants) if text.column else None
    if not text.column and len(instants) == 1:
        name = instants[0]
    if name is None:
        raise words.wrong(
            "HW128",
            f'"{table}" needs a TEMPORAL column to tell which rows are late',
            text.token,
            detail=f"Such columns here: {', '.join(instants) or 'none'}.",
            hint="declare quoted_at TIMESTAMP TEMPORAL, then WATERMARK = INTERVAL '10' MINUTE ON quoted_at",
        )
    return Watermark(text.length, name)
