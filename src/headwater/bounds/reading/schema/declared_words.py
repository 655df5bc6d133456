"""What the words of a file's statements declare beside tables: functions, types, parents of tables.

These are looked at before anything is parsed, because most of them are statements that no bound depends on
(`passed_over`), and because what stands last in a file counts for all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile

from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.words import Words

__all__ = [
    "declared_functions",
    "disabled_index",
    "dropped_indexes",
    "inherited_from",
    "plain_indexes",
    "renamed_index",
    "uncertain_types",
]

_BEFORE_NAMES = ("IF", "NOT", "EXISTS", "CONCURRENTLY", "ALL")
_FUNCTIONS = ("FUNCTION", "AGGREGATE", "MACRO")
_TYPES = ("TYPE", "DOMAIN")
_OF_THE_DATABASE = ("", "public", "dbo", "main")


def declared_functions(statements: Iterable[Words]) -> Iterator[str]:
    """The names of functions that the file creates: what they read and return is not known."""
    for words in statements:
        kind = words.peek(3 if words.at("CREATE", "OR") else 1).word
        if words.at("CREATE") and kind in (*_FUNCTIONS, "TEMP", "TEMPORARY"):
            schema, name = _name_after(words, _FUNCTIONS)
            if schema in _OF_THE_DATABASE:
                yield name


def uncertain_types(statements: Iterable[Words]) -> set[str]:
    """Types that are declared twice, in whichever case or schema, or dropped: their values are not known."""
    seen: Counter[str] = Counter()
    for words in statements:
        if words.peek(1).word in _TYPES and words.at("CREATE"):
            seen[_name_after(words, _TYPES)[1]] += 1
        elif words.peek(1).word in _TYPES and words.at("DROP"):
            seen.update({name.text.lower(): 2 for name in words.rest()})
    return {name for name, times in seen.items() if times > 1}


def inherited_from(words: Words) -> list[str]:
    """The tables in INHERITS (a, b) of a CREATE TABLE, even if the rest cannot be read; or in ALTER TABLE."""
    tokens = words.rest()
    word, end, first = ("INHERIT", ",", 1) if words.at("ALTER", "TABLE") else ("INHERITS", ")", 2)
    start = next((at for at, token in enumerate(tokens) if token.word == word), None)
    if start is None or not (words.at("CREATE") or words.at("ALTER", "TABLE")):
        return []
    inside = takewhile(lambda token: token.text != end, tokens[start + first :])
    return [token.text.lower() for token in inside if token.text not in (",", ".")]


def renamed_index(words: Words) -> tuple[str, str] | None:
    """The old and the new name in ALTER INDEX a RENAME TO b."""
    tokens = words.rest()
    names = [token.text.lower() for token in tokens]
    if not words.at("ALTER", "INDEX") or [token.word for token in tokens[-3:-1]] != ["RENAME", "TO"]:
        return None
    return names[-4], names[-1]


def disabled_index(words: Words) -> tuple[str, str] | None:
    """The index and the table of ALTER INDEX a ON t DISABLE."""
    tokens = words.rest()
    if not words.at("ALTER", "INDEX") or not any(token.word == "DISABLE" for token in tokens):
        return None
    on = next((at for at, token in enumerate(tokens) if token.word == "ON"), len(tokens))
    table = [token.text for token in takewhile(lambda token: token.word != "DISABLE", tokens[on + 1 :])]
    return tokens[2].text.lower(), next(reversed(table), "").strip('[]`"')


def plain_indexes(statements: Iterable[Words]) -> Iterator[str]:
    """The names of indexes that say nothing of rows: CREATE INDEX without UNIQUE."""
    for words in statements:
        if words.at("CREATE", "INDEX"):
            yield _name_after(words, ("INDEX",))[1]


def dropped_indexes(words: Words) -> tuple[list[str], str]:
    """The names after DROP INDEX, and the table of DROP INDEX a ON t, or ""."""
    tokens = words.rest()[2:]
    on = next((at for at, token in enumerate(tokens) if token.word == "ON"), len(tokens))
    table = tokens[-1].text.strip('[]`"') if on < len(tokens) else ""
    return [token.text.lower() for token in tokens[:on]], table


def _name_after(words: Words, kinds: tuple[str, ...]) -> tuple[str, str]:
    """The schema, if it is written, and the name that is declared, in small letters."""
    tokens: list[Token] = list(words.rest())
    start = next((at for at, token in enumerate(tokens) if token.word in kinds), len(tokens))
    names = [token.text.lower() for token in tokens[start + 1 :] if token.word not in _BEFORE_NAMES]
    if len(names) > 2 and names[1] == ".":
        return names[0], names[2]
    return "", next(iter(names), "")
