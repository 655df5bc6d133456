"""Double quotes: a string in Spark and MySQL, a name in standard SQL and PostgreSQL.

`WHERE "status" = 'open'` compares a column in one dialect and two constants in another.  Where nobody has
named the dialect, a file in which one double-quoted text stands where only a name can (beside a dot, after
FROM) holds names everywhere.  In other files a double-quoted text that is also the name of a column or table
of its query may be either, and the query is not analysed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.errors import Place
from headwater.model import SqlText
from headwater.sql.parsing.lexer import Kind, Source, Token, lex
from headwater.sql.parsing.words import Words

__all__ = ["double_quoted", "has_double_quotes", "quotes_hold_names", "refuse_ambiguous"]

_BEFORE_A_NAME = {"FROM", "JOIN", "TABLE", "INTO", "UPDATE", "REFERENCES", "."}


def has_double_quotes(words: Words) -> bool:
    return any(_is_double_quoted(token, words.source.text) for token in words.rest())


def quotes_hold_names(words: Words) -> bool:
    """Does a double-quoted text of the statement stand where only a name can?"""
    text = words.source.text
    for before, after in pairwise(words.rest()):
        if _is_double_quoted(after, text) and before.word in _BEFORE_A_NAME:
            return True
        if _is_double_quoted(before, text) and after.text == ".":
            return True
    return False


def double_quoted(sql: SqlText) -> tuple[Token, ...]:
    """The double-quoted texts of a statement that was read as Spark reads it."""
    return tuple(token for token in lex(Source(sql.path, sql.text)) if _is_double_quoted(token, sql.text))


def _is_double_quoted(token: Token, text: str) -> bool:
    return token.kind is Kind.STRING and text[token.start : token.start + 1] == '"'


def refuse_ambiguous(sql: SqlText, quoted: Iterable[Token], names: Iterable[str]) -> None:
    """NotAnalysed if a string of the statement is also the name of something that it reads."""
    folded = {name.lower() for name in names}
    for token in quoted:
        if token.text.lower() in folded:
            raise NotAnalysed(
                f'"{token.text}" is a string in Spark\'s SQL and a name in others: name the dialect of the '
                f"file (--dialect postgres), or write '{token.text}' for the string",
                _place(sql, token),
            )


def _place(sql: SqlText, token: Token) -> Place:
    return sql.place(token.start, token.end - token.start)
