"""A cursor over the words of one statement, for everything that is not a SELECT.

Each reader (`read_type`, `read_interval`, `read_table`, ...) takes a `Words`, consumes what it understands
and raises an InputError at the word it does not.  There is no backtracking: a reader looks ahead with `at`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from sqlglot.tokenizer_core import Token as SqlglotToken
from sqlglot.tokenizer_core import TokenType

from headwater.errors import InputError, Place, did_you_mean
from headwater.model import SqlText
from headwater.sql.parsing.lexer import Kind, Source, Token, lex

__all__ = ["Words"]

_SHORT_QUERIES = {TokenType.TABLE, TokenType.VALUES}


class Words:
    """The tokens of a statement and a position among them."""

    def __init__(
        self,
        source: Source,
        tokens: Sequence[Token],
        end: tuple[int, int] | None = None,
        tokenized: Sequence[SqlglotToken] = (),
    ) -> None:
        """`tokenized`: the tokens of the whole file as sqlglot's parser reads them, if they are at hand."""
        last = tokens[-1].end if tokens else 0
        self.source, self._tokenized = source, tokenized
        self._tokens = (*tokens, Token(Kind.END, "", *(end or (last, last + 1))))
        self._index = 0

    @staticmethod
    def inside(outer: Source, token: Token) -> Words:
        """The words inside a string, as in TBLPROPERTIES: every error points at the whole string."""
        try:
            inner = lex(Source(outer.path, token.text))
        except InputError as error:
            place = outer.place(token.start, token.end)
            raise InputError(error.code, error.message, place=place, hint=error.hint) from error
        span = token.start, token.end
        return Words(outer, [Token(word.kind, word.text, *span) for word in inner], span)

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._index + ahead, len(self._tokens) - 1)]

    def next(self) -> Token:
        token = self.peek()
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    @property
    def last(self) -> Token:
        """The token read last (the first one if none has been)."""
        return self._tokens[max(self._index - 1, 0)]

    @property
    def done(self) -> bool:
        return self.peek().kind is Kind.END

    def rest(self) -> Sequence[Token]:
        """The tokens not yet read, without the end."""
        return self._tokens[self._index : -1]

    def rest_text(self) -> SqlText:
        """The same as written, with its place in the file."""
        rest, source = self.rest(), self.source
        start, end = (rest[0].start, rest[-1].end) if rest else (self.peek().start, self.peek().start)
        return SqlText(source.text[start:end], source.path, source.text, start)

    def rest_tokens(self) -> Sequence[SqlglotToken]:
        """What sqlglot's parser reads of them, with places in `rest_text`; nothing if that must be cut anew.

        A comment beside the text belongs to its first or last token here, and a short query (TABLE t) depends
        on the words before it.
        """
        rest = self.rest()
        first, last = (rest[0], rest[-1]) if rest else (self.peek(), self.peek())
        after = last.index + 1
        while after < len(self._tokenized) and self._tokenized[after].start < last.end:
            after += 1
        tokens = self._tokenized[first.index : after] if self._tokenized and rest else ()
        if not tokens or tokens[0].start != first.start or tokens[0].comments or tokens[-1].comments:
            return ()
        if any(token.token_type in _SHORT_QUERIES for token in tokens):
            return ()
        return [
            SqlglotToken(
                token.token_type, token.text, token.line, token.col,
                token.start - first.start, token.end - first.start, token.comments,
            )
            for token in tokens
        ]  # fmt: skip

    def at(self, *words: str) -> bool:
        """Do these words come next? Quoted names and strings are never words."""
        return all(self.peek(ahead).word == word for ahead, word in enumerate(words))

    def at_any(self, choices: Iterable[str]) -> bool:
        return self.peek().word in choices

    def accept(self, *words: str) -> bool:
        if not self.at(*words):
            return False
        self._index += len(words)
        return True

    def expect(self, *words: str, after: str = "") -> None:
        for word in words:
            if not self.accept(word):
                where = f" after {after}" if after else ""
                raise self.wrong("HW100", f"expected {word}{where}, found {self.peek()}")

    def name(self, what: str) -> Token:
        """A name, quoted or not."""
        token = self.peek()
        if token.kind is Kind.QUOTED or (token.kind is Kind.WORD and not token.text[0].isdigit()):
            return self.next()
        hint = "take the comma before it out, or write a name" if token.text == ")" else ""
        if token.text == ")" and self.last.text == "(":
            hint = f"write {what} between the parentheses"
        raise self.wrong("HW100", f"expected {what}, found {token}", hint=hint)

    def names(self, what: str) -> list[Token]:
        """A list of names in parentheses."""
        self.expect("(")
        names = [self.name(what)]
        while self.accept(","):
            names.append(self.name(what))
        self.expect(")", after=f"the {what}s")
        return names

    def string(self, what: str) -> Token:
        if self.peek().kind is not Kind.STRING:
            raise self.wrong("HW100", f"expected {what} in quotes, found {self.peek()}")
        return self.next()

    def whole_number(self, what: str, least: int) -> int:
        """A whole number, written 100 or 1_000_000, of at least `least`."""
        token = self.peek()
        written = token.text.replace("_", "")
        if not re.fullmatch(r"\d{1,18}", written, re.ASCII) or int(written) < least:
            raise self.wrong("HW111", f"{what} must be a whole number of at least {least}, found {token}")
        self.next()
        return int(written)

    def amount(self, what: str) -> Decimal:
        """A number that is not negative."""
        token = self.peek()
        if not re.fullmatch(r"\d{0,18}(\d|\.\d{1,18})(e[+-]?\d)?", token.text, re.ASCII | re.IGNORECASE):
            raise self.wrong("HW111", f"{what} must be a number that is not negative, found {token}")
        self.next()
        return Decimal(token.text)

    def finish(self, what: str) -> None:
        """Refuse anything that follows."""
        if not self.done:
            raise self.wrong("HW100", f"unexpected {self.peek()} after {what}")

    def place(self, token: Token) -> Place:
        return self.source.place(token.start, token.end)

    def wrong(
        self,
        code: str,
        message: str,
        token: Token | None = None,
        *,
        detail: str = "",
        hint: str = "",
        choices: Iterable[str] = (),
    ) -> InputError:
        """An error at a token, by default the next one; the nearest of the `choices` becomes the hint."""
        token = token or self.peek()
        likely = did_you_mean(token.text, choices)
        return InputError(code, message, place=self.place(token), detail=detail, hint=likely or hint)
