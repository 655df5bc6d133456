"""Names: which ones a relation or a column may have, and how references to them are spelt.

As in Spark, names are compared without regard to case; the declared spelling is kept and references are
normalised to it.  A relation's name is also the name of a folder, and a column's name is written to Parquet
files, so both are limited to what is allowed there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.words import Words

__all__ = [
    "RESERVED_COLUMNS",
    "as_declared",
    "can_be_stored",
    "column_name",
    "columns_among",
    "relation_name",
    "same_name",
    "shortened",
    "spelling",
    "text_of",
    "unused_name",
]

RESERVED_COLUMNS = ("_weight", "_time", "_visible")
_NOT_IN_COLUMNS = re.compile(r"[\s,;{}()=.`\"'\\]")


def relation_name(words: Words, what: str) -> Token:
    """The name of a table, view or query being declared."""
    token = words.name(f"the {what}'s name")
    if words.at("."):
        raise words.wrong(
            "HW109",
            f'the {what} cannot be in the schema "{token.text}"',
            token,
            hint=f"a project is one namespace: write {words.peek(1).text} alone",
        )
    if not re.fullmatch(r"[^\W\d_]\w{0,127}", token.text):
        raise words.wrong(
            "HW109",
            f'"{shortened(token.text)}" cannot name a {what}',
            token,
            hint="a name starts with a letter, then letters, digits and underscores, at most 128 in all",
        )
    return token


def column_name(words: Words, seen: Iterable[str]) -> Token:
    """The name of a column being declared, not among those `seen`."""
    token = words.name("a column's name")
    if token.text.lower() in RESERVED_COLUMNS:
        raise words.wrong(
            "HW109", f'"{token.text}" is one of Headwater\'s own columns', token, hint="choose another name"
        )
    if not can_be_stored(token.text):
        raise words.wrong(
            "HW109", f'"{token.text}" cannot name a column', token, hint="use letters, digits and underscores"
        )
    if spelling(token.text, seen) is not None:
        raise words.wrong("HW105", f'the column "{token.text}" is declared twice', token)
    return token


def can_be_stored(name: str) -> bool:
    """May a column of a Parquet file have this name?"""
    return 0 < len(name) <= 255 and _NOT_IN_COLUMNS.search(name) is None


def same_name(left: str, right: str) -> bool:
    return left.lower() == right.lower()


def text_of(name: object) -> str:
    """A name; callers of the Python API pass what they like."""
    if isinstance(name, str):
        return name
    raise TypeError(f"a name is text, not {type(name).__name__}: {name!r}")


def spelling(name: str, declared: Iterable[str]) -> str | None:
    """The declared spelling of a name, or None."""
    wanted = text_of(name)
    return next((candidate for candidate in declared if same_name(candidate, wanted)), None)


def as_declared(given: Iterable[str], declared: Sequence[str]) -> list[str]:
    """Names in their declared spelling; what is not declared, or would be there twice, stays as it is."""
    names, folded = list(given), {name.lower(): name for name in declared}
    spelt = [folded.get(name.lower(), name) for name in names]
    times = Counter(spelt)
    return [new if times[new] == 1 else name for name, new in zip(names, spelt, strict=True)]


def shortened(name: str) -> str:
    """A name as a message quotes it: in one line, and not longer than that."""
    shown = "".join(character if character.isprintable() else "?" for character in name)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."


def unused_name(wanted: str, taken: Container[str]) -> str:
    """The name, or name_2, name_3, ...: the first that is not taken; `taken` holds names in lower case."""
    name, number = wanted, 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def columns_among(
    words: Words, tokens: Sequence[Token], declared: Sequence[str], owner: str
) -> tuple[str, ...]:
    """References to columns, in their declared spelling; unknown or repeated ones are errors."""
    names: list[str] = []
    for token in tokens:
        name = spelling(token.text, declared)
        if name is None:
            raise words.wrong(
                "HW106", f'{owner} has no column "{token.text}"', token, choices=declared,
                hint=f"its columns are {', '.join(declared)}",
            )  # fmt: skip
        if name in names:
            raise words.wrong("HW105", f'the column "{name}" is listed twice', token)
        names.append(name)
    return tuple(names)
