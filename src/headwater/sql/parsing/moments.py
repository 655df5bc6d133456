"""now() and its like in the text of a view that Spark recomputes: the time that the view is as of.

    SELECT * FROM t WHERE at > now() - INTERVAL 1 DAY      at 12:00      ... at > timestamp_micros(1789...)

A word that is quoted, or that belongs to a dotted name, is a column's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from headwater.algebra.moments.crossing import moment_literal
from headwater.sql.parsing.lexer import Kind, Source, Token, lex

__all__ = ["BARE", "VIEW_TIME", "has_moments", "text_at", "text_moves"]

# What users write, and the moment that it means; `unix_timestamp()` is one of the first.
VIEW_TIME = {
    "now": "now",
    "current_timestamp": "now",
    "current_date": "current_date",
    "curdate": "current_date",
    "localtimestamp": "localtimestamp",
}
BARE = {"current_timestamp", "current_date", "localtimestamp"}  # may stand without ()


class _Moment(NamedTuple):
    start: int
    end: int
    function: str
    around: str = "{}"


@lru_cache(maxsize=500)
def _moments(text: str) -> tuple[_Moment, ...]:
    return tuple(_moments_among(lex(Source("<sql>", text))))


def _moments_among(tokens: tuple[Token, ...]) -> Iterator[_Moment]:
    for at, token in enumerate(tokens):
        name = token.text.lower() if token.kind is Kind.WORD else ""
        before = tokens[at - 1].text if at else ""
        after = "".join(token.text for token in tokens[at + 1 : at + 3])
        if before == "." or after.startswith("."):
            continue
        called = after == "()"
        end = tokens[at + 2].end if called else token.end
        if name in VIEW_TIME and (called or (name in BARE and not after.startswith("("))):
            yield _Moment(token.start, end, VIEW_TIME[name])
        elif name == "unix_timestamp" and called:
            yield _Moment(token.start, end, "now", "unix_timestamp({})")


def has_moments(text: str) -> bool:
    return bool(_moments(text))


def text_moves(text: str, after: int, until: int) -> bool:
    """Whether the text means something else at another time."""
    return text_at(text, after) != text_at(text, until)


def text_at(text: str, time: int) -> str:
    """The text as of a time, in microseconds since 1970."""
    parts: list[str] = []
    end = 0
    for moment in _moments(text):
        literal = moment_literal(moment.function, time).sql
        parts += text[end : moment.start], moment.around.format(literal)
        end = moment.end
    return "".join((*parts, text[end:]))
