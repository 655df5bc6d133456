"""Headwater's own words in another database's CREATE TABLE: what its parser does not know of ours.

CARDINALITY LIMIT 20 (uid)      an element of the table
made_at timestamp TEMPORAL      a word of a column
) ON VIOLATION WARN             after the brackets
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from headwater.bounds.reading.schema.elements import Span, declaration, elements_of, outside, span, word_of
from headwater.bounds.reading.schema.plain_ddl import limited
from headwater.errors import Place
from headwater.model import Cardinality, Table

__all__ = ["is_limit", "own_words", "with_own_words"]

_PUNCTUATION = (TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA)
_ANSWERS = ("WARN", "REJECT")


def with_own_words(table: Table, text: str, dialect: Dialect, place: Place | None) -> Table:
    """The table with what those words of its declaration say."""
    tokens = declaration(text, dialect)
    if tokens is None or word_of(tokens[0]) == "ALTER":
        return table
    elements, end = elements_of(tokens)
    for element in elements:
        table = limited(table, _limit(element), place) if is_limit(element) else table
    temporal = {element[0].text.lower() for element in elements if _temporal(element) is not None}
    columns = tuple(
        replace(column, temporal=True) if column.name.lower() in temporal else column
        for column in table.columns
    )
    warns = any(word_of(part[-1]) == "WARN" for part in _violations(tokens[end + 1 :]))
    return replace(table, columns=columns, warn_on_violation=warns)


def own_words(elements: Sequence[Sequence[Token]], tail: Sequence[Token]) -> list[Span]:
    """Where such words stand in the elements that remain, and after them."""
    marks = (_temporal(element) for element in elements)
    return [*(span([mark]) for mark in marks if mark is not None), *map(span, _violations(tail))]


def is_limit(element: Sequence[Token]) -> bool:
    """CARDINALITY LIMIT 20 (a, b), perhaps with an ON."""
    words = [word_of(token) for token in element]
    bracket = 4 if words[3:4] == ["ON"] else 3
    begins = words[:2] == ["CARDINALITY", "LIMIT"] and "".join(words[2:3]).isdecimal()
    return begins and words[bracket : bracket + 1] == ["("] and words[-1] == ")"


def _limit(element: Sequence[Token]) -> Cardinality:
    inside = [token.text for token in element[3:] if token.token_type not in _PUNCTUATION]
    return Cardinality(tuple(inside[word_of(element[3]) == "ON" :]), int(element[2].text))


def _temporal(element: Sequence[Token]) -> Token | None:
    """The word TEMPORAL of a column."""
    return next((element[at] for at, word in outside(element) if at > 1 and word == "TEMPORAL"), None)


def _violations(tail: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """ON VIOLATION WARN, or REJECT."""
    for at, (first, second) in enumerate(pairwise(tail)):
        third = tail[at + 2 : at + 3]
        if (word_of(first), word_of(second)) == ("ON", "VIOLATION") and word_of(*third) in _ANSWERS:
            yield tail[at : at + 3]
