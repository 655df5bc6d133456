"""Names: which ones a relation or a column may have, and how references to them are spelt.

As in Spark, names are compared without regard to case; the declared spelling is kept and references are
normalised to it.  A relation's name is also a folder's name and a column's name stands in Parquet files, so
both are held to what those allow everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from headwater.sql.lexer import Token
from headwater.sql.words import Words

__all__ = ["RESERVED_COLUMNS", "column_name", "columns_among", "relation_name", "spelling"]

RESERVED_COLUMNS = ("_weight", "_time", "_visible")
_NOT_IN_COLUMNS = re.compile(r"[\s,;{}()=.`\"'\\]")


def relation_name(words: Words, what: str) -> Token:
    """The name of a table, view or query being declared."""
    token = words.name(f"the {what}'s name")
    if words.at("."):
        raise words.wrong(
            "HW109",
            f'the {what} "{token.text}" cannot stand in a schema',
            hint="a project is one namespace: write the name alone",
        )
    if not re.fullmatch(r"[^\W\d_]\w{0,127}", token.text):
        raise words.wrong(
            "HW109",
            f'"{token.text}" cannot name a {what}',
            token,
            hint="a name starts with a letter, then letters, digits and underscores, at most 128 in all",
        )
    return token


def column_name(words: Words, seen: Iterable[str]) -> Token:
    """The name of a column being declared, not among those `seen`."""
    token = words.name("a column's name")
    if token.text.lower() in RESERVED_COLUMNS:
        raise words.wrong(
            "HW109", f'"{token.text}" is a column of Headwater\'s own', token, hint="choose another name"
        )
    if not token.text or len(token.text) > 255 or _NOT_IN_COLUMNS.search(token.text):
        raise words.wrong(
            "HW109", f'"{token.text}" cannot name a column', token, hint="use letters, digits and underscores"
        )
    if spelling(token.text, seen) is not None:
        raise words.wrong("HW105", f'the column "{token.text}" is declared twice', token)
    return token


def spelling(name: str, declared: Iterable[str]) -> str | None:
    """The declared spelling of a name, or None."""
    return next((one for one in declared if one.lower() == name.lower()), None)


def columns_among(
    words: Words, tokens: Sequence[Token], declared: Sequence[str], owner: str
) -> tuple[str, ...]:
    """References to columns, in their declared spelling; unknown or repeated ones are errors."""
    found: list[str] = []
    for token in tokens:
        name = spelling(token.text, declared)
        if name is None:
            raise words.wrong("HW106", f'{owner} has no column "{token.text}"', token, known=declared)
        if name in found:
            raise words.wrong("HW105", f'the column "{name}" stands twice in this list', token)
        found.append(name)
    return tuple(found)
