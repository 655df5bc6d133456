"""Read a SELECT without changing a word of it.

sqlglot knows hundreds of functions and, when it writes one back, may write another one that it holds to be
the same.  A view must mean exactly what Spark makes of its text, so this parser knows no function at all:
`date_add(x, 1)` stays a call of the name `date_add` on two arguments.  What has a syntax of its own (CAST,
EXTRACT, TRIM ... FROM, CASE, operators) is still read as such.

Repairs on the way: `window` is a name unless a WINDOW clause follows (sqlglot 30 cannot read GROUP BY
window(...)); current_date and its like are names too, which the scope then finds to be no columns; and a
doubled quote inside a string is a quote, as in Spark 4.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.errors import InputError
from headwater.model import SqlText

__all__ = ["Verbatim", "parse_query"]

_OWN_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION", "OVERLAY")
_NAMES = {
    TokenType.CURRENT_DATE, TokenType.CURRENT_DATETIME, TokenType.CURRENT_TIME, TokenType.CURRENT_TIMESTAMP,
    TokenType.CURRENT_USER, TokenType.CURRENT_ROLE, TokenType.SESSION_USER,
}  # fmt: skip


class Verbatim(Spark):
    """Spark's dialect, without its functions."""

    class Parser(SparkParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser for name, parser in SparkParser.FUNCTION_PARSERS.items() if name in _OWN_SYNTAX
        }
        NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {}
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            "CASE": SparkParser.NO_PAREN_FUNCTION_PARSERS["CASE"]
        }
        ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}  # array(1, 2)[0] is an element, not ARRAY[0]

    def tokenize(self, sql: str, dialect: DialectType = None) -> list[Token]:
        return _names(_strings(super().tokenize(sql, dialect), sql))


def parse_query(sql: SqlText) -> exp.Query:
    """The tree of a SELECT; names, functions and literals know their offsets in `sql.text`."""
    try:
        trees = Verbatim().parse(sql.text, error_message_context=len(sql.text) + 1)
    except ParseError as error:
        raise _misread(sql, error) from error
    except (
        SqlglotError,
        RecursionError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        KeyError,
    ) as error:
        # sqlglot itself fails on some broken texts; to the person who wrote one it is all the same.
        raise InputError("HW300", "this SELECT cannot be parsed", place=sql.place()) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InputError("HW300", "expected one SELECT", place=sql.place(length=len(sql.text)))
    return trees[0]


def _misread(sql: SqlText, error: ParseError) -> InputError:
    first: dict[str, Any] = error.errors[0] if error.errors else {}
    start = len(str(first.get("start_context") or ""))
    highlight = str(first.get("highlight") or "")
    description = f'near "{highlight}"' if highlight.strip() else "near its end"
    place = sql.place(start, len(highlight))
    return InputError("HW300", f"this SELECT cannot be parsed {description}", place=place)


def _names(tokens: list[Token]) -> list[Token]:
    """Words that sqlglot holds to be keywords and Spark to be names, as names."""
    clause = _window_clauses(tokens)
    return [
        _with(token, TokenType.VAR, token.text)
        if token.token_type in _NAMES or (token.token_type is TokenType.WINDOW and index not in clause)
        else token
        for index, token in enumerate(tokens)
    ]


def _window_clauses(tokens: list[Token]) -> set[int]:
    """WINDOW name AS (...): the only place where the word is a keyword."""
    return {
        index
        for index in range(len(tokens) - 3)
        if tokens[index].token_type is TokenType.WINDOW
        and tokens[index + 1].token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        and tokens[index + 2].token_type is TokenType.ALIAS
        and tokens[index + 3].token_type is TokenType.L_PAREN
    }


def _strings(tokens: list[Token], sql: str) -> list[Token]:
    """'it''s' as one string: sqlglot's Spark reads two and concatenates them, as Spark did before 4.0."""
    merged: list[Token] = []
    for token in tokens:
        last = merged[-1] if merged else None
        if last is not None and _doubled(last, token, sql):
            text = last.text + sql[token.start] + token.text
            merged[-1] = Token(
                last.token_type, text, last.line, token.col, last.start, token.end, last.comments
            )
        else:
            merged.append(token)
    return merged


def _doubled(last: Token, token: Token, sql: str) -> bool:
    both = last.token_type is TokenType.STRING and token.token_type is TokenType.STRING
    return both and last.end + 1 == token.start and sql[last.end] == sql[token.start]


def _with(token: Token, token_type: TokenType, text: str) -> Token:
    return Token(token_type, text, token.line, token.col, token.start, token.end, token.comments)
