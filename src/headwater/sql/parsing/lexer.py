"""A file's text cut into tokens that know their places.

sqlglot's tokenizer decides what a string, a comment or a quoted name is, so that our clauses and the
SELECTs beside them can never disagree about it.  Two things are undone: keywords of several words
("PRIMARY KEY") become single words again, and literals with a suffix ("5BD"), which sqlglot cuts in three,
become one.  Then `PRIMARY /* key */ KEY` and `PRIMARY KEY` read the same.

Invariant: `source.text[token.start : token.end]` is the token as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sqlglot import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token as SqlglotToken
from sqlglot.tokenizer_core import TokenType

from headwater.errors import InputError, Place
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.habits.typographic import refuse_typographic

__all__ = ["Kind", "Source", "Token", "cut", "lex", "tokenized", "tokens_of"]


class Kind(Enum):
    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True, slots=True)
class Source:
    """A file: where it is and what it holds."""

    path: str
    text: str

    def place(self, start: int, end: int) -> Place:
        return Place.at(self.path, self.text, start, end - start)


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str  # of strings and quoted names: what stands between the quotes
    start: int
    end: int
    index: int = field(default=-1, compare=False, repr=False)  # of sqlglot's token that it is or begins in

    @property
    def word(self) -> str:
        """In capitals if it may be a keyword; a quoted name or a string never is."""
        return self.text.upper() if self.kind in (Kind.WORD, Kind.SYMBOL) else ""

    def __str__(self) -> str:
        match self.kind:
            case Kind.END:
                return "the end of the statement"
            case Kind.STRING:
                return f"'{self.text}'"
            case _:
                return f'"{self.text}"'


_STRINGS = {
    TokenType.STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING,
    TokenType.UNICODE_STRING, TokenType.BYTE_STRING,
}  # fmt: skip


_WORDS = re.compile(r"\S+")
_IN_WORDS = re.compile(r"\w")


def lex(source: Source, dialect: Dialect | None = None) -> tuple[Token, ...]:
    """All tokens of a file, without the comments, as Headwater or another dialect sees them."""
    return cut(source, tokenized(source, dialect))


def tokenized(source: Source, dialect: Dialect | None = None) -> list[SqlglotToken]:
    """The same as sqlglot's parser reads them."""
    try:
        tokens = (dialect or Headwater()).tokenize(source.text)
    except TokenError as error:
        raise _unreadable(source) from error
    refuse_typographic(source.text, tokens, source.place)
    return tokens


def tokens_of(text: str, dialect: Dialect) -> list[SqlglotToken]:
    """The tokens of a text in any dialect; what cannot be read is told by whoever parses it."""
    return dialect.tokenize(text)


def cut(source: Source, tokenized: Sequence[SqlglotToken]) -> tuple[Token, ...]:
    """Our tokens of sqlglot's."""
    tokens: list[Token] = []
    for index, token in enumerate(tokenized):
        if not tokens or token.start >= tokens[-1].end:
            tokens.extend(_tokens(source.text, token, index))
    return tuple(tokens)


def _tokens(text: str, token: SqlglotToken, index: int) -> Iterator[Token]:
    start, end = token.start, token.end + 1
    written = text[start:end]
    if token.token_type in _STRINGS:
        yield Token(Kind.STRING, token.text, start, end, index)
    elif token.token_type is TokenType.IDENTIFIER:
        yield Token(Kind.QUOTED, token.text, start, end, index)
    elif token.token_type is TokenType.NUMBER:
        yield Token(Kind.NUMBER, written, start, end, index)
    elif token.token_type is TokenType.SEMICOLON:
        yield Token(Kind.SYMBOL, ";", start, end, index)
    else:
        for word in _WORDS.finditer(written):
            kind = Kind.WORD if _IN_WORDS.match(word[0]) else Kind.SYMBOL
            yield Token(kind, word[0], start + word.start(), start + word.end(), index)


_OPENERS = re.compile(r"--[^\r\n]*|/\*|'|\"|`")
_CLOSED = {
    "'": re.compile(r"'(?:\\.|[^'\\])*'", re.DOTALL),
    '"': re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL),
    "`": re.compile(r"`[^`]*`"),
    "/*": re.compile(r"/\*.*?\*/", re.DOTALL),
}
_NAMES = {"'": "string", '"': "string", "`": "quoted name", "/*": "comment"}


def _unreadable(source: Source) -> InputError:
    """The tokenizer does not say where it failed: find the opening quote that is never closed."""
    position = 0
    while opener := _OPENERS.search(source.text, position):
        position = opener.end()
        if opener[0].startswith("--"):
            continue
        closed = _CLOSED[opener[0]].match(source.text, opener.start())
        if closed is None:
            return InputError(
                "HW100",
                f"this {_NAMES[opener[0]]} is never closed",
                place=source.place(opener.start(), opener.end()),
                hint=f"close it with {opener[0][::-1]}",
            )
        position = closed.end()
    return InputError("HW100", "this text cannot be read as SQL", place=source.place(0, 1))
