"""Matching text: LIKE with its escapes, the range that a prefix pattern stands for, and search by word."""

from __future__ import annotations

import re
from functools import lru_cache

from headwater.algebra.expressions.values import Value, as_text
from headwater.errors import InputError

__all__ = ["has_word", "like_prefix", "matches_like", "one_word", "words"]

_ESCAPE = "\\"


def matches_like(value: Value, pattern: Value, escape: str = _ESCAPE) -> bool:
    """value LIKE pattern ESCAPE escape: % is any text, _ one character, an escaped character is itself."""
    return _like_regex(as_text(pattern), escape).fullmatch(as_text(value)) is not None


@lru_cache(maxsize=4096)
def _like_regex(pattern: str, escape: str) -> re.Pattern[str]:
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters, escape)))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.compile("".join(parts), re.DOTALL)


def like_prefix(pattern: str) -> tuple[str, bool]:
    """The literal start of a LIKE pattern, and whether the pattern is nothing but it and % at the end.

    An escaped character is literal: `50\\%%` is all that starts with `50%`.
    """
    start: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character in "%_":
            return "".join(start), character == "%" and set(characters) <= {"%"}
        start.append(next(characters, _ESCAPE) if character == _ESCAPE else character)
    return "".join(start), False


def words(value: Value) -> frozenset[str]:
    """The words of a text, in lower case; none for NULL."""
    return frozenset(re.findall(r"\w+", as_text(value).lower())) if value is not None else frozenset()


def has_word(text: Value, word: Value) -> bool:
    """TOKEN(text) = word: is the word among those of the text?"""
    return as_text(word).lower() in words(text)


def one_word(text: Value) -> Value:
    """The text, which must be one word."""
    if len(words(text)) != 1:
        raise InputError("HW420", f"'{text}' is not one word", hint="search for one word at a time")
    return text
