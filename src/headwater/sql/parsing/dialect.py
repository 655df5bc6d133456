"""Headwater's SQL: Spark's, with statements and clauses of our own, read without changing a word of it.

A subclass of sqlglot's Spark dialect; sqlglot's own classes stay as they are.  It differs in what a view's
meaning depends on:

- No statement swallows its text.  sqlglot reads EXPLAIN and some others as one opaque string up to the
  semicolon; here every word keeps its place.  Our own clauses are read over these tokens by `ddl`.
- No function is known.  sqlglot knows hundreds, and may write a call back as another one that it considers
  equal.  A view must mean exactly what Spark makes of its text, so `date_add(x, 1)` stays a call of the name
  `date_add` with two arguments.  What has a syntax of its own (CAST, EXTRACT, TRIM ... FROM, CASE, operators)
  is still read as such.  `known_functions` turns calls into sqlglot's functions for those who need them.
- `window` is a name unless it begins a WINDOW clause, so that GROUP BY window(...) can be read; current_date
  and the like are names too, because Spark looks for columns of that name first.
- INT8 has eight bytes, as in PostgreSQL; sqlglot takes it for eight bits.
- A doubled quote inside a string is a quote, as in Spark 4.
- `TABLE t` and `VALUES (1), (2)` are queries, as in Spark (`forms.short_queries`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parsing.forms.short_queries import as_selects

__all__ = ["Headwater"]

_OWN_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION", "OVERLAY", "MATCH")
_PRECISION = (TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN)
_UNITS = {"year", "month", "day", "hour", "minute", "second"}
_NAMES = {
    TokenType.CURRENT_DATE, TokenType.CURRENT_DATETIME, TokenType.CURRENT_TIME, TokenType.CURRENT_TIMESTAMP,
    TokenType.CURRENT_USER, TokenType.CURRENT_ROLE, TokenType.SESSION_USER,
}  # fmt: skip


class Headwater(Spark):
    """Registered with sqlglot as "headwater"."""

    class Tokenizer(Spark.Tokenizer):
        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {**Spark.Tokenizer.KEYWORDS, "INT8": TokenType.BIGINT}

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

        def _parse_cube_or_rollup(self, with_prefix: bool = False) -> exp.Cube | exp.Rollup | None:
            """ROLLUP (x > 0, y): sqlglot reads no comparisons there."""
            if not self._match_set((TokenType.CUBE, TokenType.ROLLUP)):
                return None
            kind = exp.Cube if self._prev.token_type is TokenType.CUBE else exp.Rollup
            keys = [] if with_prefix else self._parse_wrapped_csv(self._parse_disjunction)
            return self.expression(kind(expressions=keys))

        def _parse_grouping_set(self) -> exp.Expr | None:
            return self._parse_grouping_sets() or self._parse_cube_or_rollup() or self._parse_disjunction()

    def tokenize(self, sql: str, dialect: DialectType = None) -> list[Token]:
        tokens = _whole_strings(super().tokenize(sql, dialect), sql)
        return as_selects(_as_names(_without_precision(tokens)))


def _without_precision(tokens: list[Token]) -> list[Token]:
    """INTERVAL '90' DAY (3), as TPC-H writes it, without the number of digits, which says nothing more."""
    kept: list[Token] = []
    skipped = 0
    for index, token in enumerate(tokens):
        if tuple(other.token_type for other in tokens[index : index + 3]) == _PRECISION and _is_length(kept):
            skipped = 3
        if skipped:
            skipped -= 1
        else:
            kept.append(token)
    return kept


def _is_length(tokens: list[Token]) -> bool:
    """INTERVAL '90' DAY, so far."""
    if len(tokens) < 3:
        return False
    *_, word, value, unit = tokens
    number = value.token_type in (TokenType.STRING, TokenType.NUMBER)
    return word.token_type is TokenType.INTERVAL and number and unit.text.lower() in _UNITS


def _as_names(tokens: list[Token]) -> list[Token]:
    """Words that sqlglot takes for keywords and Spark for names, as names."""
    clauses = _window_clauses(tokens)
    return [
        _retyped(token, TokenType.VAR)
        if token.token_type in _NAMES or (token.token_type is TokenType.WINDOW and index not in clauses)
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


def _whole_strings(tokens: list[Token], sql: str) -> list[Token]:
    """'it''s' as one string: sqlglot's Spark reads two and concatenates them, as Spark did before 4.0."""
    merged: list[Token] = []
    for token in tokens:
        if merged and _doubled_quote(merged[-1], token, sql):
            merged[-1] = _joined(merged[-1], token, sql[token.start])
        else:
            merged.append(token)
    return merged


def _doubled_quote(last: Token, token: Token, sql: str) -> bool:
    both = last.token_type is TokenType.STRING and token.token_type is TokenType.STRING
    return both and last.end + 1 == token.start and sql[last.end] == sql[token.start]


def _joined(first: Token, second: Token, quote: str) -> Token:
    text = first.text + quote + second.text
    return Token(first.token_type, text, first.line, second.col, first.start, second.end, first.comments)


def _retyped(token: Token, token_type: TokenType) -> Token:
    return Token(token_type, token.text, token.line, token.col, token.start, token.end, token.comments)
