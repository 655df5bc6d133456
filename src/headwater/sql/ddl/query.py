"""CREATE QUERY name AS SELECT ..., or a SELECT under a comment `-- name: x`: read with :parameters.

CREATE QUERY name [ALLOW UNBOUNDED WITHIN INTERVAL '2' SECOND] AS SELECT ...
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from headwater.model import Query
from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.lexer import Kind, Source, Token
from headwater.sql.parsing.names import relation_name
from headwater.sql.parsing.select import read_select
from headwater.sql.parsing.words import Words

__all__ = ["name_in_comments", "read_named_select", "read_query"]

_COMMENT = re.compile(r"/\*.*?\*/|--[ \t]*name:[ \t]*(\S+)[^\r\n]*|--[^\r\n]*", re.DOTALL | re.IGNORECASE)


def read_query(words: Words) -> Query:
    """What follows CREATE QUERY."""
    name = relation_name(words, "query")
    if words.at("("):
        hint = "parameters are not declared: write :name in the SELECT"
        raise words.wrong("HW100", f"expected AS after the query's name, found {words.peek()}", hint=hint)
    within = _within(words)
    words.expect("AS", after="the query's name" if within is None else "the query's time limit")
    return replace(_query(words, name), within=within)


def _within(words: Words) -> timedelta | None:
    """ALLOW UNBOUNDED WITHIN INTERVAL ..., if it stands here."""
    if not words.accept("ALLOW"):
        return None
    words.expect("UNBOUNDED", after="ALLOW")
    words.expect("WITHIN", after="ALLOW UNBOUNDED")
    return read_interval(words)


def read_named_select(words: Words, gap_start: int) -> Query:
    """A bare SELECT; its name stands in the comments between `gap_start` and it."""
    first = words.peek()
    token = name_in_comments(words.source, gap_start, first.start)
    if token is None:
        raise words.wrong(
            "HW115",
            "this SELECT has no name",
            hint="write CREATE QUERY name AS before it, or a line -- name: x above it",
        )
    return _query(words, relation_name(Words(words.source, [token]), "query"))


def _query(words: Words, name: Token) -> Query:
    return Query(name.text, read_select(words, f'the query "{name.text}"'), words.place(name))


def name_in_comments(source: Source, start: int, end: int) -> Token | None:
    """The last `-- name: x` in a stretch of comments."""
    names = [match for match in _COMMENT.finditer(source.text, start, end) if match[1]]
    return Token(Kind.WORD, names[-1][1], *names[-1].span(1)) if names else None
